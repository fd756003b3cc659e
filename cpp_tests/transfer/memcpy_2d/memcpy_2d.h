// Copies of rows: both calls, and the bytes that a copy must yield.
#pragma once

#include <functional>

#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"

namespace portacl_test {

using Bytes = std::vector<unsigned char>;

constexpr int kUp = ACL_MEMCPY_HOST_TO_DEVICE;
constexpr int kDown = ACL_MEMCPY_DEVICE_TO_HOST;
constexpr int kOver = ACL_MEMCPY_DEVICE_TO_DEVICE;

// Both calls under one signature; a synchronize follows the second.
struct Copier {
    const char* name;
    bool asynchronous;
    std::function<aclError(void*, size_t, const void*, size_t, size_t, size_t, int)> call;
    size_t max_height;
};

inline std::vector<Copier> Copiers() {
    return {{"aclrtMemcpy2d", false,
             [](void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height, int kind) {
                 return aclrtMemcpy2d(dst, dpitch, src, spitch, width, height, static_cast<aclrtMemcpyKind>(kind));
             },
             5000000},
            {"aclrtMemcpy2dAsync", true,
             [](void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height, int kind) {
                 const aclError code = aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height,
                                                          static_cast<aclrtMemcpyKind>(kind), nullptr);
                 if (code != 0) return code;
                 return aclrtSynchronizeStream(nullptr);
             },
             5242880}};
}

struct Shape {
    size_t width, height, dpitch, spitch;

    size_t DstSize() const { return (height - 1) * dpitch + width; }
    size_t SrcSize() const { return (height - 1) * spitch + width; }

    // `before` with the rows of `src` copied into it.
    Bytes Copied(const Bytes& src, Bytes before) const {
        for (size_t row = 0; row < height; ++row)
            std::copy_n(src.begin() + std::ptrdiff_t(row * spitch), width,
                        before.begin() + std::ptrdiff_t(row * dpitch));
        return before;
    }
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << shape.width << " bytes, " << shape.height << " rows, pitches " << shape.dpitch << " and "
               << shape.spitch;
}

constexpr Shape kShape{5, 3, 16, 8};

}  // namespace portacl_test
