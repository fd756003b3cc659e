// ATen as operators see it, on whatever thread.
#pragma once

#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <string>

#include "run/status.h"

namespace operators {

// Rejects an output of another shape. ATen would warn about it and give it the right one, but here it is memory of the
// program.
class RefuseResize final : public c10::WarningHandler {
  public:
#if OPERATORS_TORCH >= 200
    void process(const c10::Warning& warning) override {
        Refuse(warning.msg());
        c10::WarningHandler::process(warning);
    }
#else
    void process(const c10::SourceLocation& where, const std::string& text, const bool verbatim) override {
        Refuse(text);
        c10::WarningHandler::process(where, text, verbatim);
    }
#endif

  private:
    static void Refuse(const std::string& text) {
        if (text.find("resized") != std::string::npos) throw Refusal(ACLNN_ERR_PARAM_INVALID, text);
    }
};

// Gives ATen its initial state while it lives. Threads that wait for a stream run kernels, too. They may be threads of
// Python, with a state of ATen that is none of the operator's: autograd, autocast, dispatch to Python, profilers.
class PlainAten {
  public:
    // Functions of ATen are dispatched to `mode` first, if it is given.
    explicit PlainAten(c10::DispatchKeySet mode = {}) : keys_(Keys(mode)), records_(false), warnings_(&handler_) {}

  private:
    static inline const c10::DispatchKeySet kExcluded =
        c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset | c10::python_ks |
        c10::DispatchKeySet{c10::DispatchKey::PythonDispatcher, c10::DispatchKey::FuncTorchDynamicLayerFrontMode,
                            c10::DispatchKey::FuncTorchDynamicLayerBackMode, c10::DispatchKey::FuncTorchBatched,
                            c10::DispatchKey::Functionalize}
#if OPERATORS_TORCH >= 201
        | c10::DispatchKeySet{c10::DispatchKey::BatchedNestedTensor, c10::DispatchKey::PreDispatch}
#endif
    ;
    static c10::impl::LocalDispatchKeySet Keys(c10::DispatchKeySet mode) {
        c10::impl::PODLocalDispatchKeySet keys{};
        keys.set_included(c10::DispatchKeySet(c10::DispatchKey::BackendSelect) | mode);
        keys.set_excluded(kExcluded);
        return keys;
    }
    c10::impl::ForceDispatchKeyGuard keys_;
    at::RecordFunctionGuard records_;
    RefuseResize handler_;
#if OPERATORS_TORCH >= 200
    c10::WarningUtils::WarningHandlerGuard warnings_;
#else
    c10::Warning::WarningHandlerGuard warnings_;
#endif
};

}  // namespace operators
