// A buffer that grows without moving: addresses are reserved once, memory is mapped as it is
// needed.
//
// Usage: sample_14_growing_buffer [MIB]
//
// Pools of deep-learning frameworks do this. Nothing is copied when the buffer grows, and pointers
// into it stay valid. A transfer crosses adjacent mappings as if they were one.

#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

// Ends the program with the library's text.
void Check(aclError code, const char* call) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "no error text");
    std::exit(1);
}

#define CHECK(call) Check(call, #call)

class GrowingBuffer {
  public:
    // Reserves addresses for at most `most` bytes, without memory.
    explicit GrowingBuffer(size_t most) {
        std::memset(&prop_, 0, sizeof prop_);
        prop_.handleType = ACL_MEM_HANDLE_TYPE_NONE;
        prop_.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
        prop_.memAttr = ACL_HBM_MEM_HUGE;
        prop_.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        CHECK(aclrtMemGetAllocationGranularity(&prop_, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &granularity_));
        CHECK(aclrtReserveMemAddress(&base_, RoundUp(most), 0, nullptr, 1));
    }

    GrowingBuffer(const GrowingBuffer&) = delete;
    GrowingBuffer& operator=(const GrowingBuffer&) = delete;

    // Grows to at least `size` bytes.
    void Grow(size_t size) {
        if (size <= size_) return;
        const size_t more = RoundUp(size - size_);
        aclrtDrvMemHandle memory = nullptr;
        CHECK(aclrtMallocPhysical(&memory, more, &prop_, 0));
        CHECK(aclrtMapMem(At(size_), more, 0, memory, 0));
        // The mapping keeps the memory.
        CHECK(aclrtFreePhysical(memory));
        mappings_.push_back(At(size_));
        size_ += more;
    }

    // Releases everything. Not a destructor, because it may fail.
    void End() {
        for (void* mapping : mappings_) CHECK(aclrtUnmapMem(mapping));
        CHECK(aclrtReleaseMemAddress(base_));
    }

    void* At(size_t offset) const { return static_cast<char*>(base_) + offset; }
    size_t Size() const { return size_; }
    size_t Parts() const { return mappings_.size(); }

  private:
    size_t RoundUp(size_t size) const { return (size + granularity_ - 1) / granularity_ * granularity_; }

    aclrtPhysicalMemProp prop_;
    size_t granularity_ = 0;
    void* base_ = nullptr;
    size_t size_ = 0;
    std::vector<void*> mappings_;
};

}  // namespace

int main(int argc, char** argv) {
    const int mebibytes = argc > 1 ? std::atoi(argv[1]) : 16;
    if (mebibytes < 1) {
        std::fprintf(stderr, "usage: %s [MIB]\n", argv[0]);
        return 2;
    }
    const size_t all = static_cast<size_t>(mebibytes) << 20;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));

    GrowingBuffer buffer(all);
    std::vector<unsigned char> data(all);
    for (size_t i = 0; i < all; ++i) data[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
    // Filled while it grows; the size doubles each time.
    size_t filled = 0;
    for (size_t size = 1 << 20; filled < all; size *= 2) {
        const size_t next = size < all ? size : all;
        buffer.Grow(next);
        CHECK(aclrtMemcpy(buffer.At(filled), next - filled, &data[filled], next - filled, ACL_MEMCPY_HOST_TO_DEVICE));
        filled = next;
    }

    // One copy across all mappings.
    std::vector<unsigned char> back(all);
    CHECK(aclrtMemcpy(back.data(), all, buffer.At(0), all, ACL_MEMCPY_DEVICE_TO_HOST));
    const bool right = back == data;
    std::printf("%zu MiB in %zu pieces of memory, side by side: %s\n", buffer.Size() >> 20, buffer.Parts(),
                right ? "all bytes are right" : "WRONG");

    buffer.End();
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return right ? 0 : 1;
}
