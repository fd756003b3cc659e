// What differs between the two versions of the test double, beside the functions that old.map leaves out.
#pragma once

namespace fake {

struct Version {
    int driver;  // as cuDriverGetVersion returns it
    bool has_pools;
    bool has_stream_values;
};

extern const Version kVersion;

}  // namespace fake
