// Failures: a code, and a text that aclGetRecentErrMsg returns.
#pragma once

#include <acl/acl_rt.h>
#include <aclnn/acl_meta.h>
#include <portacl/portacl.h>

#include <exception>
#include <sstream>
#include <string>

#include "run/aten.h"

namespace operators {

// Thrown for an invalid argument.
class Refusal : public std::exception {
  public:
    template <typename... Part>
    Refusal(aclnnStatus code, const Part&... part) : code_(code) {
        std::ostringstream text;
        (text << ... << part);
        text_ = text.str();
    }
    aclnnStatus Code() const { return code_; }
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    aclnnStatus code_;
    std::string text_;
};

// A failure: its code and its text.
struct Failure {
    aclnnStatus code;
    std::string text;
};

// Returns the exception that is handled now. ATen's texts come without their stack.
inline Failure CurrentFailure() {
    try {
        throw;
    } catch (const Refusal& refusal) {
        return {refusal.Code(), refusal.what()};
    } catch (const c10::Error& error) {
        return {ACLNN_ERR_INNER, error.what_without_backtrace()};
    } catch (const std::bad_alloc&) {
        return {ACL_ERROR_BAD_ALLOC,
                "the host has no memory left for this call; free host memory, and repeat the call; repeat an "
                "operator from its GetWorkspaceSize function on"};
    } catch (const std::exception& error) {
        return {ACLNN_ERR_INNER, error.what()};
    }
}

// Runs the body of a function of the API. A failure is reported, and returned as a code.
template <typename Body>
aclnnStatus Guarded(const char* call, Body body) noexcept {
    try {
        body();
        return ACL_SUCCESS;
    } catch (...) {
        const Failure failure = CurrentFailure();
        return portaclReportError(call, failure.code, failure.text.c_str());
    }
}

// Runs the body of a function of the API that returns a pointer. A failure is reported, and null is returned.
template <typename Body>
auto GuardedPointer(const char* call, Body body) noexcept -> decltype(body()) {
    decltype(body()) result = nullptr;
    Guarded(call, [&] { result = body(); });
    return result;
}

// Drops the text of a failure that is none for the program.
inline void ForgetFailure() {
    static_cast<void>(aclGetRecentErrMsg());
    static_cast<void>(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

// Returns the text for a null pointer. Programs pass on what they have created unchecked, so the text of a failed
// creation is part of it.
inline std::string NullText(const std::string& name) {
    const char* earlier = aclGetRecentErrMsg();
    const bool is_reason = earlier != nullptr && std::string(earlier).rfind("aclCreate", 0) == 0;
    return name + " is null" + (is_reason ? ", because of an earlier failure: " + std::string(earlier) : "");
}

template <typename T>
T& NotNull(const char* name, T* pointer) {
    if (pointer == nullptr) throw Refusal(ACLNN_ERR_PARAM_NULLPTR, NullText(name));
    return *pointer;
}

}  // namespace operators
