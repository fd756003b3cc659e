#include "base/failure.h"

namespace hccl {

namespace {

// Codes by which the runtime refuses an argument.
bool IsRefusal(aclError code) {
    return code == ACL_ERROR_INVALID_PARAM || (code >= 107000 && code < 108000);
}

}  // namespace

void Succeed(const char* call, aclError code) {
    if (code == ACL_SUCCESS) return;
    const char* const recent = aclGetRecentErrMsg();
    // The text ends with the code, which is added again.
    const std::string text = recent != nullptr ? recent : std::string(call) + " returned " + std::to_string(code);
    throw Failure(IsRefusal(code) ? HCCL_E_PARA : HCCL_E_INTERNAL, text.substr(0, text.rfind(" (error ")));
}

}  // namespace hccl
