// The offsets of the callback slots, for each table of callbacks of a Paddle release. The size
// identifies a table: Paddle moves slots without a new version of the interface.
#pragma once

#include <cstddef>

namespace portacl_paddle {

struct Release {
    const char* versions;
    std::size_t table;   // size of C_DeviceInterface
    std::size_t params;  // size of CustomRuntimeParams
};

inline constexpr Release kReleases[] = {
#define PORTACL_PADDLE_RELEASE(column, versions, table, params) {versions, table, params},
#define PORTACL_PADDLE_SLOT(name, ...)
#include "base/slots.inc"
#undef PORTACL_PADDLE_RELEASE
#undef PORTACL_PADDLE_SLOT
};

// For each callback: its offset in each release, 0 if the release has no such slot.
namespace slot_of {
#define PORTACL_PADDLE_RELEASE(column, versions, table, params)
#define PORTACL_PADDLE_SLOT(name, ...) inline constexpr std::size_t name[] = {__VA_ARGS__};
#include "base/slots.inc"
#undef PORTACL_PADDLE_RELEASE
#undef PORTACL_PADDLE_SLOT
}  // namespace slot_of

// The column of the release whose table has this size; -1 if there is none.
constexpr int ColumnOf(std::size_t table) {
    int column = 0;
    for (const Release& release : kReleases) {
        if (release.table == table) return column;
        ++column;
    }
    return -1;
}

}  // namespace portacl_paddle
