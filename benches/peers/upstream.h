// A device without memory: it returns addresses and counts. The peers' pools need no more, and a
// real device would only make them slower.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace peers {

inline std::uint64_t RoundUp(std::uint64_t bytes, std::uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

class Upstream {
  public:
    // Drivers map memory in pages of this size.
    static constexpr std::uint64_t kPage = 2u << 20;

    std::uint64_t Take(std::uint64_t bytes) {
        // A page between two blocks: they are never neighbours.
        const std::uint64_t address = next_;
        next_ += RoundUp(bytes, kPage) + kPage;
        reserved_ += bytes;
        peak_ = std::max(peak_, reserved_);
        return address;
    }
    void Release(std::uint64_t bytes) { reserved_ -= bytes; }

    std::uint64_t reserved() const { return reserved_; }
    std::uint64_t peak() const { return peak_; }

  private:
    std::uint64_t next_ = std::uint64_t{1} << 40;
    std::uint64_t reserved_ = 0, peak_ = 0;
};

// The work of a stream as a pool sees it: recorded events, complete or not. By default everything
// is complete at once, as on an idle stream; after `hold` nothing completes until `finish`.
class StreamClock {
  public:
    std::uint64_t Record() { return ++recorded_; }
    bool IsComplete(std::uint64_t event) const { return !held_ || event <= completed_; }
    // Makes this stream wait for the other. On a device this is one more call of the driver.
    void WaitFor(const StreamClock& other) { waited_ += other.recorded_ != 0; }

    void Hold() {
        held_ = true;
        completed_ = recorded_;
    }
    void Finish() { held_ = false; }
    std::uint64_t waits() const { return waited_; }

  private:
    std::uint64_t recorded_ = 0, completed_ = 0, waited_ = 0;
    bool held_ = false;
};

}  // namespace peers
