// Launches that are refused, and attributes of launches.

#include <cstdint>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

using Words = std::vector<uint32_t>;

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

using KernelLaunch = WithDevice;

TEST_F(KernelLaunch, WrongShapesAreRefused) {
    const Program program;
    const Stream stream;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    ACL_FAILS_SAYING(kInvalid, aclrtLaunchKernel(nothing, 0, nullptr, 0, stream), "numBlocks is 0");
    ACL_FAILS_SAYING(kInvalid, aclrtLaunchKernelV2(nothing, 0, nullptr, 0, nullptr, stream), "numBlocks is 0");
    ACL_FAILS_SAYING(kInvalid, aclrtLaunchKernelWithArgsArray(nothing, 0, stream, nullptr, nullptr), "numBlocks is 0");
    ACL_FAILS_SAYING(kInvalid, aclrtLaunchKernel(nothing, UINT32_MAX, nullptr, 0, stream), "numBlocks is 4294967295",
                     "2147483647");
    struct InvalidShape {
        dim3 grid, block;
        const char* name;
        const char* bound;
    };
    for (const InvalidShape& c : {InvalidShape{{0, 1, 1}, {1, 1, 1}, "gridDim.x is 0", "1 or more"},
                                  InvalidShape{{1, 0, 1}, {1, 1, 1}, "gridDim.y is 0", "1 or more"},
                                  InvalidShape{{1, 1, 1}, {1, 1, 0}, "blockDim.z is 0", "1 or more"},
                                  InvalidShape{{0x80000000, 1, 1}, {1, 1, 1}, "gridDim.x", "2147483647"},
                                  InvalidShape{{1, 65536, 1}, {1, 1, 1}, "gridDim.y is 65536", "65535"},
                                  InvalidShape{{1, 1, 65536}, {1, 1, 1}, "gridDim.z is 65536", "65535"},
                                  InvalidShape{{1, 1, 1}, {1025, 1, 1}, "blockDim.x is 1025", "1024"},
                                  InvalidShape{{1, 1, 1}, {1, 1, 65}, "blockDim.z is 65", "64"},
                                  InvalidShape{{1, 1, 1}, {1024, 1024, 1}, "1048576 threads", "1024"}}) {
        ACL_FAILS_SAYING(kInvalid,
                         aclrtLaunchSIMTKernelWithArgsArray(nothing, c.grid, c.block, 0, stream, nullptr, nullptr),
                         c.name, c.bound);
    }
    ACL_FAILS_SAYING(
        kDead,
        aclrtLaunchSIMTKernelWithArgsArray(nothing, {1, 1, 1}, {1, 1, 1}, size_t{1} << 40, stream, nullptr, nullptr),
        "1099511627776 bytes", "shared memory per block");
    if (!OnCpu()) {
        const ZeroWords words(512);
        void* address = words.At();
        uint32_t number = 1;
        void* arguments[] = {&address, &number};
        ACL_FAILS_SAYING(kDead,
                         aclrtLaunchSIMTKernelWithArgsArray(program.Kernel("mark"), {1, 1, 1}, {512, 1, 1}, 0, stream,
                                                            nullptr, arguments),
                         "512 threads", "256");
    }
}

TEST_F(KernelLaunch, WrongArgumentsAreRefused) {
    const Program program;
    const Stream stream;
    const aclrtFuncHandle mark = program.Kernel("mark");
    const ZeroWords words(256);
    void* address = words.At();
    uint32_t number = 1;
    ACL_FAILS_SAYING(kInvalid, aclrtLaunchKernel(mark, 1, nullptr, 12, stream), "argsData");
    struct {
        void* words;
        uint32_t number;
        char more[64];
    } block{address, 1, {}};
    for (const size_t size : {size_t{0}, size_t{8}, size_t{11}, size_t{17}, sizeof block}) {
        ACL_FAILS_SAYING(kDead, aclrtLaunchKernel(mark, 1, &block, size, stream), std::to_string(size) + " bytes",
                         "12 bytes for 2 parameters");
    }
    void* missing[] = {&address, nullptr};
    ACL_FAILS_SAYING(kDead, aclrtLaunchKernelWithArgsArray(mark, 1, stream, nullptr, missing), "args[1] is null");
    ACL_FAILS_SAYING(kDead, aclrtLaunchKernelWithArgsArray(mark, 1, stream, nullptr, nullptr), "args is null",
                     "2 parameters");
    ACL_FAILS_SAYING(kDead, aclrtLaunchSIMTKernelWithArgsArray(mark, {1, 1, 1}, {1, 1, 1}, 0, stream, nullptr, nullptr),
                     "args is null");
    // None of these calls has submitted anything.
    void* arguments[] = {&address, &number};
    ACL_OK(aclrtLaunchSIMTKernelWithArgsArray(mark, {256, 1, 1}, {1, 1, 1}, 0, stream, nullptr, arguments));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(words.Download<uint32_t>(), Words(256, 1));
}

TEST_F(KernelLaunch, WrongHandlesAreRefused) {
    const Program program;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    Stream stream;
    int garbage = 0;
    const auto each = [&](aclError code, void* function, aclrtStream on, const char* word) {
        ACL_FAILS_SAYING(code, aclrtLaunchKernel(function, 1, nullptr, 0, on), word);
        ACL_FAILS_SAYING(code, aclrtLaunchKernelV2(function, 1, nullptr, 0, nullptr, on), word);
        ACL_FAILS_SAYING(code, aclrtLaunchKernelWithArgsArray(function, 1, on, nullptr, nullptr), word);
        ACL_FAILS_SAYING(
            code, aclrtLaunchSIMTKernelWithArgsArray(function, {1, 1, 1}, {1, 1, 1}, 0, on, nullptr, nullptr), word);
    };
    each(kInvalid, nullptr, stream, "func");
    each(kDead, &garbage, stream, "func");
    each(kDead, program, stream, "binary");
    each(kDead, nothing, nothing, "stream");
    each(kDead, nothing, &garbage, "stream");
    const aclrtStream gone = stream.Release();
    ACL_OK(aclrtDestroyStream(gone));
    each(kDead, nothing, gone, "destroyed");
}

TEST_F(KernelLaunch, AttributesAreAppliedIgnoredOrRefused) {
    const Program program;
    const Stream stream;
    const aclrtFuncHandle nothing = program.Kernel("nothing");
    aclrtLaunchKernelAttr attribute{};
    aclrtLaunchKernelCfg config{&attribute, 1};
    const auto launch = [&] { return aclrtLaunchKernelWithArgsArray(nothing, 1, stream, &config, nullptr); };
    for (const auto id : {ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE,
                          ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING}) {
        attribute.id = id;
        attribute.value.rsv[0] = 1;
        ACL_EXPECT_OK(launch());
    }
    struct RefusedAttribute {
        aclrtLaunchKernelAttrId id;
        const char* name;
    };
    for (const RefusedAttribute& c : {RefusedAttribute{ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, "BLOCKDIM_OFFSET"},
                                      RefusedAttribute{ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, "DATA_DUMP"},
                                      RefusedAttribute{ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, "TIMEOUT"},
                                      RefusedAttribute{ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, "TIMEOUT_US"}}) {
        attribute.id = c.id;
        attribute.value = {};
        ACL_EXPECT_OK(launch());
        attribute.value.rsv[0] = 1;
        ACL_FAILS_SAYING(kUnsupported, aclrtLaunchKernelWithArgsArray(nothing, 1, stream, &config, nullptr), "attrs[0]",
                         c.name);
    }
    attribute.id = static_cast<aclrtLaunchKernelAttrId>(10);
    ACL_FAILS_SAYING(kInvalid, aclrtLaunchKernelV2(nothing, 1, nullptr, 0, &config, stream), "attrs[0].id is 10");
    config.attrs = nullptr;
    ACL_FAILS_SAYING(kInvalid, aclrtLaunchKernelV2(nothing, 1, nullptr, 0, &config, stream), "cfg->attrs is null");
    attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE;
    attribute.value.dynUBufSize = 1u << 30;
    config.attrs = &attribute;
    ACL_FAILS_SAYING(kDead, aclrtLaunchKernelWithArgsArray(nothing, 1, stream, &config, nullptr), "1073741824 bytes");
    attribute.value.dynUBufSize = 64 << 10;
    ACL_EXPECT_OK(launch());
    ACL_OK(aclrtSynchronizeStream(stream));
}

}  // namespace
