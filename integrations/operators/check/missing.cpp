// Operators that are missing and for which torch_npu, if it does not find their names, runs others by name. That fails
// on its queue thread, which then drops work. With an entry here the call fails, and nothing else. Names whose absence
// makes torch_npu take another way that works are not here: for most of Foreach it calls the operators of one tensor.
// An operator that gets a row loses its entry: the linker refuses both.
#include "run/status.h"

namespace operators {

namespace {

// torch_npu takes ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a warning, and goes on with memory that nothing wrote.
aclnnStatus Missing(const char* name) {
    return portaclReportError(name, ACLNN_ERR_INNER,
                              "libopapi does not have this operator; compute it on the CPU, or add it as docs/torch.md "
                              "says");
}

}  // namespace

}  // namespace operators

// The parameters are unknown, and none is read.
#define MISSING(NAME)                                                                   \
    extern "C" {                                                                        \
    __attribute__((visibility("default"))) aclnnStatus aclnn##NAME##GetWorkspaceSize(); \
    aclnnStatus aclnn##NAME##GetWorkspaceSize() {                                       \
        return ::operators::Missing("aclnn" #NAME);                                     \
    }                                                                                   \
    __attribute__((visibility("default"))) aclnnStatus aclnn##NAME();                   \
    aclnnStatus aclnn##NAME() {                                                         \
        return ::operators::Missing("aclnn" #NAME);                                     \
    }                                                                                   \
    }                                                                                   \
    static_assert(true, "the macro wants a semicolon behind it")

MISSING(AddLayerNorm);
MISSING(AddLayerNormGrad);
MISSING(AffineGrid);
MISSING(Aminmax);
MISSING(ApplyRotaryPosEmbV2);
MISSING(AvgPool3d);
MISSING(AvgPool3dBackward);
MISSING(BatchNormElemt);
MISSING(Bincount);
MISSING(Complex);
MISSING(ConvDepthwise2d);
MISSING(ConvTbcBackward);
MISSING(CtcLoss);
MISSING(DeepNorm);
MISSING(DeepNormGrad);
MISSING(DynamicQuantV2);
MISSING(EmbeddingBag);
MISSING(ForeachAddListV2);
MISSING(ForeachAddScalarV2);
MISSING(ForeachAddcdivScalarV2);
MISSING(ForeachAddcmulScalarV2);
MISSING(ForeachDivScalarV2);
MISSING(ForeachMaximumScalarV2);
MISSING(ForeachMinimumScalarV2);
MISSING(ForeachMulScalarV2);
MISSING(ForeachPowScalarV2);
MISSING(ForeachRoundOffNumberV2);
MISSING(ForeachSubListV2);
MISSING(ForeachSubScalarV2);
MISSING(GroupNormSwish);
MISSING(HardswishBackward);
MISSING(Im2col);
MISSING(InplaceAtan2);
MISSING(InplaceFloorDivide);
MISSING(InplaceFloorDivides);
MISSING(InplaceMaskedScatter);
MISSING(InplaceMish);
MISSING(InplaceNanToNum);
MISSING(InplacePut);
MISSING(InplaceRReluWithNoise);
MISSING(InplaceRemainderTensorScalar);
MISSING(InplaceRemainderTensorTensor);
MISSING(InplaceRenorm);
MISSING(InplaceThreshold);
MISSING(LessScalar);
MISSING(LinalgQr);
MISSING(MaxPool3dWithArgmax);
MISSING(MaxPool3dWithArgmaxBackward);
MISSING(MultilabelMarginLoss);
MISSING(NormalFloatFloat);
MISSING(NormalFloatTensor);
MISSING(NormalTensorFloat);
MISSING(NormalTensorTensor);
MISSING(Pdist);
MISSING(PreluBackward);
MISSING(ROIAlign);
MISSING(RReluWithNoise);
MISSING(Renorm);
MISSING(RotaryPositionEmbeddingGrad);
MISSING(Slogdet);
MISSING(Threshold);
MISSING(Unique);
MISSING(Unique2);
MISSING(UniqueConsecutive);
MISSING(UniqueDim);
MISSING(UpsampleBicubic2d);
MISSING(UpsampleBicubic2dBackward);
MISSING(UpsampleBilinear2d);
MISSING(UpsampleBilinear2dBackward);
MISSING(UpsampleBilinear2dBackwardV2);
MISSING(UpsampleLinear1d);
MISSING(UpsampleLinear1dBackward);
MISSING(UpsampleNearest1d);
MISSING(UpsampleNearest1dBackward);
MISSING(UpsampleNearest1dV2);
MISSING(UpsampleNearest2d);
MISSING(UpsampleNearest2dBackward);
MISSING(UpsampleNearest2dV2);
MISSING(UpsampleNearest3d);
MISSING(UpsampleNearest3dBackward);
MISSING(UpsampleTrilinear3d);
MISSING(UpsampleTrilinear3dBackward);
