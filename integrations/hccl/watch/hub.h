// The hub of a communicator, in the process that called HcclGetRootInfo: each rank keeps a connection to it. It sends a
// message to all ranks when they have joined, when one has failed, and when the process of one has ended. No data
// passes it.
#pragma once

#include <cstdint>
#include <string>

#include "watch/invitation.h"

namespace hccl {

// Kinds of messages. `Hello` comes first, with the size of the world as its code. Its text is the secret, and the marks
// below that hold.
enum MessageKind : uint32_t {
    kHello = 1,  // rank to hub; rank: the own
    kWelcome,    // hub to rank: all are there; rank: the one in the hub's process, or kNoRank
    kAsk,        // rank to hub: which ranks are missing, at the start or for the call of this one?
    kMissing,    // hub to rank; text: the ranks
    kFailed,     // either way; rank, code, text: who failed, and how
    kLeave,      // rank to hub: its end is no failure
    kHubLeaves,  // hub to rank: nor is that of the hub
    kLeft,       // hub to rank: that rank has left
    kCall,       // rank to hub; text: what the rank is about to run (calls.h)
    kGo,         // hub to rank: the other ranks have made calls that fit
    kTexts,      // rank to hub; text: one for each rank, all of one length. Back, when all have sent theirs: what each
                 // sent to this one
    kGroup,      // rank to hub; text: a call of HcclCreateSubCommConfig (groups.h), rank: its number. Back: the number,
                 // and the root's information, or a code and why there is no group
    kGroupAsk,   // rank to hub; rank: the number of such a call, of which members are missing. Back; text: they
    kGroupEnd,   // rank to hub; rank: the number of such a call, which ends. The answer is a kGroup
    kMismatch,   // hub to rank; text: calls that do not fit (calls.h)
};

// The rank is in the hub's process.
constexpr char kHereMark = '.';
// The rank reports its calls.
constexpr char kCallsMark = 'c';

constexpr uint32_t kNoRank = UINT32_MAX;
constexpr uint32_t kMostRanks = 65536;

// Starts a hub at an address of this machine, and returns its port. Its thread ends when all ranks have joined and
// left.
uint16_t StartHub(const std::string& address, const Secret& secret);
// Whether this process has started the hub with that secret, and it still runs.
bool IsHubHere(const Secret& secret);
// Ends a hub of this process that no rank joins.
void EndHub(const Secret& secret);

}  // namespace hccl
