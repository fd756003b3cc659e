#include "watch/groups.h"

#include <algorithm>
#include <cstring>

namespace hccl {

namespace {

// The ranks that a text names. The rest is counted.
constexpr size_t kMostNamed = 8;

struct GroupHead {
    uint64_t id;
    uint32_t ranks;
    uint32_t place;
};

bool Contains(const std::vector<uint32_t>& ranks, uint32_t rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

std::string AndMore(size_t count) {
    return count > kMostNamed ? " and " + std::to_string(count - kMostNamed) + " more" : "";
}

}  // namespace

std::string GroupCall::Name() const {
    std::string text = "id " + std::to_string(id) + (ranks.size() == 1 ? " of rank " : " of ranks ");
    for (size_t index = 0; index < std::min(ranks.size(), kMostNamed); index++) {
        text += (index == 0 ? "" : ", ") + std::to_string(ranks[index]);
    }
    return text + AndMore(ranks.size());
}

std::string GroupCall::Text() const {
    return std::string(kCreateGroup) + ' ' + Name() + (place.empty() ? "" : " at " + place);
}

std::string GroupCall::Pack() const {
    const GroupHead head = {id, static_cast<uint32_t>(ranks.size()), static_cast<uint32_t>(place.size())};
    std::string packed(reinterpret_cast<const char*>(&head), sizeof head);
    packed.append(reinterpret_cast<const char*>(ranks.data()), ranks.size() * sizeof ranks[0]);
    return packed + place + info;
}

std::optional<GroupCall> GroupCall::Unpack(const std::string& packed) {
    GroupHead head = {};
    if (packed.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, packed.data(), sizeof head);
    const uint64_t bytes = uint64_t{head.ranks} * sizeof(uint32_t);
    if (head.ranks == 0 || packed.size() - sizeof head < bytes + head.place) return std::nullopt;
    GroupCall call;
    call.id = head.id;
    call.ranks.resize(head.ranks);
    std::memcpy(call.ranks.data(), packed.data() + sizeof head, bytes);
    call.place = packed.substr(sizeof head + bytes, head.place);
    call.info = packed.substr(sizeof head + bytes + head.place);
    return call;
}

GroupTable::Groups::const_iterator GroupTable::Find(uint32_t rank, uint32_t number) const {
    return std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& group) {
        const auto found = group.second.find(rank);
        return found != group.second.end() && found->second.number == number;
    });
}

std::optional<std::pair<uint32_t, uint32_t>> GroupTable::Opposed(const Groups::const_iterator& one,
                                                                 const Groups::const_iterator& other) {
    for (const auto& [rank, waiting] : one->second) {
        // One that waits in both, in two threads, is there.
        if (other->second.count(rank) != 0 || !Contains(other->first.second, rank)) continue;
        for (const auto& [peer, peer_waiting] : other->second) {
            if (one->second.count(peer) == 0 && Contains(one->first.second, peer)) return std::pair(rank, peer);
        }
    }
    return std::nullopt;
}

std::string GroupTable::Mismatch(const Groups::const_iterator& one, const Groups::const_iterator& other,
                                 const std::pair<uint32_t, uint32_t>& ranks) {
    const auto of = [](const Groups::const_iterator& group, uint32_t rank) {
        return "rank " + std::to_string(rank) + ": " + group->second.at(rank).call.Text();
    };
    std::string first = of(one, ranks.first);
    std::string second = of(other, ranks.second);
    if (ranks.second < ranks.first) std::swap(first, second);
    return "the calls of the ranks do not match: " + first + "; " + second +
           "; pass the same id, and the same ranks in the same order, in all members";
}

void GroupTable::End(const Groups::const_iterator& group, HcclResult code, const std::string& text,
                     std::vector<Answer>& answers) {
    for (const auto& [rank, waiting] : group->second) answers.push_back({rank, waiting.number, code, text});
    waiting_.erase(group);
}

std::vector<GroupTable::Answer> GroupTable::Arrive(uint32_t rank, uint32_t number, GroupCall call) {
    for (const uint32_t member : call.ranks) {
        if (left_.count(member) == 0) continue;
        return {{rank, number, HCCL_E_REMOTE,
                 "rank " + std::to_string(member) +
                     " has left the communicator; create groups before HcclCommDestroy and the end of the process"}};
    }
    const Key key(call.id, call.ranks);
    const auto own = waiting_.try_emplace(key).first;
    if (!own->second.try_emplace(rank, Waiting{number, std::move(call)}).second) {
        return {{rank, number, HCCL_E_PARA,
                 "id is " + std::to_string(key.first) +
                     ", with which another thread of this rank creates a group of the same ranks now; pass another "
                     "id"}};
    }
    std::vector<Answer> answers;
    if (own->second.size() == key.second.size()) {
        const std::string info = own->second.at(key.second.front()).call.info;
        End(own, HCCL_SUCCESS, info, answers);
        return answers;
    }
    // Groups of one rank that exist at the same time have different ids.
    for (auto other = waiting_.begin(); other != waiting_.end(); ++other) {
        if (other == own || other->first.first != key.first) continue;
        const auto opposed = Opposed(own, other);
        if (!opposed) continue;
        const std::string text = Mismatch(own, other, *opposed);
        End(other, HCCL_E_PARA, text, answers);
        End(own, HCCL_E_PARA, text, answers);
        return answers;
    }
    return answers;
}

std::vector<GroupTable::Answer> GroupTable::Cancel(uint32_t rank, uint32_t number, const CallTable* calls) {
    const auto own = Find(rank, number);
    std::vector<Answer> answers;
    if (own == waiting_.end()) return answers;
    for (auto other = waiting_.cbegin(); other != waiting_.cend(); ++other) {
        const auto opposed = other == own ? std::nullopt : Opposed(own, other);
        if (!opposed) continue;
        const std::string text = Mismatch(own, other, *opposed);
        End(other, HCCL_E_PARA, text, answers);
        End(own, HCCL_E_PARA, text, answers);
        return answers;
    }
    answers.push_back({rank, number, HCCL_E_INTERNAL,
                       "some members have not called HcclCreateSubCommConfig in time: " + Missing(rank, number, calls) +
                           "; let all members call it, or set HCCL_CONNECT_TIMEOUT to more seconds"});
    auto& group = waiting_.at(own->first);
    group.erase(rank);
    if (group.empty()) waiting_.erase(own);
    return answers;
}

std::vector<GroupTable::Answer> GroupTable::Leave(uint32_t rank) {
    left_.insert(rank);
    std::vector<Answer> answers;
    for (auto group = waiting_.cbegin(); group != waiting_.cend();) {
        const auto next = std::next(group);
        if (Contains(group->first.second, rank)) {
            End(group, HCCL_E_REMOTE,
                "rank " + std::to_string(rank) +
                    " has left the communicator before it called HcclCreateSubCommConfig; create groups before "
                    "HcclCommDestroy and the end of the process",
                answers);
        }
        group = next;
    }
    return answers;
}

std::string GroupTable::Missing(uint32_t rank, uint32_t number, const CallTable* calls) const {
    const auto own = Find(rank, number);
    if (own == waiting_.end()) return "";
    for (auto other = waiting_.begin(); other != waiting_.end(); ++other) {
        if (other == own) continue;
        if (const auto opposed = Opposed(own, other)) return Mismatch(own, other, *opposed);
    }
    std::string text;
    size_t count = 0;
    for (const uint32_t member : own->first.second) {
        if (own->second.count(member) != 0 || ++count > kMostNamed) continue;
        const std::string where = Where(member);
        text += (text.empty() ? "rank " : "; rank ") + std::to_string(member) + " has not arrived";
        if (!where.empty()) text += ", and waits in " + where;
        if (where.empty() && calls != nullptr) text += ", " + calls->Where(member);
    }
    return text + AndMore(count);
}

std::string GroupTable::Where(uint32_t rank) const {
    std::string text;
    for (const auto& [key, group] : waiting_) {
        const auto found = group.find(rank);
        if (found != group.end()) text += (text.empty() ? "" : ", and in ") + found->second.call.Text();
    }
    return text;
}

}  // namespace hccl
