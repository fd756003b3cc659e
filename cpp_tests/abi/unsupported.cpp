// Calls every function that docs/api.md lists as unsupported, with zeros as arguments. It returns
// 207000, or the value that means failure for its type, and its error text says what is missing.
#include <acl/acl_prof.h>
#include <acl/acl_rt_memory_soma.h>

#include <cstring>
#include <string>
#include <type_traits>

#include "support/acl_test.h"

namespace {

// The value that means failure, for each type that a function of the API returns. Some are unused
// once all functions of a type are supported.
[[maybe_unused]] bool IsFailure(aclError code) {
    return code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}
[[maybe_unused]] bool IsFailure(const void* pointer) {
    return pointer == nullptr;
}
[[maybe_unused]] bool IsFailure(uint32_t number) {
    return number == 0 || number == 0xFFFFFFFF;
}
[[maybe_unused]] bool IsFailure(uint64_t number) {
    return number == 0;
}
[[maybe_unused]] bool IsFailure(uint16_t number) {
    return number == 0;
}
[[maybe_unused]] bool IsFailure(float number) {
    return number == 0;
}
[[maybe_unused]] bool IsFailure(aclprofSubscribeOpFlag flag) {
    return flag == ACL_SUBSCRIBE_NONE;
}

template <typename Result, typename... Arguments>
bool RefusesZeros(Result (*function)(Arguments...)) {
    if constexpr (std::is_void_v<Result>) {
        function(Arguments{}...);
        return true;
    } else {
        return IsFailure(function(Arguments{}...));
    }
}

void ExpectText(const std::string& name) {
    const char* text = aclGetRecentErrMsg();
    ASSERT_NE(text, nullptr) << name;
    const std::string message = text;
    EXPECT_EQ(message.rfind(name + ": ", 0), 0u) << message;
    EXPECT_NE(message.find("(error 207000)"), std::string::npos) << message;
    // The text names what is missing, then what to do instead.
    EXPECT_NE(message.find("; "), std::string::npos) << message;
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT) << name;
}

#define UNSUPPORTED(NAME)                 \
    TEST(Unsupported, NAME) {             \
        aclGetRecentErrMsg();             \
        EXPECT_TRUE(RefusesZeros(&NAME)); \
        ExpectText(#NAME);                \
    }
#include UNSUPPORTED_TABLE

}  // namespace
