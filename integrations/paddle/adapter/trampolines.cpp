#include "trampolines.h"

#include <array>
#include <utility>

namespace portacl_paddle {
namespace {

template <std::size_t>
using Word = std::uintptr_t;
template <std::size_t>
using Float = double;

// Set by a numbered function for the shared one, to which it jumps without touching the arguments. Not looked up by a
// call, which would need the registers.
__attribute__((tls_model("initial-exec"))) thread_local std::size_t number_of_call;

// Functions with as many integers and floating-point numbers as registers hold, and then words of the stack: a caller
// that passes fewer arguments leaves the others undefined, and they are passed on unread.
template <typename Integers, typename Floats, typename Stack>
struct Convention;

template <std::size_t... I, std::size_t... F, std::size_t... S>
struct Convention<std::index_sequence<I...>, std::index_sequence<F...>, std::index_sequence<S...>> {
    using Function = void (*)(Word<I>..., Float<F>..., Word<S>...);

    __attribute__((noinline)) static void Shared(Word<I>... integers, Float<F>... floats, Word<S>... stack) {
        const std::size_t number = number_of_call;
        DirectCall call{{integers..., stack...}, {floats...}};
        RunDirectly(number, call);
    }

    template <std::size_t Number>
    static void Numbered(Word<I>... integers, Float<F>... floats, Word<S>... stack) {
        number_of_call = Number;
        Shared(integers..., floats..., stack...);
    }

    static void Invoke(void* function, const DirectCall& call) {
        reinterpret_cast<Function>(function)(call.words[I]..., call.floats[F]..., call.words[kIntegerRegisters + S]...);
    }

    template <std::size_t... N>
    static constexpr std::array<Function, sizeof...(N)> Table(std::index_sequence<N...>) {
        return {Numbered<N>...};
    }
};

using ThisConvention = Convention<std::make_index_sequence<kIntegerRegisters>,
                                  std::make_index_sequence<kFloatRegisters>, std::make_index_sequence<kStackWords>>;

template <std::size_t Number>
void NumberedInContext(phi::KernelContext* context) {
    RunInContext(Number, context);
}

template <std::size_t... N>
constexpr std::array<ContextFunction, sizeof...(N)> ContextTable(std::index_sequence<N...>) {
    return {NumberedInContext<N>...};
}

constexpr auto direct_table = ThisConvention::Table(std::make_index_sequence<kTrampolines>());
constexpr auto context_table = ContextTable(std::make_index_sequence<kTrampolines>());

}  // namespace

ContextFunction InContext(std::size_t number) {
    return context_table[number];
}

void* Directly(std::size_t number) {
    return reinterpret_cast<void*>(direct_table[number]);
}

void Invoke(void* function, const DirectCall& call) {
    ThisConvention::Invoke(function, call);
}

}  // namespace portacl_paddle
