#include "base/arena.h"

#include "base/config.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace fake {
namespace {

void* reserve(size_t size, int protection) {
    void* address = mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) {
        perror("fake_cuda: cannot reserve address space; lower FAKE_CUDA_MEMORY");
        exit(96);
    }
    madvise(address, size, MADV_DONTDUMP);
    return address;
}

}  // namespace

Arena::Arena(size_t size, bool aliased) : size_(round_up(size, kHuge)) {
    const auto start = reinterpret_cast<uint64_t>(reserve(size_ + kHuge, PROT_NONE));
    base_ = round_up(start, kHuge);
    if (aliased) {
        alias_ = static_cast<uint8_t*>(reserve(size_, PROT_READ | PROT_WRITE));
    }
    next_ = base_;
    unused_.emplace(base_, size_);
}

uint64_t Arena::allocate(size_t size, size_t alignment) {
    size = round_up(size, kGrain);
    uint64_t address = take(config().reuse ? base_ : next_, size, alignment);
    if (address == 0) {
        address = take(base_, size, alignment);
    }
    if (address != 0) {
        next_ = address + size;
    }
    return address;
}

uint64_t Arena::take(uint64_t from, size_t size, size_t alignment) {
    auto range = unused_.upper_bound(from);
    if (range != unused_.begin()) {
        --range;
    }
    for (; range != unused_.end(); ++range) {
        const uint64_t start = range->first;
        const uint64_t end = start + range->second;
        const uint64_t address = round_up(start > from ? start : from, alignment);
        if (address >= end || end - address < size) {
            continue;
        }
        unused_.erase(range);
        if (address > start) {
            unused_.emplace(start, address - start);
        }
        if (address + size < end) {
            unused_.emplace(address + size, end - address - size);
        }
        return address;
    }
    return 0;
}

uint64_t Arena::allocate_at(uint64_t address, size_t size) {
    auto range = unused_.upper_bound(address);
    if (range == unused_.begin()) return 0;
    --range;
    const bool inside = address - range->first < range->second && size <= range->first + range->second - address;
    return inside ? take(address, round_up(size, kGrain), kGrain) : 0;
}

void Arena::free(uint64_t address, size_t size) {
    size = round_up(size, kGrain);
    auto next = unused_.lower_bound(address);
    if (next != unused_.end() && next->first == address + size) {
        size += next->second;
        next = unused_.erase(next);
    }
    if (next != unused_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == address) {
            before->second += size;
            return;
        }
    }
    unused_.emplace(address, size);
}

}  // namespace fake
