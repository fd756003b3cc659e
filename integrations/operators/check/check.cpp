#include "check/check.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <stdexcept>
#include <string_view>

#include "check/kernels.h"
#include "run/plain_aten.h"

namespace operators {

std::atomic<uint64_t> CheckKey::known_[kPlaces];

namespace {

// No failure: thrown by EndCheck.
struct Ended {};

// Runs a function of ATen that has no entry of its own in the tables: one that is made of others, which have.
void RunParts(const c10::OperatorHandle& function, c10::DispatchKeySet, torch::jit::Stack* stack) {
    for (const c10::DispatchKey key :
         {c10::DispatchKey::CompositeImplicitAutograd, c10::DispatchKey::CompositeExplicitAutograd,
          c10::DispatchKey::CompositeExplicitAutogradNonFunctional})
        if (function.hasKernelForDispatchKey(key)) return function.callBoxedForDispatchKey(key, *stack);
    EndCheck();
}

// Makes the tables, which are never removed: threads of the process can outlive its static objects. Returns whether
// this torch takes them. If not, the stream finds what the checks would.
bool MakeTables() {
    try {
        auto* const aten = new torch::Library(torch::Library::IMPL, "aten", kChecking, __FILE__, __LINE__);
        RegisterShapesOfAten(*aten);
        RegisterShapes(*aten);
        auto* const rest = new torch::Library(torch::Library::IMPL, "_", kChecking, __FILE__, __LINE__);
        rest->fallback(torch::CppFunction::makeFromBoxedFunction<&RunParts>());
        return true;
    } catch (const c10::Error&) {
        return false;
    }
}

// Whether a failure is about tensors without memory, which are none of the program's.
bool IsOfTheCheck(const std::string& text) {
    for (const std::string_view words : {"meta tensor", "Meta tensor", "meta device", "device type", "on meta",
                                         "DispatchStub", "INTERNAL ASSERT", "data pointer", "data is not allocated"})
        if (text.find(words) != std::string::npos) return true;
    return false;
}

// Returns ATen's words with the types of the program's tensors: "CPUFloatType" for "MetaFloatType".
std::string WithTypes(std::string text) {
    constexpr std::string_view kPrefix = "Meta";
    for (size_t at = text.find(kPrefix); at != std::string::npos; at = text.find(kPrefix, at + 1))
        text.replace(at, kPrefix.size(), "CPU");
    return text;
}

void Run(Work& work) {
    static const bool has_tables = MakeTables();
    if (!has_tables) return;
    const PlainAten plain{c10::DispatchKeySet(kChecking)};
    work.Compute({{}, c10::Device(at::kMeta)});
}

}  // namespace

void EndCheck() {
    throw Ended{};
}

void CheckOnMeta(Work& work, const CheckKey& key) {
    const auto refuse = [](const std::string& text) {
        if (!IsOfTheCheck(text)) throw Refusal(ACLNN_ERR_PARAM_INVALID, WithTypes(text));
    };
    try {
        Run(work);
    } catch (const Ended&) {
    } catch (const Refusal&) {
        throw;
    } catch (const c10::NotImplementedError&) {
    } catch (const c10::Error& error) {
        refuse(error.what_without_backtrace());
    } catch (const std::runtime_error& error) {
        // Some of ATen's checks throw it.
        refuse(error.what());
    }
    key.Remember();
}

}  // namespace operators
