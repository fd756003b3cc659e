// The structure that get_device_properties fills: phi::DeviceProp of Paddle, a void pointer in the
// table. conformance.cpp compares it with the wheel's header.
#pragma once

#include <cstddef>
#include <string>

namespace portacl_paddle {

struct DeviceProperties {
    std::string name;
    int major;
    int minor;
    std::size_t total_memory;
    int processors;
    bool is_multi_gpu_board;
    bool integrated;
};

}  // namespace portacl_paddle
