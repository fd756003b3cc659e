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

MISSING(AddLayerNormGrad);
MISSING(LessScalar);
MISSING(ROIAlign);
