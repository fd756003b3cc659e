// libacl_op_compiler: operators that are compiled at run time. There are none; programs that find no operator in
// libopapi end here.
#include <string>

#include "check.h"

namespace {

aclError Missing(const char* call, const char* type) {
    const std::string name = type == nullptr ? "that was asked for" : type;
    return portaclReportError(call, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                              ("the operator " + name +
                               " is missing: libopapi of portacl does not have it, and nothing "
                               "compiles it; docs/torch.md says how to add one")
                                  .c_str());
}

}  // namespace

extern "C" {

aclError aclopCompileAndExecute(const char* opType, ...) {
    return Missing(__func__, opType);
}

aclError aclopCompileAndExecuteV2(const char* opType, ...) {
    return Missing(__func__, opType);
}

aclError aclopExecuteV2(const char* opType, ...) {
    return Missing(__func__, opType);
}

aclError aclGenGraphAndDumpForOp(const char* opType, ...) {
    return Missing(__func__, opType);
}

}  // extern "C"
