// PORTACL_CHECK=collectives: what each rank calls, compared in the hub before it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hccl {

// What a rank is about to run.
struct Call {
    enum Form : int32_t { kAll, kSend, kRecv, kBatch };

    Form form = kAll;
    // The other rank of a send or receive.
    uint32_t peer = 0;
    // The operations of a rank are numbered from 1.
    uint64_t number = 0;
    // The function, type, count, reduction and root: equal for calls that fit each other. Of a send and a receive the
    // part behind the function.
    std::string function;
    std::string elements;
    // The source line, or an empty text.
    std::string place;

    // "HcclAllReduce float32 1024 sum"
    std::string Name() const;
    // "HcclAllReduce float32 1024 sum at train.py:31 (operation 4)"
    std::string Text() const;
    // For the way to the hub.
    std::string Pack() const;
    // Returns nothing for a text that no rank sends.
    static std::optional<Call> Unpack(const std::string& packed);
};

// Why ranks can never go on.
struct Mismatch {
    struct Side {
        uint32_t rank;
        // None if the rank has left.
        std::optional<Call> call;
    };

    // For errors: both sides, and the advice. Empty if the ranks can go on.
    std::string text;
    std::string advice;
    std::vector<Side> sides;

    // For the way from the hub.
    std::string Pack() const;
    // Returns nothing for a text that no hub sends.
    static std::optional<Mismatch> Unpack(const std::string& packed);
};

// The calls of all ranks of a communicator. A rank waits until those that it needs have made a call that fits.
class CallTable {
  public:
    struct Verdict {
        // The ranks that may go on.
        std::vector<uint32_t> released;
        Mismatch mismatch;
    };

    explicit CallTable(uint32_t size) : ranks_(size) {}

    Verdict Arrive(uint32_t rank, Call call);
    // No call of the rank comes any more. A send or receive that waits for it runs, and fails.
    Verdict Leave(uint32_t rank);
    // For which ranks a rank waits, and where they are.
    std::string Missing(uint32_t rank) const;
    // Where a rank is that has not arrived, for such texts.
    std::string Where(uint32_t rank) const;

  private:
    struct Place {
        // The latest call.
        std::optional<Call> call;
        bool is_waiting = false;
        bool has_left = false;
        // Since the last collective it has run a batch, or exchanged with a rank that had.
        bool is_loose = false;
    };

    void Release(uint32_t rank, Verdict& verdict);
    // The ranks call what does not fit.
    Mismatch MismatchOf(uint32_t one, uint32_t other) const;
    // The mismatch of a collective that waits, and a rank that has left; empty if there are no such ranks.
    Mismatch NeedsALeftRank() const;
    // Whether two waiting ranks can never go on.
    bool AreOpposed(uint32_t one, uint32_t other) const;
    // Whether the call of one rank is the other half of that of another.
    bool ArePair(uint32_t one, uint32_t other) const;

    std::vector<Place> ranks_;
};

}  // namespace hccl
