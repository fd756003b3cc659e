// Groups within a communicator: the members meet in its hub, which passes what the first one sends to the others.
#pragma once

#include <hccl/hccl_types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "watch/calls.h"

namespace hccl {

constexpr char kCreateGroup[] = "HcclCreateSubCommConfig";

// A member's call of HcclCreateSubCommConfig.
struct GroupCall {
    uint64_t id = 0;
    // The members: ranks of the communicator. The first one is the root.
    std::vector<uint32_t> ranks;
    // The source line, or an empty text.
    std::string place;
    // What the root passes to the others.
    std::string info;

    // "id 5 of ranks 0, 2"
    std::string Name() const;
    // "HcclCreateSubCommConfig id 5 of ranks 0, 2 at train.py:31"
    std::string Text() const;
    // For the way to the hub.
    std::string Pack() const;
    // Returns nothing for a text that no rank sends.
    static std::optional<GroupCall> Unpack(const std::string& packed);
};

// The calls that wait for other members.
class GroupTable {
  public:
    // What a call waits for: the root's information, or why there is no group.
    struct Answer {
        uint32_t rank;
        // That of the call: a rank can wait in several threads.
        uint32_t number;
        HcclResult code;
        std::string text;
    };

    // Takes a call. Returns answers if it is the last member, or does not fit the call of another one.
    std::vector<Answer> Arrive(uint32_t rank, uint32_t number, GroupCall call);
    // A rank does not wait any longer. Answers it, and those whose calls do not fit. `calls`: as in Missing.
    std::vector<Answer> Cancel(uint32_t rank, uint32_t number, const CallTable* calls = nullptr);
    // A rank has left the communicator.
    std::vector<Answer> Leave(uint32_t rank);
    // For which members a call waits, and where they are; or why it waits in vain. `calls`: those of operations, or
    // null if they are not known.
    std::string Missing(uint32_t rank, uint32_t number, const CallTable* calls = nullptr) const;

  private:
    using Key = std::pair<uint64_t, std::vector<uint32_t>>;
    struct Waiting {
        uint32_t number;
        GroupCall call;
    };
    // By rank.
    using Group = std::map<uint32_t, Waiting>;
    using Groups = std::map<Key, Group>;

    // The calls in which a rank waits; empty if it does not.
    std::string Where(uint32_t rank) const;
    Groups::const_iterator Find(uint32_t rank, uint32_t number) const;
    // Two waiting members of which each is awaited by the other, in another group.
    static std::optional<std::pair<uint32_t, uint32_t>> Opposed(const Groups::const_iterator& one,
                                                                const Groups::const_iterator& other);
    // Describes the calls of both, and what to do.
    static std::string Mismatch(const Groups::const_iterator& one, const Groups::const_iterator& other,
                                const std::pair<uint32_t, uint32_t>& ranks);
    // Answers all calls of a group, and forgets them.
    void End(const Groups::const_iterator& group, HcclResult code, const std::string& text,
             std::vector<Answer>& answers);

    Groups waiting_;
    std::set<uint32_t> left_;
};

}  // namespace hccl
