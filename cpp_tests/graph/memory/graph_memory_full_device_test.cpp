// Cached memory of graphs on a full device.

#include "support/graph/memory.h"

#include "pool/small_device.h"
#include "support/graph/graph.h"

using namespace portacl_test;

namespace {

constexpr size_t kSmallDevice = 256 * kMiB;
const Settings kSmall = SmallDevice(kSmallDevice);

}  // namespace

OWN_PROCESS_TEST(GraphMemoryOfASmallDevice, CachedGraphMemoryServesOtherAllocations, kSmall[0], kSmall[1]) {
    NEEDS_A_SMALL_DEVICE();
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        const Stream stream;
        const MemPool pool;
        const auto capture = [&] {
            const Graph graph = Capture(stream, [&] {
                void* memory = nullptr;
                ACL_OK(aclrtMemPoolMallocAsync(&memory, 150 * kMiB, pool, stream));
                ACL_OK(aclrtMemPoolFreeAsync(memory, stream));
            });
        };
        const auto synchronize = [] { EXPECT_EQ(GraphUsedAtLast(), 0u); };
        capture();
        synchronize();
        EXPECT_GE(GraphReserved(), 150 * kMiB);
        { const DeviceMemory ordinary(150 * kMiB); }
        capture();
        synchronize();
        void* const pooled = pool.Allocate(150 * kMiB, stream);
        ASSERT_NE(pooled, nullptr);
        Free(pooled, stream);
        Synchronize(stream);
    }
    ACL_OK(aclFinalize());
}
