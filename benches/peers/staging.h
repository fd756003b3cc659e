// Copies of pageable memory through two alternating pinned chunks: an alternative to the driver's
// copies, which use such chunks themselves.
#pragma once

#include <algorithm>
#include <cstring>

#include "cuda_driver.h"

namespace cuda {

class Staging {
  public:
    explicit Staging(const Driver& raw) : raw_(raw) {
        for (StagingChunk& half : halves_) {
            raw_.HostAlloc(&half.chunk, kChunk, 0);
            raw_.EventCreate(&half.done, kNoTiming);
        }
    }
    ~Staging() {
        for (const StagingChunk& half : halves_) {
            raw_.EventDestroy(half.done);
            raw_.FreeHost(half.chunk);
        }
    }
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    // The host fills one chunk while the device reads the other. Returns when the copy is complete.
    void In(Address to, const char* from, std::size_t bytes, StreamHandle stream) {
        for (std::size_t at = 0, turn = 0; at < bytes; at += kChunk, turn ^= 1) {
            const StagingChunk& half = halves_[turn];
            const std::size_t size = std::min(kChunk, bytes - at);
            raw_.EventSynchronize(half.done);
            std::memcpy(half.chunk, from + at, size);
            raw_.CopyIn(to + at, half.chunk, size, stream);
            raw_.EventRecord(half.done, stream);
        }
        raw_.StreamSynchronize(stream);
    }

    // The device fills one chunk while the host reads the other.
    void Out(char* to, Address from, std::size_t bytes, StreamHandle stream) {
        const auto begin = [&](std::size_t at, const StagingChunk& half) {
            if (at >= bytes) return;
            raw_.CopyOut(half.chunk, from + at, std::min(kChunk, bytes - at), stream);
            raw_.EventRecord(half.done, stream);
        };
        begin(0, halves_[0]);
        for (std::size_t at = 0, turn = 0; at < bytes; at += kChunk, turn ^= 1) {
            begin(at + kChunk, halves_[turn ^ 1]);
            raw_.EventSynchronize(halves_[turn].done);
            std::memcpy(to + at, halves_[turn].chunk, std::min(kChunk, bytes - at));
        }
    }

  private:
    static constexpr std::size_t kChunk = std::size_t{4} << 20;
    struct StagingChunk {
        void* chunk = nullptr;
        // The device has finished with the chunk.
        EventHandle done = nullptr;
    };

    const Driver& raw_;
    StagingChunk halves_[2];
};

}  // namespace cuda
