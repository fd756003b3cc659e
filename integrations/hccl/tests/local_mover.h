// A module whose ranks are threads of one process.
#pragma once

#include <cstdint>
#include <string>

namespace hccl {

// The next operation of this rank, in any communicator, fails with this text.
void FailNext(uint32_t rank, const std::string& text);

}  // namespace hccl
