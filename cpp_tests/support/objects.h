// Objects of tests that free themselves: streams, events, memory, threads.
#pragma once

#include <portacl/portacl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/skips.h"
#include "support/threads.h"

namespace portacl_test {

inline void ExpectOk(const char* call, aclError code) {
    EXPECT_TRUE(Returned(call, code, 0));
}

class Stream {
  public:
    Stream() { ExpectOk("aclrtCreateStream", aclrtCreateStream(&handle_)); }
    ~Stream() {
        if (handle_) ExpectOk("aclrtDestroyStream", aclrtDestroyStream(handle_));
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    operator aclrtStream() const { return handle_; }

    // Gives the stream up: the test destroys it.
    aclrtStream Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtStream handle_ = nullptr;
};

// An event of aclrtCreateEventExWithFlag, with timing and for stream waits.
class Event {
  public:
    explicit Event(uint32_t flags = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE) {
        ExpectOk("aclrtCreateEventExWithFlag", aclrtCreateEventExWithFlag(&handle_, flags));
    }
    ~Event() {
        if (handle_) ExpectOk("aclrtDestroyEvent", aclrtDestroyEvent(handle_));
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    operator aclrtEvent() const { return handle_; }

    // Gives the event up: the test destroys it.
    aclrtEvent Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtEvent handle_ = nullptr;
};

// Device memory of the current device.
class DeviceMemory {
  public:
    explicit DeviceMemory(size_t size, aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST) : size_(size) {
        ExpectOk("aclrtMalloc", aclrtMalloc(&address_, size, policy));
    }
    // Allocates memory with a copy of `values`.
    template <typename T>
    explicit DeviceMemory(const std::vector<T>& values) : DeviceMemory(values.size() * sizeof(T)) {
        Upload(values);
    }
    ~DeviceMemory() {
        if (address_) ExpectOk("aclrtFree", aclrtFree(address_));
    }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    void* At(size_t offset = 0) const { return static_cast<char*>(address_) + offset; }
    size_t Size() const { return size_; }

    // Gives the memory up: the test frees it.
    void* Release() { return std::exchange(address_, nullptr); }

    template <typename T>
    void Upload(const std::vector<T>& values) {
        const size_t bytes = values.size() * sizeof(T);
        ExpectOk("aclrtMemcpy", aclrtMemcpy(address_, size_, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }

    // Copies all of the memory to the host, which never accesses device memory.
    template <typename T = unsigned char>
    std::vector<T> Download() const {
        std::vector<T> values(size_ / sizeof(T));
        const size_t bytes = values.size() * sizeof(T);
        ExpectOk("aclrtMemcpy", aclrtMemcpy(values.data(), bytes, address_, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        return values;
    }

  private:
    void* address_ = nullptr;
    size_t size_;
};

// Whether the device has memory of this size on pages of 2 MiB now.
inline bool HasHugePages(size_t size) {
    void* tried = nullptr;
    const aclError code = aclrtMalloc(&tried, size, ACL_MEM_MALLOC_HUGE_ONLY);
    if (code == ACL_SUCCESS) {
        ExpectOk("aclrtFree", aclrtFree(tried));
        return true;
    }
    EXPECT_EQ(code, ACL_ERROR_RT_MEMORY_ALLOCATION);
    aclGetRecentErrMsg();
    return false;
}

// Begins a test of memory on such pages.
#define NEEDS_HUGE_PAGES(size) \
    if (!::portacl_test::HasHugePages(size)) GTEST_SKIP() << "no huge pages on this machine"

// Pinned host memory.
class PinnedMemory {
  public:
    explicit PinnedMemory(size_t size) : size_(size) { ExpectOk("aclrtMallocHost", aclrtMallocHost(&address_, size)); }
    PinnedMemory(size_t size, unsigned char value) : PinnedMemory(size) { std::memset(address_, value, size); }
    ~PinnedMemory() {
        if (address_) ExpectOk("aclrtFreeHost", aclrtFreeHost(address_));
    }
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;

    void* At(size_t offset = 0) const { return Bytes() + offset; }
    unsigned char* Bytes() const { return static_cast<unsigned char*>(address_); }
    size_t Size() const { return size_; }
    std::vector<unsigned char> Copy() const { return {Bytes(), Bytes() + size_}; }

    // Gives the memory up: the test frees it.
    void* Release() { return std::exchange(address_, nullptr); }

  private:
    void* address_ = nullptr;
    size_t size_;
};

// Between aclFinalize and aclInit no backend has a name: then the variable says which the next session opens.
inline bool OnCpu() {
    const char* const name = portaclBackendName();
    return std::string(name ? name : Setting("PORTACL_BACKEND", "auto")) == "cpu";
}

// Whether the library computes all figures itself: on a GPU the driver has other sizes, and frees
// at other times.
inline bool IsExact() {
    static const bool exact = !std::getenv("PORTACL_TEST_ON_GPU");
    return exact;
}

// Checks that everything was freed. On a GPU the figure is the system's: it includes other
// processes, and what the driver keeps for streams and kernels.
inline void ExpectFreeAgain(size_t now, size_t before) {
    constexpr size_t kOfTheDriver = size_t{32} << 20;
    if (IsExact())
        EXPECT_EQ(now, before);
    else
        EXPECT_GE(now + kOfTheDriver, before);
}

inline uint32_t DeviceCount() {
    uint32_t count = 0;
    ExpectOk("aclrtGetDeviceCount", aclrtGetDeviceCount(&count));
    return count;
}

// Whether all work of `stream` is complete.
inline bool IsIdle(aclrtStream stream) {
    auto status = Poison<aclrtStreamStatus>();
    ExpectOk("aclrtStreamQuery", aclrtStreamQuery(stream, &status));
    EXPECT_TRUE(status == ACL_STREAM_STATUS_COMPLETE || status == ACL_STREAM_STATUS_NOT_READY);
    return status == ACL_STREAM_STATUS_COMPLETE;
}

// Checks that the stream has pending work for a while.
inline void ExpectStuck(aclrtStream stream) {
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20));
}

// Whether the latest record of `event` is complete.
inline bool IsComplete(aclrtEvent event) {
    auto status = Poison<aclrtEventRecordedStatus>();
    ExpectOk("aclrtQueryEventStatus", aclrtQueryEventStatus(event, &status));
    EXPECT_TRUE(status == ACL_EVENT_RECORDED_STATUS_COMPLETE || status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

// Returns bytes without a pattern that a wrong copy could repeat. Each seed gives other bytes.
inline std::vector<unsigned char> Pattern(size_t size, uint32_t seed = 1) {
    std::vector<unsigned char> bytes(size);
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < size; i += sizeof state) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        std::memcpy(&bytes[i], &state, std::min(sizeof state, size - i));
    }
    return bytes;
}

}  // namespace portacl_test
