// Why a call is refused, or why an operation has failed. Calls return its code and leave its text.
#pragma once

#include <hccl/hccl.h>
#include <portacl/portacl.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace hccl {

class Failure : public std::exception {
  public:
    Failure(HcclResult code, std::string text, bool is_overdue = false)
        : code_(code), text_(std::move(text)), is_overdue_(is_overdue) {}
    HcclResult code() const { return code_; }
    // Another rank was silent too long, so that no message about it is on its way.
    bool is_overdue() const { return is_overdue_; }
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    HcclResult code_;
    std::string text_;
    bool is_overdue_;
};

// Throws if a call of the runtime has failed, with the text of the runtime.
void Succeed(const char* call, aclError code);

inline HcclResult Report(const char* call, HcclResult code, const char* text) noexcept {
    portaclReportError(call, static_cast<aclError>(code), text);
    return code;
}

// Runs the body of a public function, and returns its code.
template <typename Body>
HcclResult Guard(const char* call, const Body& body) noexcept {
    try {
        body();
        return HCCL_SUCCESS;
    } catch (const Failure& failure) {
        return Report(call, failure.code(), failure.what());
    } catch (const std::bad_alloc&) {
        return Report(call, HCCL_E_MEMORY,
                      "the host has no memory left for this call; free host memory, and repeat the call (to create a "
                      "communicator: with a new rootInfo in all ranks)");
    } catch (const std::exception& error) {
        return Report(call, HCCL_E_INTERNAL, error.what());
    }
}

}  // namespace hccl
