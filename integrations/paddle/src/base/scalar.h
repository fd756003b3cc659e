// The structure behind a PD_Scalar: phi::Scalar, the same in Paddle 3.0.0 to 3.3.1. conformance.cpp
// compares it with the wheel's header.
#pragma once

namespace portacl_paddle {

struct Scalar {
    // The values of phi::DataType for which the kernel interface has no function.
    enum class Type : int { kComplex64 = 12, kComplex128 = 13 };

    bool from_tensor;
    Type type;
    union alignas(16) {
        float complex64[2];
        double complex128[2];
    };
};

}  // namespace portacl_paddle
