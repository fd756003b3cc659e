// Images, signals and volumes of another size, and the gradients.
#include "ops/support.h"

namespace {

// Callers pass 0 or a negative number for a scale that the sizes determine.
Optional<double> Scale(double scale) {
    return scale > 0 ? Optional<double>(scale) : kNone;
}

// Returns a scale if it leads from one size to the other. Callers pass 1 where they have sizes only.
Optional<double> Scale(double scale, int64_t from, int64_t to) {
    return static_cast<int64_t>(static_cast<double>(from) * scale) == to ? Scale(scale) : kNone;
}

// Returns a scale, or the inverse of what the caller passed, if it leads from one size to the other.
Optional<double> ScaleOrInverse(double scale, int64_t from, int64_t to) {
    const Optional<double> given = Scale(scale, from, to);
    return given || scale <= 0 ? given : Scale(1 / scale, from, to);
}

void CheckSizes(const char* name, Ints sizes, size_t count) {
    if (sizes.size() != count)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is ", sizes, "; it must have ", count,
                      count == 1 ? " element" : " elements");
}

void CheckDimensions(const at::Tensor& self, int64_t count) {
    if (self.dim() != count)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "self has the shape ", self.sizes(), "; it must have ", count,
                      " dimensions");
}

}  // namespace

// Those that take the nearest elements. Without a scale the sizes determine it.
OPERATOR(UpsampleNearest1d, (In self, Ints size, Out out), Put(out, at::upsample_nearest1d(self, size)));
OPERATOR(UpsampleNearest1dV2, (In self, Ints size, float scale, Out out),
         Put(out, at::upsample_nearest1d(self, size, Scale(scale))));
OPERATOR(UpsampleNearest1dBackward, (In grad, Ints size, Ints inputSize, double scale, Out out),
         Put(out, at::upsample_nearest1d_backward(grad, size, inputSize, Scale(scale))));
OPERATOR(UpsampleNearest2d, (In self, Ints size, Out out), Put(out, at::upsample_nearest2d(self, size)));
OPERATOR(UpsampleNearest2dV2, (In self, Ints size, float scaleH, float scaleW, Out out),
         Put(out, at::upsample_nearest2d(self, size, Scale(scaleH), Scale(scaleW))));
OPERATOR(UpsampleNearest2dBackward, (In grad, Ints size, Ints inputSize, double scaleH, double scaleW, Out out),
         Put(out, at::upsample_nearest2d_backward(grad, size, inputSize, Scale(scaleH), Scale(scaleW))));
OPERATOR(UpsampleNearest3d, (In self, Ints size, double scaleD, double scaleH, double scaleW, Out out),
         Put(out, at::upsample_nearest3d(self, size, Scale(scaleD), Scale(scaleH), Scale(scaleW))));
OPERATOR(UpsampleNearest3dBackward,
         (In grad, Ints size, Ints inputSize, double scaleD, double scaleH, double scaleW, Out out),
         Put(out, at::upsample_nearest3d_backward(grad, size, inputSize, Scale(scaleD), Scale(scaleH), Scale(scaleW))));
// The middle of an element decides which one is nearest.
OPERATOR(UpsampleNearestExact1d, (In self, Ints size, double scale, Out out), CheckDimensions(self, 3);
         CheckSizes("size", size, 1);
         Put(out, at::_upsample_nearest_exact1d(self, size, Scale(scale, self.size(2), size[0]))));
OPERATOR(UpsampleNearestExact1dBackward, (In grad, Ints size, Ints inputSize, double scale, Out out),
         CheckSizes("inputSize", inputSize, 3);
         CheckSizes("size", size, 1);
         Put(out, at::_upsample_nearest_exact1d_backward(grad, size, inputSize, Scale(scale, inputSize[2], size[0]))));
OPERATOR(UpsampleNearestExact2d, (In self, Ints size, double scaleH, double scaleW, Out out), CheckDimensions(self, 4);
         CheckSizes("size", size, 2);
         Put(out, at::_upsample_nearest_exact2d(self, size, Scale(scaleH, self.size(2), size[0]),
                                                Scale(scaleW, self.size(3), size[1]))));
OPERATOR(UpsampleNearestExact2dBackward, (In grad, Ints size, Ints inputSize, double scaleH, double scaleW, Out out),
         CheckSizes("inputSize", inputSize, 4);
         CheckSizes("size", size, 2);
         Put(out, at::_upsample_nearest_exact2d_backward(grad, size, inputSize, Scale(scaleH, inputSize[2], size[0]),
                                                         Scale(scaleW, inputSize[3], size[1]))));
OPERATOR(UpsampleNearestExact3d, (In self, Ints size, double scaleD, double scaleH, double scaleW, Out out),
         CheckDimensions(self, 5);
         CheckSizes("size", size, 3);
         Put(out, at::_upsample_nearest_exact3d(self, size, Scale(scaleD, self.size(2), size[0]),
                                                Scale(scaleH, self.size(3), size[1]),
                                                Scale(scaleW, self.size(4), size[2]))));
OPERATOR(UpsampleNearestExact3dBackward,
         (In grad, Ints size, Ints inputSize, double scaleD, double scaleH, double scaleW, Out out),
         CheckSizes("inputSize", inputSize, 5);
         CheckSizes("size", size, 3);
         Put(out, at::_upsample_nearest_exact3d_backward(grad, size, inputSize, Scale(scaleD, inputSize[2], size[0]),
                                                         Scale(scaleH, inputSize[3], size[1]),
                                                         Scale(scaleW, inputSize[4], size[2]))));

OPERATOR(UpsampleLinear1d, (In self, Ints size, bool alignCorners, double scale, Out out),
         Put(out, at::upsample_linear1d(self, size, alignCorners, Scale(scale))));
OPERATOR(UpsampleLinear1dBackward, (In grad, Ints size, Ints inputSize, bool alignCorners, double scale, Out out),
         Put(out, at::upsample_linear1d_backward(grad, size, inputSize, alignCorners, Scale(scale))));
OPERATOR(UpsampleTrilinear3d,
         (In self, Ints size, bool alignCorners, double scaleD, double scaleH, double scaleW, Out out),
         Put(out, at::upsample_trilinear3d(self, size, alignCorners, Scale(scaleD), Scale(scaleH), Scale(scaleW))));
OPERATOR(UpsampleTrilinear3dBackward,
         (In grad, Ints size, Ints inputSize, bool alignCorners, double scaleD, double scaleH, double scaleW, Out out),
         Put(out, at::upsample_trilinear3d_backward(grad, size, inputSize, alignCorners, Scale(scaleD), Scale(scaleH),
                                                    Scale(scaleW))));

// Defines an operator that interpolates between elements of an image, and its gradient.
#define SMOOTH(NAME, FUNCTION, SCALE)                                                              \
    OPERATOR(NAME, (In self, Ints size, bool alignCorners, double scaleH, double scaleW, Out out), \
             CheckDimensions(self, 4);                                                             \
             CheckSizes("size", size, 2);                                                          \
             Put(out, at::FUNCTION(self, size, alignCorners, SCALE(scaleH, self.size(2), size[0]), \
                                   SCALE(scaleW, self.size(3), size[1]))))
#define SMOOTH_BACKWARD(NAME, FUNCTION, SCALE)                                                                     \
    OPERATOR(NAME, (In grad, Ints size, Ints inputSize, bool alignCorners, double scaleH, double scaleW, Out out), \
             CheckSizes("inputSize", inputSize, 4);                                                                \
             CheckSizes("size", size, 2);                                                                          \
             Put(out, at::FUNCTION(grad, size, inputSize, alignCorners, SCALE(scaleH, inputSize[2], size[0]),      \
                                   SCALE(scaleW, inputSize[3], size[1]))))

SMOOTH(UpsampleBilinear2d, upsample_bilinear2d, Scale);
SMOOTH_BACKWARD(UpsampleBilinear2dBackward, upsample_bilinear2d_backward, Scale);
SMOOTH_BACKWARD(UpsampleBilinear2dBackwardV2, upsample_bilinear2d_backward, Scale);
SMOOTH(UpsampleBicubic2d, upsample_bicubic2d, Scale);
SMOOTH_BACKWARD(UpsampleBicubic2dBackward, upsample_bicubic2d_backward, Scale);
// Those that weigh all elements that an element of a smaller image covers.
SMOOTH(UpsampleBilinear2dAA, _upsample_bilinear2d_aa, ScaleOrInverse);
SMOOTH_BACKWARD(UpsampleBilinear2dAABackward, _upsample_bilinear2d_aa_backward, ScaleOrInverse);
SMOOTH(UpsampleBicubic2dAA, _upsample_bicubic2d_aa, ScaleOrInverse);
SMOOTH_BACKWARD(UpsampleBicubic2dAAGrad, _upsample_bicubic2d_aa_backward, ScaleOrInverse);
