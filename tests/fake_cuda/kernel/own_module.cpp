#include "kernel/own_module.h"

#include "transfer/random_num.h"

#include <cstring>

namespace fake {
namespace {

template <typename T>
T argument(const std::vector<uint8_t>& arguments, size_t offset) {
    T value;
    memcpy(&value, arguments.data() + offset, sizeof value);
    return value;
}

// The word at an address of the device; false if there is none.
bool read(const Reach& reach, const char* name, uint64_t address, uint64_t* value) {
    const uint8_t* const word = reach(name, address, 1, sizeof *value);
    if (word == nullptr) return false;
    memcpy(value, word, sizeof *value);
    return true;
}

// memcpy_indirect.ptx
bool memcpy_indirect(const std::vector<uint8_t>& arguments, const Grid&, const Reach& reach, const AddressOf&) {
    const auto value = [&](size_t index) { return argument<uint64_t>(arguments, 8 * index); };
    uint64_t to = 0;
    uint64_t from = 0;
    uint64_t count = value(5);
    if (!read(reach, "dst_at", value(0), &to) || !read(reach, "src_at", value(2), &from)) {
        return false;
    }
    if (value(4) != 0 && !read(reach, "len_at", value(4), &count)) return false;
    if (count == 0) return true;
    uint8_t* const dst = reach("dst", to + value(1), count, 1);
    const uint8_t* const src = dst == nullptr ? nullptr : reach("src", from + value(3), count, 1);
    if (src == nullptr) return false;
    memmove(dst, src, count);
    return true;
}

}  // namespace

UserKernel find_own_kernel(const std::string& name) {
    if (name == "portacl_memcpy_indirect") return memcpy_indirect;
    return find_random_num_kernel(name);
}

}  // namespace fake
