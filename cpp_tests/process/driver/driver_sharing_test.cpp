// Imports that a driver refuses at first, on the test double.
#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/memory/ipc.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 1 << 20;

void Exporter(Connection& parent) {
    const Session session;
    {
        const DeviceMemory memory(kSize);
        Set(memory.At(), kSize, 5);
        parent.Send(ExportKey(memory.At(), kSize));
        parent.Await(1);
    }
}

}  // namespace

// The import was closed, and work that is pending keeps its mapping: the driver returns 208.
TWO_PROCESS_TEST(DriverSharing, AMappingThatIsPendingIsImportedAgain, Exporter) {
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    FailDriver("cuIpcOpenMemHandle_v2:2:208");
    for (int round = 0; round < 2; ++round) {
        void* const ptr = ImportKey(key);
        EXPECT_TRUE(Holds(ptr, kSize, 5));
        CloseKey(key);
    }
    FailDriver("");
    peer.Signal(1);
    peer.Join();
}
