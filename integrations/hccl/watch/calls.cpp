#include "watch/calls.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hccl {

namespace {

// The ranks that are named as awaited. The rest is counted.
constexpr size_t kMostAwaited = 8;

struct PackedHead {
    int32_t form;
    uint32_t peer;
    uint64_t number;
};

struct PackedSide {
    uint32_t rank;
    // The bytes of the call; 0: none.
    uint32_t length;
};

// Takes a text up to the next line break.
std::string TakeLine(const std::string& text, size_t& at) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    return line;
}

}  // namespace

std::string Call::Name() const {
    std::string text = function;
    if (form == kSend) text += " to rank " + std::to_string(peer);
    if (form == kRecv) text += " from rank " + std::to_string(peer);
    return elements.empty() ? text : text + ' ' + elements;
}

std::string Call::Text() const {
    std::string text = Name();
    if (!place.empty()) text += " at " + place;
    return text + " (operation " + std::to_string(number) + ")";
}

std::string Call::Pack() const {
    const PackedHead head = {form, peer, number};
    std::string packed(reinterpret_cast<const char*>(&head), sizeof head);
    return packed + function + '\n' + elements + '\n' + place;
}

std::optional<Call> Call::Unpack(const std::string& packed) {
    PackedHead head = {};
    if (packed.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, packed.data(), sizeof head);
    if (head.form < kAll || head.form > kBatch) return std::nullopt;
    Call call;
    call.form = static_cast<Form>(head.form);
    call.peer = head.peer;
    call.number = head.number;
    size_t at = sizeof head;
    call.function = TakeLine(packed, at);
    call.elements = TakeLine(packed, at);
    call.place = TakeLine(packed, at);
    return call;
}

std::string Mismatch::Pack() const {
    std::string packed = text + '\n' + advice + '\n';
    for (const Side& side : sides) {
        const std::string call = side.call ? side.call->Pack() : "";
        const PackedSide head = {side.rank, static_cast<uint32_t>(call.size())};
        packed.append(reinterpret_cast<const char*>(&head), sizeof head);
        packed += call;
    }
    return packed;
}

std::optional<Mismatch> Mismatch::Unpack(const std::string& packed) {
    Mismatch mismatch;
    size_t at = 0;
    mismatch.text = TakeLine(packed, at);
    mismatch.advice = TakeLine(packed, at);
    while (at < packed.size()) {
        PackedSide head = {};
        if (packed.size() - at < sizeof head) return std::nullopt;
        std::memcpy(&head, packed.data() + at, sizeof head);
        at += sizeof head;
        if (packed.size() - at < head.length) return std::nullopt;
        mismatch.sides.push_back({head.rank, Call::Unpack(packed.substr(at, head.length))});
        at += head.length;
    }
    return mismatch;
}

void CallTable::Release(uint32_t rank, Verdict& verdict) {
    ranks_[rank].is_waiting = false;
    verdict.released.push_back(rank);
}

Mismatch CallTable::MismatchOf(uint32_t one, uint32_t other) const {
    const auto [first, second] = std::minmax(one, other);
    const auto of = [&](uint32_t rank) {
        const std::string name = "rank " + std::to_string(rank);
        return ranks_[rank].has_left ? name + " has left" : name + ": " + ranks_[rank].call->Text();
    };
    const auto is_of_all = [&](uint32_t rank) {
        return ranks_[rank].has_left || ranks_[rank].call->form == Call::kAll;
    };
    const char* const advice = is_of_all(first) && is_of_all(second)
                                   ? "let all ranks call the same operations in the same order"
                                   : "let each HcclSend match an HcclRecv of the same count and type, and all ranks "
                                     "call the collectives in the same order";
    const auto side = [&](uint32_t rank) {
        return Mismatch::Side{rank, ranks_[rank].has_left ? std::nullopt : ranks_[rank].call};
    };
    return {"the calls of the ranks do not match: " + of(first) + "; " + of(second) + "; " + advice,
            advice,
            {side(first), side(second)}};
}

Mismatch CallTable::NeedsALeftRank() const {
    const auto find = [&](const auto& is_it) {
        return static_cast<uint32_t>(std::find_if(ranks_.begin(), ranks_.end(), is_it) - ranks_.begin());
    };
    const uint32_t left = find([](const Place& place) { return place.has_left; });
    const uint32_t waits = find([](const Place& place) { return place.is_waiting && place.call->form == Call::kAll; });
    return left < ranks_.size() && waits < ranks_.size() ? MismatchOf(left, waits) : Mismatch();
}

bool CallTable::ArePair(uint32_t one, uint32_t other) const {
    const Call& here = *ranks_[one].call;
    const Call& there = *ranks_[other].call;
    return there.form == (here.form == Call::kSend ? Call::kRecv : Call::kSend) && there.peer == one;
}

bool CallTable::AreOpposed(uint32_t one, uint32_t other) const {
    const Call& here = *ranks_[one].call;
    const Call& there = *ranks_[other].call;
    if (here.form == Call::kAll && there.form == Call::kAll) {
        return here.function != there.function || here.elements != there.elements;
    }
    // It is not known what one exchanges that runs a batch, or what it has sent already.
    if (ranks_[one].is_loose || ranks_[other].is_loose) return false;
    // One that waits for a rank that does something else.
    if (here.form == Call::kAll) return there.peer == one;
    if (there.form == Call::kAll) return here.peer == other;
    if (here.peer != other || there.peer != one) return false;
    return !ArePair(one, other) || here.elements != there.elements;
}

CallTable::Verdict CallTable::Arrive(uint32_t rank, Call call) {
    Verdict verdict;
    Place& own = ranks_[rank];
    if (call.peer >= ranks_.size()) call.peer = rank;
    own.call = std::move(call);
    own.is_waiting = true;
    if (own.call->form == Call::kBatch) {
        own.is_loose = true;
        Release(rank, verdict);
    } else {
        for (uint32_t other = 0; other < ranks_.size(); other++) {
            if (other == rank || !ranks_[other].is_waiting || !AreOpposed(rank, other)) continue;
            verdict.mismatch = MismatchOf(rank, other);
            return verdict;
        }
    }
    verdict.mismatch = NeedsALeftRank();
    if (!verdict.mismatch.text.empty()) return verdict;
    // A batch is not followed: a rank that exchanges with its rank goes on, and is not followed either.
    for (uint32_t other = 0; other < ranks_.size(); other++) {
        Place& there = ranks_[other];
        if (!there.is_waiting || there.call->form == Call::kAll) continue;
        const Place& peer = ranks_[there.call->peer];
        if (peer.has_left || peer.is_loose) {
            there.is_loose |= peer.is_loose;
            Release(other, verdict);
        } else if (peer.is_waiting && peer.call->form != Call::kAll && ArePair(other, there.call->peer)) {
            const uint32_t second = there.call->peer;
            Release(other, verdict);
            Release(second, verdict);
        }
    }
    const auto is_ready = [](const Place& place) { return place.is_waiting && place.call->form == Call::kAll; };
    if (!std::all_of(ranks_.begin(), ranks_.end(), is_ready)) return verdict;
    for (uint32_t other = 0; other < ranks_.size(); other++) {
        // A rank that is here has ended its exchanges.
        ranks_[other].is_loose = false;
        Release(other, verdict);
    }
    return verdict;
}

CallTable::Verdict CallTable::Leave(uint32_t rank) {
    Verdict verdict;
    ranks_[rank].has_left = true;
    ranks_[rank].is_waiting = false;
    for (uint32_t other = 0; other < ranks_.size(); other++) {
        const Place& there = ranks_[other];
        if (there.is_waiting && there.call->form != Call::kAll && there.call->peer == rank) Release(other, verdict);
    }
    verdict.mismatch = NeedsALeftRank();
    return verdict;
}

std::string CallTable::Where(uint32_t rank) const {
    const Place& place = ranks_[rank];
    if (!place.call) return "and has called nothing";
    return (place.is_waiting ? "and waits in " : "its latest call is ") + place.call->Text();
}

std::string CallTable::Missing(uint32_t rank) const {
    const Place& own = ranks_[rank];
    if (!own.is_waiting) return "";
    std::string text;
    size_t count = 0;
    for (uint32_t other = 0; other < ranks_.size(); other++) {
        const Place& there = ranks_[other];
        const bool is_needed = own.call->form == Call::kAll ? !there.is_waiting || there.call->form != Call::kAll
                                                            : own.call->peer == other;
        if (other == rank || !is_needed || there.has_left || ++count > kMostAwaited) continue;
        text += (text.empty() ? "rank " : "; rank ") + std::to_string(other) + " has not arrived, " + Where(other);
    }
    return count > kMostAwaited ? text + "; and " + std::to_string(count - kMostAwaited) + " more" : text;
}

}  // namespace hccl
