// A hub in the process of a test.
#pragma once

#include "watch/hub.h"
#include "watch/invitation.h"
#include "watch/socket.h"

namespace hccl {

inline Invitation NewHub() {
    Invitation invitation = {};
    invitation.secret = NewSecret();
    invitation.address = "127.0.0.1";
    invitation.port = StartHub(invitation.address, invitation.secret);
    return invitation;
}

inline Clock::time_point Soon() {
    return Clock::now() + std::chrono::seconds(20);
}

}  // namespace hccl
