#include "user_kernel.h"

#include <cstring>

namespace fake {
namespace {

template <typename T>
T argument(const std::vector<uint8_t>& arguments, size_t offset) {
    T value;
    memcpy(&value, arguments.data() + offset, sizeof value);
    return value;
}

// samples/kernels/vector_add.ptx: out[i] = a[i] + b[i], with any number of threads.
bool vector_add(const std::vector<uint8_t>& arguments, const Grid&, const Reach& reach) {
    const auto count = argument<uint64_t>(arguments, 24);
    if (count == 0) return true;
    uint8_t* places[3];
    for (size_t i = 0; i < 3; ++i) {
        const char* const names[] = {"out", "a", "b"};
        places[i] = reach(names[i], argument<uint64_t>(arguments, 8 * i), count, sizeof(float));
        if (places[i] == nullptr) return false;
    }
    for (size_t i = 0; i < count; ++i) {
        float a = 0;
        float b = 0;
        memcpy(&a, places[1] + i * sizeof a, sizeof a);
        memcpy(&b, places[2] + i * sizeof b, sizeof b);
        a += b;
        memcpy(places[0] + i * sizeof a, &a, sizeof a);
    }
    return true;
}

// cpp_tests/kernels/kernels.ptx: each thread adds a number to its own word.
bool mark(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach) {
    const auto number = argument<uint32_t>(arguments, 8);
    uint8_t* const words =
        reach("words", argument<uint64_t>(arguments, 0), grid.count(), sizeof(uint32_t));
    if (words == nullptr) return false;
    for (uint64_t i = 0; i < grid.count(); ++i) {
        uint32_t word = 0;
        memcpy(&word, words + i * sizeof word, sizeof word);
        word += number;
        memcpy(words + i * sizeof word, &word, sizeof word);
    }
    return true;
}

bool nothing(const std::vector<uint8_t>&, const Grid&, const Reach&) {
    return true;
}

}  // namespace

UserKernel find_user_kernel(const std::string& name) {
    if (name == "vector_add") return vector_add;
    if (name == "mark") return mark;
    if (name == "nothing") return nothing;
    // benches/kernels/blocks.ptx: takes time, and leaves nothing behind.
    if (name == "work") return nothing;
    return nullptr;
}

}  // namespace fake
