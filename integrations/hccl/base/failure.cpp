#include "base/failure.h"

namespace hccl {

namespace {

HcclResult CodeOf(aclError code) {
    if (code == ACL_ERROR_BAD_ALLOC) return HCCL_E_MEMORY;
    if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) return HCCL_E_NOT_SUPPORT;
    // Codes by which the runtime refuses an argument.
    const bool is_refusal = code == ACL_ERROR_INVALID_PARAM || (code >= 107000 && code < 108000);
    return is_refusal ? HCCL_E_PARA : HCCL_E_INTERNAL;
}

}  // namespace

void Succeed(const char* call, aclError code) {
    if (code == ACL_SUCCESS) return;
    const char* const recent = aclGetRecentErrMsg();
    // The text ends with the code, which is added again.
    const std::string text = recent != nullptr ? recent : std::string(call) + " returned " + std::to_string(code);
    throw Failure(CodeOf(code), text.substr(0, text.rfind(" (error ")));
}

}  // namespace hccl
