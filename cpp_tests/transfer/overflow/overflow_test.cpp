// Floating-point overflow: modes and switches are stored, and every status reports no overflow.
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

#include <climits>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

using namespace portacl_test;

namespace {

using Overflow = WithDevice;

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr auto kSaturation = ACL_RT_OVERFLOW_MODE_SATURATION;
constexpr auto kInfNan = ACL_RT_OVERFLOW_MODE_INFNAN;

aclrtFloatOverflowMode Mode() {
    auto mode = Poison<aclrtFloatOverflowMode>();
    ACL_EXPECT_OK(aclrtGetDeviceSatMode(&mode));
    return mode;
}

uint32_t Switch(aclrtStream stream) {
    auto flag = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtGetStreamOverflowSwitch(stream, &flag));
    return flag;
}

// The calls that write a status, under one signature.
struct StatusCall {
    const char* text;
    std::function<aclError(void*, uint64_t, aclrtStream)> call;
};
const StatusCall kStatusCalls[] = {
    {"aclrtGetOverflowStatus()", [](void* p, uint64_t n, aclrtStream s) { return aclrtGetOverflowStatus(p, n, s); }},
    {"aclrtGetFloatOverflowStatus()",
     [](void* p, uint64_t n, aclrtStream s) { return aclrtGetFloatOverflowStatus(p, n, s); }},
    {"aclrtNpuGetFloatOverFlowStatus()",
     [](void* p, uint64_t n, aclrtStream s) { return aclrtNpuGetFloatOverFlowStatus(p, n, 1, s); }},
};

}  // namespace

TEST_F(Overflow, TheModeIsKeptByTheDevice) {
    EXPECT_EQ(Mode(), kInfNan);
    ACL_OK(aclrtSetDeviceSatMode(kSaturation));
    EXPECT_EQ(Mode(), kSaturation);
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    EXPECT_EQ(Mode(), kSaturation) << "another context of the device";
    ACL_OK(aclrtDestroyContext(context));
    ACL_OK(aclrtSetDevice(0));
    OnNewThread([] {
        ACL_OK(aclrtSetDevice(0));
        EXPECT_EQ(Mode(), kSaturation);
        ACL_OK(aclrtSetDeviceSatMode(kInfNan));
    });
    EXPECT_EQ(Mode(), kInfNan);
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDeviceSatMode(kSaturation));
    ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(Mode(), kInfNan) << "another device";
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Mode(), kSaturation);
}

TEST_F(Overflow, AResetClearsTheMode) {
    ACL_OK(aclrtSetDeviceSatMode(kSaturation));
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Mode(), kInfNan);
}

TEST_F(Overflow, InvalidModes) {
    ACL_OK(aclrtSetDeviceSatMode(kSaturation));
    for (const int number : {-1, int{ACL_RT_OVERFLOW_MODE_UNDEF}, 3, INT_MIN, INT_MAX})
        ACL_FAILS_SAYING(kBad, aclrtSetDeviceSatMode(static_cast<aclrtFloatOverflowMode>(number)),
                         "mode is " + std::to_string(number), "SATURATION (0)", "INFNAN (1)");
    ACL_FAILS_SAYING(kBad, aclrtGetDeviceSatMode(nullptr), "mode is null");
    EXPECT_EQ(Mode(), kSaturation);
}

TEST_F(Overflow, TheSwitchIsAnAttributeOfTheStream) {
    Stream stream;
    EXPECT_EQ(Switch(stream), 0u);
    ACL_OK(aclrtSetStreamOverflowSwitch(stream, 1));
    EXPECT_EQ(Switch(stream), 1u);
    EXPECT_EQ(Switch(nullptr), 0u) << "another stream";
    aclrtStreamAttrValue value{};
    ACL_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
    EXPECT_EQ(value.overflowSwitch, 1u);
    value.overflowSwitch = 0;
    ACL_OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
    EXPECT_EQ(Switch(stream), 0u);
    ACL_OK(aclrtSetStreamOverflowSwitch(nullptr, 1));
    EXPECT_EQ(Switch(nullptr), 1u);
    for (const uint32_t flag : {2u, UINT32_MAX})
        ACL_FAILS_SAYING(kBad, aclrtSetStreamOverflowSwitch(stream, flag), "flag is " + std::to_string(flag),
                         "0 (off) and 1 (on)");
    ACL_FAILS_SAYING(kBad, aclrtGetStreamOverflowSwitch(stream, nullptr), "flag is null");
    EXPECT_EQ(Switch(stream), 0u);
}

TEST_F(Overflow, StatusesAreZerosOfTheRequestedSize) {
    Stream stream;
    for (const auto& [text, call] : kStatusCalls) {
        SCOPED_TRACE(text);
        for (const size_t size : {size_t{1}, size_t{64}, size_t{1000}}) {
            DeviceMemory state(std::vector<unsigned char>(1024, 0xEE));
            ACL_OK(call(state.At(), size, stream));
            ACL_OK(aclrtSynchronizeStream(stream));
            std::vector<unsigned char> wanted(1024, 0xEE);
            std::fill_n(wanted.begin(), size, 0);
            EXPECT_EQ(state.Download(), wanted);
        }
    }
}

TEST_F(Overflow, StatusesAreWrittenInStreamOrder) {
    Stream stream;
    DeviceMemory state(std::vector<unsigned char>(64, 0xEE));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(state.At(), 64, 0x77, 64, stream));
    ACL_OK(aclrtGetOverflowStatus(state.At(), 32, stream));
    EXPECT_EQ(state.Download(), std::vector<unsigned char>(64, 0xEE));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    std::vector<unsigned char> wanted(64, 0x77);
    std::fill_n(wanted.begin(), 32, 0);
    EXPECT_EQ(state.Download(), wanted);
}

// Whatever the mode and the switch are, arithmetic returns infinities, and no status reports them.
TEST_F(Overflow, IsNotReported) {
    Stream stream;
    ACL_OK(aclrtSetDeviceSatMode(kSaturation));
    ACL_OK(aclrtSetStreamOverflowSwitch(stream, 1));
    const float most = std::numeric_limits<float>::max();
    DeviceMemory sum(std::vector<float>{most}), other(std::vector<float>{most});
    DeviceMemory state(std::vector<uint32_t>(8, 7));
    ACL_OK(aclrtResetOverflowStatus(stream));
    ACL_OK(aclrtResetFloatOverflowStatus(stream));
    ACL_OK(aclrtNpuClearFloatOverFlowStatus(UINT32_MAX, stream));
    ACL_OK(aclrtReduceAsync(sum.At(), other.At(), sizeof most, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, stream,
                            nullptr));
    ACL_OK(aclrtGetOverflowStatus(state.At(), 32, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(std::isinf(sum.Download<float>()[0]));
    EXPECT_EQ(state.Download<uint32_t>(), std::vector<uint32_t>(8, 0));
}

TEST_F(Overflow, StatusesNeedDeviceMemory) {
    Stream stream;
    DeviceMemory state(64);
    PinnedMemory pinned(64, 0x11);
    std::vector<unsigned char> pageable(64, 0x22);
    for (const auto& [text, call] : kStatusCalls) {
        SCOPED_TRACE(text);
        const auto refused = [&, text = text, &call = call](void* at, uint64_t size, aclError code, const char* word) {
            EXPECT_TRUE(FailedSaying(text, call(at, size, stream), code, {word}));
        };
        refused(nullptr, 64, kBad, "outputAddr is null");
        refused(state.At(), 0, kBad, "outputSize is 0");
        refused(state.At(), 4096, kDead, "outputAddr");
        refused(state.At(32), UINT64_MAX, kDead, "outputAddr");
        refused(pinned.At(), 64, kDead, "host memory");
        refused(pageable.data(), 64, kDead, "host memory");
    }
    EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(64, 0x11));
    EXPECT_EQ(pageable, std::vector<unsigned char>(64, 0x22));
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    DeviceMemory there(64);
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS_SAYING(kDead, aclrtGetOverflowStatus(there.At(), 64, stream), "memory on device 1");
}

TEST_F(Overflow, TheAddressOfContextsHoldsZeros) {
    void* addr = nullptr;
    ACL_OK(aclrtCtxGetFloatOverflowAddr(&addr));
    std::vector<unsigned char> read(512, 0xEE);
    ACL_OK(aclrtMemcpy(read.data(), 512, addr, 512, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(read, std::vector<unsigned char>(512, 0));
    // One address for all contexts and threads of the device; no program frees it.
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    void* again = nullptr;
    ACL_OK(aclrtCtxGetFloatOverflowAddr(&again));
    EXPECT_EQ(again, addr);
    ACL_OK(aclrtDestroyContext(context));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtFree(addr));
    OnThreads(4, [addr](int) {
        ACL_OK(aclrtSetDevice(0));
        void* mine = nullptr;
        ACL_OK(aclrtCtxGetFloatOverflowAddr(&mine));
        EXPECT_EQ(mine, addr);
    });
    ACL_OK(aclrtMemset(addr, 512, 0, 512));
    ACL_FAILS_SAYING(kBad, aclrtCtxGetFloatOverflowAddr(nullptr), "overflowAddr is null");
}

TEST_F(Overflow, TheAddressEndsWithTheDevice) {
    void* addr = nullptr;
    ACL_OK(aclrtCtxGetFloatOverflowAddr(&addr));
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtMemset(addr, 512, 0, 512));
    ACL_OK(aclrtCtxGetFloatOverflowAddr(&addr));
    ACL_OK(aclrtMemset(addr, 512, 0, 512));
}
