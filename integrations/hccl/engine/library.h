// The module that moves data in this process. It is loaded when it is first needed.
#pragma once

#include "engine/mover.h"

namespace hccl {

// Throws a Failure that says what to install if there is none.
const MoverModule& LoadedMover();

}  // namespace hccl
