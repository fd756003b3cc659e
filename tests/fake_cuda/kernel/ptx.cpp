#include "kernel/ptx.h"

#include <cctype>
#include <cstdio>

#include "base/call.h"
#include "kernel/module.h"
#include "memory/memory.h"

namespace fake {

uint64_t hash_of(const std::string& text) {
    uint64_t hash = 0xCBF29CE484222325u;
    const auto add = [&hash](char byte) { hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001B3u; };
    bool begun = false;
    bool space = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 2, "//") == 0) i = std::min(text.find('\n', i), text.size());
        if (i == text.size() || isspace(static_cast<unsigned char>(text[i])) != 0) {
            space = true;
            continue;
        }
        if (space && begun) add(' ');
        space = false;
        begun = true;
        add(text[i]);
    }
    return hash;
}

Accessor::~Accessor() {
    // Memory is freed under the lock only.
    const Lock lock(state().mutex);
    kept_.clear();
}

uint64_t Accessor::variable(const char* name) const {
    return function_.variables.at(name).address;
}

// Returns the host's address of memory that a kernel accesses. For a bad address it throws the device's failure and,
// unlike a device, prints the reason.
uint8_t* Accessor::find(uint64_t address, uint64_t size) {
    const Lock lock(state().mutex);
    const auto fail = [&](CUresult code, const char* why) {
        char text[200];
        snprintf(text, sizeof text, "an access to %llu bytes at 0x%llx %s", static_cast<unsigned long long>(size),
                 static_cast<unsigned long long>(address), why);
        report_misuse(function_.name.c_str(), text);
        throw code;
    };
    if (address % size != 0) fail(CUDA_ERROR_MISALIGNED_ADDRESS, "is not aligned");
    const auto block = find_block(address);
    const Context& here = *function_.context;
    if (block == nullptr) fail(CUDA_ERROR_ILLEGAL_ADDRESS, "is in no live device or pinned memory");
    const uint64_t offset = address - block->address;
    if (size > block->size - offset) fail(CUDA_ERROR_ILLEGAL_ADDRESS, "crosses the end of the memory");
    if (block->kind == BlockKind::kDevice && block->context != &here &&
        here.peers.count(block->context->ordinal) == 0) {
        fail(CUDA_ERROR_ILLEGAL_ADDRESS, "is in memory of another context without peer access");
    }
    if (block->kind == BlockKind::kMapped) {
        const auto access = block->access.find(here.ordinal);
        if (access == block->access.end() || access->second != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
            fail(CUDA_ERROR_ILLEGAL_ADDRESS, "is in a mapping without access");
        }
    }
    latest_[next_] = {block->address, block->size, block->bytes};
    next_ = (next_ + 1) % latest_.size();
    kept_.push_back(block);
    return block->bytes + offset;
}

float single_of_half(uint16_t half) {
    const int exponent = half >> 10 & 31;
    const int fraction = half & 1023;
    const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
    if (exponent == 31) return fraction != 0 ? canonical(NAN) : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
    return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

uint16_t half_of_single(float value) {
    if (std::isnan(value)) return 0x7FFF;
    const int sign = std::signbit(value) ? 0x8000 : 0;
    const float magnitude = std::fabs(value);
    // From half way between the largest number and the next power of two, the result is infinity.
    if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7C00);
    const int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
    // The rounding is in units of the last place, to the nearest even. A carry into the next power of two is right,
    // because the exponent is above the fraction.
    const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    return static_cast<uint16_t>(sign | ((exponent + 14) * 1024 + units));
}

}  // namespace fake
