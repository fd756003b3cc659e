// Tests operators beside ATen. A row names an operator, its inputs, how it is called, and what ATen computes from the
// same
// tensors. For each row a test checks:
// - results, for inputs that are contiguous, transposed, parts of others, broadcast, empty, without dimensions, large;
// - outputs that are contiguous, every second element of a storage, or transposed: other elements stay as they are;
// - inputs that ATen refuses, outputs of another shape, and a null argument: a code and a text that names the operator,
//   from the first phase unless the data decides, and the next operator is right.
#pragma once

#include <ATen/ATen.h>
#include <acl/acl.h>
#include <aclnnop/all.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace properties {

using Tensors = std::vector<at::Tensor>;
using Ints = std::vector<int64_t>;
using Flags = std::array<bool, 3>;
using Scalar = at::Scalar;

// The result of a call. The code is that of the first failure in its two phases and the synchronize after them.
struct Outcome {
    int code;
    std::string text;
    bool is_of_first_phase = false;
};

// Returns the stream, on the device, for all tests.
aclrtStream Stream();
aclDataType TypeOf(at::ScalarType type);

// The arguments of one call: tensors with storages on the device, and handles of them.
class Arguments {
  public:
    Arguments() = default;
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;
    ~Arguments();

    aclTensor* Pass(const at::Tensor& tensor);
    aclScalar* Pass(const at::Scalar& number);
    aclIntArray* Pass(const Ints& values);
    aclBoolArray* Pass(const Flags& values);
    aclTensorList* Pass(const Tensors& tensors);
    aclDataType Pass(at::ScalarType type) { return TypeOf(type); }
    const char* Pass(const char* text) { return text; }
    std::nullptr_t Pass(std::nullptr_t) { return nullptr; }
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    T Pass(T value) {
        return value;
    }
    // Copies the storages back to the tensors.
    void Return();

  private:
    struct Copy {
        void* memory;
        at::Tensor owner;
    };
    void* Memory(const at::Tensor& tensor);

    std::map<const void*, Copy> copies_;
    std::vector<std::function<void()>> destroy_;
};

Outcome Finish(int code);

template <typename Prepare, typename Run, typename... Values>
Outcome Call(Prepare* prepare, Run* run, const Values&... values) {
    Arguments arguments;
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    int code = prepare(arguments.Pass(values)..., &size, &executor);
    const bool is_prepared = code == ACL_SUCCESS;
    if (is_prepared) code = run(nullptr, size, executor, Stream());
    Outcome outcome = Finish(code);
    outcome.is_of_first_phase = !is_prepared;
    arguments.Return();
    return outcome;
}

// Return what ATen computes from the inputs as a list: a tensor or several.
inline Tensors Results(at::Tensor result) {
    return {std::move(result)};
}
inline Tensors Results(Tensors results) {
    return results;
}
template <typename... T>
Tensors Results(const std::tuple<T...>& results) {
    return std::apply([](const auto&... each) { return Tensors{each...}; }, results);
}
using Operator = std::function<Outcome(const Tensors& x, const Tensors& out)>;
using Reference = std::function<Tensors(const Tensors& x)>;
void CheckOutputs(const std::string& name, const std::vector<Tensors>& inputs, const Operator& run,
                  const Reference& want);
void CheckInPlace(const std::string& name, const std::vector<Tensors>& inputs, const Operator& run,
                  const Reference& want);

// Returns inputs of rows, with elements between 0.1 and 1.1.
at::Tensor Random(at::IntArrayRef sizes);
std::vector<Tensors> Singles();
std::vector<Tensors> Pairs();
std::vector<Tensors> Triples();

}  // namespace properties

// `x` are the inputs, `out` the outputs.
#define OUTPUTS(NAME, INPUTS, ARGUMENTS, ...)                                                            \
    TEST(Properties, NAME) {                                                                             \
        CheckOutputs(                                                                                    \
            "aclnn" #NAME, INPUTS,                                                                       \
            []([[maybe_unused]] const Tensors& x, const Tensors& out) {                                  \
                return Call(aclnn##NAME##GetWorkspaceSize, aclnn##NAME, PROPERTIES_ARGUMENTS ARGUMENTS); \
            },                                                                                           \
            []([[maybe_unused]] const Tensors& x) { return Results(__VA_ARGS__); });                     \
    }                                                                                                    \
    static_assert(true, "the macro wants a semicolon behind it")
// `x[0]` is the tensor that is changed.
#define IN_PLACE(NAME, INPUTS, ARGUMENTS, ...)                                                           \
    TEST(Properties, NAME) {                                                                             \
        CheckInPlace(                                                                                    \
            "aclnn" #NAME, INPUTS,                                                                       \
            [](const Tensors& x, const Tensors&) {                                                       \
                return Call(aclnn##NAME##GetWorkspaceSize, aclnn##NAME, PROPERTIES_ARGUMENTS ARGUMENTS); \
            },                                                                                           \
            []([[maybe_unused]] const Tensors& x) { return Results(__VA_ARGS__); });                     \
    }                                                                                                    \
    static_assert(true, "the macro wants a semicolon behind it")
#define PROPERTIES_ARGUMENTS(...) __VA_ARGS__
