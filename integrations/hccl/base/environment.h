// Settings: environment variables, which programs for Ascend devices set, and PORTACL_HCCL.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace hccl {

// HCCL_CONNECT_TIMEOUT: how long ranks wait for each other at the start.
std::chrono::seconds ConnectTimeout();
// HCCL_EXEC_TIMEOUT: how long an operation may take. 0: no limit.
std::chrono::seconds ExecTimeout();

// Whether PORTACL_CHECK has `collectives`. The runtime has refused names that are no checks.
bool ChecksCalls();
// PORTACL_CHECK_STACKS: whether reports have source lines.
bool RecordsStacks();
// PORTACL_CHECK_WAIT_MS: after what time a wait for other ranks is reported.
std::chrono::milliseconds NoticeTime();

// PORTACL_HCCL=fake:RANK/WORLD
struct FakeWorld {
    uint32_t rank;
    uint32_t size;
};
std::optional<FakeWorld> Faked();

// The address by which other machines reach this one: that of HCCL_IF_IP, of the interface that HCCL_SOCKET_IFNAME
// names, or of the interface towards MASTER_ADDR or PADDLE_MASTER; else of the loopback interface.
std::string OwnAddress();

}  // namespace hccl
