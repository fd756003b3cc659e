// The C++ program around rust_floor.rs.

#include <cstdint>

extern "C" int32_t rust_floor(int32_t n);

int main() {
    return rust_floor(5) == 10 ? 0 : 1;
}
