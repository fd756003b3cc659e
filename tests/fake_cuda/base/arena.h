// Address ranges cut out of one reservation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace fake {

// A page of the host, and a huge page.
constexpr size_t kPage = 4096;
constexpr size_t kHuge = size_t{2} << 20;

// Allocates ranges of reserved address space that the program cannot access. A freed range is
// reused as late as possible, so that stale addresses stay recognisable; with FAKE_CUDA_REUSE as soon as possible.
class Arena {
  public:
    // `aliased`: the same offsets exist a second time, readable and writable, for the driver only.
    Arena(size_t size, bool aliased);
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // Returns the address of `size` bytes at a multiple of `alignment` (a power of two), or 0. Sizes are rounded up to
    // `kGrain`.
    uint64_t allocate(size_t size, size_t alignment);

    // Allocates at `address`. Returns 0 if that range is not free.
    uint64_t allocate_at(uint64_t address, size_t size);

    // Frees a range that `allocate` returned for this size.
    void free(uint64_t address, size_t size);

    bool contains(uint64_t address) const { return address >= base_ && address - base_ < size_; }

    // Returns the driver's address of the byte at `address`. Only for an aliased arena.
    uint8_t* alias(uint64_t address) const { return alias_ + (address - base_); }

    uint64_t base() const { return base_; }
    size_t size() const { return size_; }

    // Returns the offset of the byte at `address` in the arena.
    uint64_t offset(uint64_t address) const { return address - base_; }

    static constexpr size_t kGrain = 512;

  private:
    uint64_t take(uint64_t from, size_t size, size_t alignment);

    size_t size_;
    uint64_t base_ = 0;
    uint8_t* alias_ = nullptr;
    uint64_t next_ = 0;
    std::map<uint64_t, size_t> unused_;
};

constexpr uint64_t round_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace fake
