// Defines an operator by one row: both C functions, the checks of their arguments, and the call of ATen.
//
//     OPERATOR(Add, (In self, In other, Number alpha, Out out), at::add_out(out, self, other, alpha))
//
// defines aclnnAddGetWorkspaceSize, with C types for the parameters, and aclnnAdd. tools/operators.py reads the rows,
// too: it writes the headers.
#pragma once

#include <aclnnop/all.h>

#include <memory>
#include <tuple>
#include <utility>

#include "check/check.h"
#include "run/argument.h"
#include "run/executor.h"

namespace operators {

template <typename Row, typename Function = decltype(&Row::Compute)>
struct Entry;

template <typename Row, typename... Parameter>
struct Entry<Row, void (*)(Parameter...)> {
    using Kept = std::tuple<typename Argument<Parameter>::Kept...>;

    struct Prepared final : Work {
        Prepared() : Work(Row::kName) {}
        void Compute(Addresses addresses) override { Run(addresses, std::index_sequence_for<Parameter...>()); }
        template <size_t... I>
        void Run([[maybe_unused]] Addresses addresses, std::index_sequence<I...>) {
            std::tuple<decltype(Argument<Parameter>::Unpack(std::get<I>(kept), addresses))...> passed{
                Argument<Parameter>::Unpack(std::get<I>(kept), addresses)...};
            Row::Compute(std::get<I>(passed)...);
        }
        Kept kept;
    };

    // Runs the first phase.
    static aclnnStatus Prepare(typename Argument<Parameter>::C... passed, uint64_t* workspace_size,
                               aclOpExecutor** executor) {
        return Guarded(Row::kPrepareName, [&] {
            NotNull("workspaceSize", workspace_size);
            NotNull("executor", executor);
            std::unique_ptr<Prepared, Release> work(new Prepared);
            Intake intake(*work, Row::kParameters);
            work->kept = Kept{Argument<Parameter>::Take(passed, intake)...};
            CheckKey key(Row::kName);
            std::apply([&](const auto&... kept) { (Enter(key, kept), ...); }, work->kept);
            if (!key.IsKnown()) CheckOnMeta(*work, key);
            *executor = MakeExecutor(WorkPointer(work.release()));
            *workspace_size = 0;
        });
    }

    using Signature = decltype(Prepare);
};

}  // namespace operators

// The first function gets its type from a template, so its body cannot name the parameters: the loader binds it to
// Entry::Prepare (an indirect function of ELF).
#define OPERATOR(NAME, PARAMETERS, ...)                                                                              \
    namespace {                                                                                                      \
    struct NAME {                                                                                                    \
        static constexpr const char* kName = "aclnn" #NAME;                                                          \
        static constexpr const char* kPrepareName = "aclnn" #NAME "GetWorkspaceSize";                                \
        static constexpr const char* kParameters = #PARAMETERS;                                                      \
        static void Compute PARAMETERS { __VA_ARGS__; }                                                              \
    };                                                                                                               \
    }                                                                                                                \
    extern "C" {                                                                                                     \
    __attribute__((visibility("hidden"))) ::operators::Entry<NAME>::Signature* portacl_bind_##NAME();                \
    ::operators::Entry<NAME>::Signature* portacl_bind_##NAME() {                                                     \
        return &::operators::Entry<NAME>::Prepare;                                                                   \
    }                                                                                                                \
    __attribute__((visibility("default"),                                                                            \
                   ifunc("portacl_bind_" #NAME))) ::operators::Entry<NAME>::Signature aclnn##NAME##GetWorkspaceSize; \
    __attribute__((visibility("default")))                                                                           \
    aclnnStatus aclnn##NAME(void*, uint64_t, aclOpExecutor* executor, aclrtStream stream) {                          \
        return ::operators::Launch(NAME::kName, executor, stream);                                                   \
    }                                                                                                                \
    }                                                                                                                \
    static_assert(true, "the macro wants a semicolon behind it")
