// The sockets of a group. Gloo cannot interrupt an operation, but the operation fails when its sockets are shut down.
#pragma once

#include <gloo/transport/device.h>

#include <memory>
#include <set>
#include <string>

namespace hccl {

// Returns the address at which a device of Gloo accepts connections, as "ADDRESS PORT".
std::string AddressOf(const std::shared_ptr<gloo::transport::Device>& device);

// Shuts down all connections of this process that were accepted at the own address or made to another's.
void ShutDown(const std::string& own, const std::set<std::string>& others) noexcept;

}  // namespace hccl
