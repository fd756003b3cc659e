#include "kernel/user_kernel.h"

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
bool vector_add(const std::vector<uint8_t>& arguments, const Grid&, const Reach& reach, const AddressOf&) {
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

// cpp_tests/kernels/kernels.ptx: each thread adds a number to its own word, ...
bool add_to_words(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach, uint32_t number) {
    uint8_t* const words = reach("words", argument<uint64_t>(arguments, 0), grid.count(), sizeof(uint32_t));
    if (words == nullptr) return false;
    for (uint64_t i = 0; i < grid.count(); ++i) {
        uint32_t word = 0;
        memcpy(&word, words + i * sizeof word, sizeof word);
        word += number;
        memcpy(words + i * sizeof word, &word, sizeof word);
    }
    return true;
}

bool mark(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach, const AddressOf&) {
    return add_to_words(arguments, grid, reach, argument<uint32_t>(arguments, 8));
}

// ... or a variable, ...
bool add_step(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach,
              const AddressOf& address_of) {
    const uint8_t* const step = reach("step", address_of("kernel_step"), 1, sizeof(uint32_t));
    if (step == nullptr) return false;
    uint32_t number = 0;
    memcpy(&number, step, sizeof number);
    return add_to_words(arguments, grid, reach, number);
}

// ... or both words of a structure.
bool add_pair(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach, const AddressOf&) {
    uint32_t pair[2] = {};
    const uint8_t* const bytes = reach("pair", argument<uint64_t>(arguments, 8), 2, sizeof(uint32_t));
    if (bytes == nullptr) return false;
    memcpy(pair, bytes, sizeof pair);
    return add_to_words(arguments, grid, reach, pair[0] + pair[1]);
}

// samples/kernels/scale_add.ptx: out[i] = scale * in[i] + offset, from first to end.
bool scale_add(const std::vector<uint8_t>& arguments, const Grid&, const Reach& reach, const AddressOf& address_of) {
    struct {
        uint64_t first, end;
        float offset;
    } options{};
    float scale = 0;
    const uint8_t* const bytes = reach("options", argument<uint64_t>(arguments, 16), 3, 8);
    const uint8_t* const factor = reach("scale", address_of("scale"), 1, sizeof scale);
    if (bytes == nullptr || factor == nullptr) return false;
    memcpy(&options, bytes, sizeof options);
    memcpy(&scale, factor, sizeof scale);
    if (options.first >= options.end) return true;
    uint8_t* const out = reach("out", argument<uint64_t>(arguments, 0), options.end, sizeof scale);
    const uint8_t* const in = reach("in", argument<uint64_t>(arguments, 8), options.end, sizeof scale);
    if (out == nullptr || in == nullptr) return false;
    for (uint64_t i = options.first; i < options.end; ++i) {
        float number = 0;
        memcpy(&number, in + i * sizeof number, sizeof number);
        number = scale * number + options.offset;
        memcpy(out + i * sizeof number, &number, sizeof number);
    }
    return true;
}

bool nothing(const std::vector<uint8_t>&, const Grid&, const Reach&, const AddressOf&) {
    return true;
}

}  // namespace

UserKernel find_user_kernel(const std::string& name) {
    if (name == "vector_add") return vector_add;
    if (name == "mark") return mark;
    if (name == "scale_add") return scale_add;
    if (name == "add_step") return add_step;
    if (name == "add_pair") return add_pair;
    if (name == "nothing") return nothing;
    // benches/kernels/blocks.ptx: takes time, and has no result.
    if (name == "work") return nothing;
    return nullptr;
}

}  // namespace fake
