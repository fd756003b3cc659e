// What HcclRootInfo holds: where the ranks of a communicator meet.
#pragma once

#include <hccl/hccl_types.h>

#include <array>
#include <cstdint>
#include <string>

namespace hccl {

using Secret = std::array<char, 16>;

struct Invitation {
    Secret secret;
    // The hub. Port 0: none, because no address could be found; `text` says why.
    std::string address;
    uint16_t port;
    // The engine, and where its ranks meet.
    std::string engine;
    std::string meeting;
    std::string text;
};

Secret NewSecret();
void Write(const Invitation& invitation, HcclRootInfo* info);
// Throws a Failure if the bytes are not from this version of the library.
Invitation Read(const HcclRootInfo& info);

}  // namespace hccl
