// Copies of graphs with pageable memory: the host functions before them write it, those after them read it.
#include <cstring>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/objects.h"

namespace {

using namespace portacl_test;

using Bytes = std::vector<unsigned char>;

// Longer than what a backend copies at once.
constexpr size_t kLong = (size_t{9} << 20) + 3;

class GraphHostMemory : public WithDevice {
  protected:
    // What the host functions of a graph use.
    struct Host {
        Bytes source, destination, seen;
        int runs = 0;
    };

    // Other bytes in each run.
    static unsigned char Value(int run, size_t at) { return static_cast<unsigned char>(at % 251 + 7 * run); }

    static void Write(void* argument) {
        auto* host = static_cast<Host*>(argument);
        ++host->runs;
        for (size_t i = 0; i < host->source.size(); ++i) host->source[i] = Value(host->runs, i);
    }

    static void Read(void* argument) {
        auto* host = static_cast<Host*>(argument);
        host->seen = host->destination;
    }

    static Bytes Wanted(int run, size_t size) {
        Bytes wanted(size);
        for (size_t i = 0; i < size; ++i) wanted[i] = Value(run, i);
        return wanted;
    }
};

TEST_F(GraphHostMemory, CopiesAreInOrderWithHostFunctions) {
    for (const size_t size : {size_t{4}, size_t{70000}, kLong}) {
        SCOPED_TRACE(size);
        const Stream stream;
        const DeviceMemory device(size);
        Host host{Bytes(size), Bytes(size), {}, 0};
        const auto record = [&] {
            ACL_OK(aclrtLaunchHostFunc(stream, Write, &host));
            ACL_OK(aclrtMemcpyAsync(device.At(), size, host.source.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
            ACL_OK(
                aclrtMemcpyAsync(host.destination.data(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            ACL_OK(aclrtLaunchHostFunc(stream, Read, &host));
        };
        const Graph graph = Capture(stream, record, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
        for (int run = 1; run <= 3; ++run) {
            ACL_OK(aclmdlRIExecute(graph, -1));
            EXPECT_TRUE(host.seen == Wanted(run, size)) << "in run " << run;
        }
    }
}

// Rows of 300 bytes at a distance of 512 on the host, without gaps on the device. The gaps stay.
TEST_F(GraphHostMemory, SoAreCopiesOfRows) {
    constexpr size_t kPitch = 512, kWidth = 300;
    for (const size_t height : {size_t{1}, size_t{5}, size_t{20000}}) {
        SCOPED_TRACE(height);
        const size_t size = kPitch * height;
        const Stream stream;
        const DeviceMemory device(kWidth * height);
        Host host{Bytes(size), Bytes(size, 99), {}, 0};
        const auto record = [&] {
            ACL_OK(aclrtLaunchHostFunc(stream, Write, &host));
            ACL_OK(aclrtMemcpy2dAsync(device.At(), kWidth, host.source.data(), kPitch, kWidth, height,
                                      ACL_MEMCPY_HOST_TO_DEVICE, stream));
            ACL_OK(aclrtMemcpy2dAsync(host.destination.data(), kPitch, device.At(), kWidth, kWidth, height,
                                      ACL_MEMCPY_DEVICE_TO_HOST, stream));
            ACL_OK(aclrtLaunchHostFunc(stream, Read, &host));
        };
        const Graph graph = Capture(stream, record, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
        for (int run = 1; run <= 2; ++run) {
            ACL_OK(aclmdlRIExecute(graph, -1));
            Bytes wanted = Wanted(run, size);
            for (size_t row = 0; row < height; ++row)
                std::memset(wanted.data() + row * kPitch + kWidth, 99, kPitch - kWidth);
            EXPECT_TRUE(host.seen == wanted) << "in run " << run;
        }
    }
}

}  // namespace
