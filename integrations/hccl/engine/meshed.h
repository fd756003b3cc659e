// An engine whose ranks are connected: a module moves the data, in tasks of the stream, and the hub reports failures.
#pragma once

#include "engine/engine.h"
#include "engine/mover.h"
#include "watch/member.h"

namespace hccl {

// `who`: the rank, for traces. `about`: which ranks they are, if the communicator is a group; for texts of failures.
std::shared_ptr<Engine> NewMeshedEngine(std::unique_ptr<Mover> mover, std::unique_ptr<Member> member, std::string who,
                                        std::string about);

}  // namespace hccl
