#pragma once

#include <gloo/transport/device.h>

#include <cstddef>
#include <vector>

namespace gloo::transport::tcp {

// As large as the real one or larger: only functions of libtorch_cpu look into it.
class Address {
  public:
    ~Address() {}
    // A sockaddr_storage and a number.
    std::vector<char> bytes() const;

  private:
    alignas(std::max_align_t) char room_[1024];
};

class Device {
  public:
    Address nextAddress();
};

}  // namespace gloo::transport::tcp
