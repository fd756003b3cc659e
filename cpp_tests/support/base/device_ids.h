#pragma once

#include <string>

namespace portacl_test {

// What a text says about ids of devices, of which there are `count`.
template <typename Count>
std::string AllowedIds(Count count) {
    return count == 1 ? "0, the id of the only device" : std::to_string(count) + " devices";
}

}  // namespace portacl_test
