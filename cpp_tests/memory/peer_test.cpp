// Peer access between devices: which device may access which, in which direction, until when.
#include <climits>

#include "support/gate.h"
#include "support/kernel/kernels.h"
#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

// The devices 0 and 1, of which 0 is set.
class Peer : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    }
};

bool CanAccess(int32_t device, int32_t peer) {
    auto can = Poison<int32_t>();
    ExpectOk("aclrtDeviceCanAccessPeer", aclrtDeviceCanAccessPeer(&can, device, peer));
    EXPECT_TRUE(can == 0 || can == 1) << can;
    return can == 1;
}

bool IsEnabled(int32_t device, int32_t peer) {
    auto status = Poison<int32_t>();
    ExpectOk("aclrtDevicePeerAccessStatus", aclrtDevicePeerAccessStatus(device, peer, &status));
    EXPECT_TRUE(status == 0 || status == 1) << status;
    return status == 1;
}

}  // namespace

TEST_F(Peer, NothingIsEnabledAtFirst) {
    EXPECT_TRUE(CanAccess(0, 1));
    EXPECT_TRUE(CanAccess(1, 0));
    EXPECT_FALSE(IsEnabled(0, 1));
    EXPECT_FALSE(IsEnabled(1, 0));
}

TEST_F(Peer, AccessHasADirection) {
    ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT_TRUE(IsEnabled(0, 1));
    EXPECT_FALSE(IsEnabled(1, 0));
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtDeviceEnablePeerAccess(0, 0));
    EXPECT_TRUE(IsEnabled(1, 0));
    ACL_OK(aclrtDeviceDisablePeerAccess(0));
    EXPECT_TRUE(IsEnabled(0, 1));
    EXPECT_FALSE(IsEnabled(1, 0));
}

TEST_F(Peer, RepeatingChangesNothing) {
    for (int i = 0; i < 3; ++i) {
        ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
        EXPECT_TRUE(IsEnabled(0, 1));
    }
    for (int i = 0; i < 3; ++i) {
        ACL_OK(aclrtDeviceDisablePeerAccess(1));
        EXPECT_FALSE(IsEnabled(0, 1));
    }
}

TEST_F(Peer, ItAppliesToAllThreads) {
    OnNewThread([] {
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
    });
    EXPECT_TRUE(IsEnabled(0, 1));
    OnNewThread([] { EXPECT_TRUE(IsEnabled(0, 1)); });
}

TEST_F(Peer, ItTakesEffectWhenThePeerIsSetLater) {
    ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
    ACL_OK(aclrtSetDevice(1));
    EXPECT_TRUE(IsEnabled(0, 1));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtDeviceDisablePeerAccess(1));
    EXPECT_FALSE(IsEnabled(0, 1));
}

TEST_F(Peer, AResetOfEitherDeviceEndsIt) {
    for (const int32_t reset : {0, 1}) {
        ACL_OK(aclrtSetDevice(1));
        ACL_OK(aclrtDeviceEnablePeerAccess(0, 0));
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
        ACL_OK(aclrtResetDeviceForce(reset));
        EXPECT_FALSE(IsEnabled(0, 1)) << "after a reset of " << reset;
        EXPECT_FALSE(IsEnabled(1, 0)) << "after a reset of " << reset;
        // After the next opening access is disabled, too.
        ACL_OK(aclrtSetDevice(reset));
        EXPECT_FALSE(IsEnabled(0, 1));
        EXPECT_FALSE(IsEnabled(1, 0));
        ACL_OK(aclrtSetDevice(0));
    }
}

TEST_F(Peer, ItEndsWithTheSession) {
    ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
    ACL_OK(aclFinalize());
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_FALSE(IsEnabled(0, 1));
}

TEST_F(Peer, CopiesWorkWithAndWithout) {
    constexpr size_t kSize = 100000;
    for (const bool enabled : {false, true}) {
        ACL_OK(aclrtSetDevice(1));
        DeviceMemory theirs(kSize);
        ACL_OK(aclrtSetDevice(0));
        if (enabled) {
            ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
        }
        DeviceMemory ours(Pattern(kSize, enabled));
        Stream stream;
        ACL_OK(aclrtMemcpyAsync(theirs.At(), kSize, ours.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(theirs.Download() == Pattern(kSize, enabled));
    }
}

TEST_F(Peer, BadArguments) {
    const auto count = static_cast<int32_t>(DeviceCount());
    auto out = Poison<int32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceCanAccessPeer(nullptr, 0, 1), "canAccessPeer is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDevicePeerAccessStatus(0, 1, nullptr), "status is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceCanAccessPeer(&out, 1, 1), "both 1", "different");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDevicePeerAccessStatus(1, 1, &out), "both 1", "different");
    for (const int32_t id : {-1, count, INT32_MIN, INT32_MAX}) {
        const std::string bound = std::to_string(count) + " devices";
        const std::string device = "deviceId is " + std::to_string(id);
        const std::string peer = "peerDeviceId is " + std::to_string(id);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceCanAccessPeer(&out, id, 1), device, bound);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceCanAccessPeer(&out, 0, id), peer, bound);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDevicePeerAccessStatus(id, 1, &out), device, bound);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDevicePeerAccessStatus(0, id, &out), peer, bound);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceEnablePeerAccess(id, 0), peer, bound);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceDisablePeerAccess(id), peer, bound);
    }
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceEnablePeerAccess(1, 2), "flags is 0x2", "must be 0");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceEnablePeerAccess(0, 0), "peerDeviceId is 0",
                     "current device");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceDisablePeerAccess(0), "peerDeviceId is 0",
                     "current device");
    EXPECT_TRUE(IsPoison(out));
    EXPECT_FALSE(IsEnabled(0, 1));
}

TEST_F(Peer, SwitchingNeedsAContext) {
    OnNewThread([] {
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceEnablePeerAccess(1, 0), "aclrtSetDevice");
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceDisablePeerAccess(1), "aclrtSetDevice");
        EXPECT_TRUE(CanAccess(0, 1));
        EXPECT_FALSE(IsEnabled(0, 1));
    });
}

TEST_F(Peer, RefusedInsideAHostFunction) {
    struct PeerCodes {
        aclError can = 0, enable = 0, disable = 0;
        int32_t out = Poison<int32_t>();
    } codes;
    Stream stream;
    const auto call = [](void* argument) {
        auto* codes = static_cast<PeerCodes*>(argument);
        codes->can = aclrtDeviceCanAccessPeer(&codes->out, 0, 1);
        codes->enable = aclrtDeviceEnablePeerAccess(1, 0);
        codes->disable = aclrtDeviceDisablePeerAccess(1);
    };
    ACL_OK(aclrtLaunchHostFunc(stream, call, &codes));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(codes.can, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(codes.enable, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(codes.disable, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_TRUE(IsPoison(codes.out));
}

TEST_F(Peer, AfterFinalize) {
    ACL_OK(aclFinalize());
    auto out = Poison<int32_t>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceCanAccessPeer(&out, 0, 1));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDevicePeerAccessStatus(0, 1, &out));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceEnablePeerAccess(1, 0));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceDisablePeerAccess(1));
    EXPECT_TRUE(IsPoison(out));
    ACL_OK(aclInit(nullptr));
}

// Mapping memory for a kernel of another device enables access to all memory of that device.
TEST_F(Peer, MappingMemoryEnablesAccess) {
    DeviceMemory memory(4096);
    constexpr aclError kBad = ACL_ERROR_INVALID_PARAM, kDead = ACL_ERROR_RT_PARAM_INVALID;
    ACL_FAILS_SAYING(kDead, aclrtMemP2PMap(memory.At(), 4096, 1, 0), "not set", "aclrtSetDevice(1)");
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtMemP2PMap(memory.At(), 4096, 1, 0));
    EXPECT_TRUE(IsEnabled(1, 0));
    EXPECT_FALSE(IsEnabled(0, 1));
    ACL_OK(aclrtMemP2PMap(memory.At(100), 1, 1, 0));
    ACL_OK(aclrtDeviceDisablePeerAccess(0));
    EXPECT_FALSE(IsEnabled(1, 0));
    ACL_FAILS_SAYING(kDead, aclrtMemP2PMap(memory.At(), 4096, 0, 0), "another device");
    ACL_FAILS_SAYING(kBad, aclrtMemP2PMap(nullptr, 4096, 1, 0), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemP2PMap(memory.At(), 0, 1, 0), "size is 0");
    ACL_FAILS_SAYING(kBad, aclrtMemP2PMap(memory.At(), 4096, 1, 2), "flags is 0x2");
    ACL_FAILS_SAYING(kDead, aclrtMemP2PMap(memory.At(), 1 << 20, 1, 0), "devPtr");
    for (const int32_t bad : {-1, static_cast<int32_t>(DeviceCount()), INT_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMemP2PMap(memory.At(), 8, bad, 0),
                         "dstDevId is " + std::to_string(bad));
    PinnedMemory host(64);
    ACL_FAILS_SAYING(kDead, aclrtMemP2PMap(host.At(), 64, 1, 0), "host memory");
    EXPECT_FALSE(IsEnabled(1, 0));
    ACL_OK(aclrtSetDevice(0));
}

// Either call lets kernels of the current device use all memory of the peer, also on huge pages, and such that is
// allocated later.
TEST_F(Peer, KernelsUseMemoryOnHugePages) {
    constexpr uint32_t kWords = 1000;
    constexpr aclrtMemMallocPolicy kPolicies[] = {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY,
                                                  ACL_MEM_MALLOC_HUGE_ONLY_P2P};
    NEEDS_HUGE_PAGES(kWords * 4);
    const Program program;
    const auto mark = program.Kernel("mark");
    const auto allocate = [&](aclrtMemMallocPolicy policy) {
        const OnDevice current(1);
        auto memory = std::make_unique<DeviceMemory>(kWords * 4, policy);
        memory->Upload(std::vector<uint32_t>(kWords, 5));
        return memory;
    };
    const auto marks = [&](const DeviceMemory& memory) {
        ACL_OK(Mark(mark, memory.At(), 7, kWords, nullptr));
        ACL_OK(aclrtSynchronizeStream(nullptr));
        EXPECT_EQ(memory.Download<uint32_t>(), std::vector<uint32_t>(kWords, 12));
    };
    for (const aclrtMemMallocPolicy policy : kPolicies)
        for (const bool maps : {false, true}) {
            SCOPED_TRACE(testing::Message() << "policy " << policy << (maps ? ", aclrtMemP2PMap" : ""));
            const auto before = allocate(policy);
            if (maps) {
                const OnDevice current(1);
                ACL_OK(aclrtMemP2PMap(before->At(), kWords * 4, 0, 0));
            } else {
                ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
            }
            EXPECT_TRUE(IsEnabled(0, 1));
            marks(*before);
            marks(*allocate(policy));
            ACL_OK(aclrtDeviceDisablePeerAccess(1));
            EXPECT_FALSE(IsEnabled(0, 1));
        }
}
