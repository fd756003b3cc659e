// The bytes of one input, read as numbers. After the last byte all numbers are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace portacl_fuzz {

using Bytes = std::vector<uint8_t>;

class Input {
  public:
    explicit Input(Bytes bytes) : bytes_(std::move(bytes)) {}

    bool IsAtEnd() const { return at_ >= bytes_.size(); }

    uint8_t Byte() { return IsAtEnd() ? 0 : bytes_[at_++]; }

    uint32_t Word() {
        const uint32_t low = Byte();
        return low | static_cast<uint32_t>(Byte()) << 8;
    }

    // A number of bytes: mostly small, sometimes 0, odd, huge or the largest.
    size_t Size() {
        const uint8_t kind = Byte();
        switch (kind % 8) {
            case 0:
                return 0;
            case 1:
                return SIZE_MAX - kind / 8;
            case 2:
                // A size that fits every device, or none: locking nearly all memory takes seconds.
                return size_t{1} << (kind < 128 ? kind / 64 + 20 : kind / 32 + 44);
            case 3:
                return Word();
            default:
                return size_t{64} << kind / 8 % 8;
        }
    }

    // An enumerator: one of the first `known`, or occasionally any number.
    int Enumerator(int known) {
        const uint8_t value = Byte();
        return value < 224 ? value % known : static_cast<int>(value * 0x01000193U);
    }

  private:
    Bytes bytes_;
    size_t at_ = 0;
};

}  // namespace portacl_fuzz
