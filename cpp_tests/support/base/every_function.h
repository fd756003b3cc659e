// Calls every function of the API except the variadic aclAppLog with arguments that are all zero.
#pragma once

#include <acl/acl.h>
#include <acl/acl_prof.h>
#include <acl/acl_rt_memory_soma.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace portacl_test {

// The result of a call.
struct Answer {
    enum class Kind { kCode, kValue, kNothing };
    Kind kind = Kind::kNothing;
    aclError code = 0;   // of functions that return an aclError
    uint64_t value = 0;  // of functions that return something else
};

struct EveryFunction {
    std::string name;
    Answer (*call)();
};

template <auto kFunction>
struct WithZeros;

template <typename Result, typename... Arguments, Result (*kFunction)(Arguments...)>
struct WithZeros<kFunction> {
    static Answer Call() {
        Answer answer;
        if constexpr (std::is_void_v<Result>) {
            kFunction(Arguments()...);
        } else if constexpr (std::is_same_v<Result, aclError>) {
            answer.kind = Answer::Kind::kCode;
            answer.code = kFunction(Arguments()...);
        } else {
            answer.kind = Answer::Kind::kValue;
            if constexpr (std::is_pointer_v<Result>)
                answer.value = reinterpret_cast<uintptr_t>(kFunction(Arguments()...));
            else
                answer.value = static_cast<uint64_t>(kFunction(Arguments()...));
        }
        return answer;
    }
};

// Returns all functions, in the order of tests/data/acl-functions.tsv.
inline std::vector<EveryFunction> EveryFunctionOfTheApi() {
    return {
#define PORTACL_API_FUNCTION(name) {#name, &WithZeros<&name>::Call},
#include "api_functions.inc"
#undef PORTACL_API_FUNCTION
    };
}

}  // namespace portacl_test
