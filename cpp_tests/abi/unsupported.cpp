// Every function that docs/api.md calls unsupported is called, with zeros for arguments: it answers
// 207000, or what such an answer is for its type, and its text says what is missing.
#include <acl/acl_prof.h>
#include <acl/acl_rt_memory_soma.h>

#include <cstring>
#include <string>
#include <type_traits>

#include "support/acl_test.h"

namespace {

// The value that says "no", by the type of the result.
// One for each type that a function of the API returns; as functions come to work, fewer are used.
[[maybe_unused]] bool SaysNo(aclError code) {
    return code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}
[[maybe_unused]] bool SaysNo(const void* pointer) {
    return pointer == nullptr;
}
[[maybe_unused]] bool SaysNo(uint32_t number) {
    return number == 0 || number == 0xFFFFFFFF;
}
[[maybe_unused]] bool SaysNo(uint64_t number) {
    return number == 0;
}
[[maybe_unused]] bool SaysNo(uint16_t number) {
    return number == 0;
}
[[maybe_unused]] bool SaysNo(float number) {
    return number == 0;
}
[[maybe_unused]] bool SaysNo(aclprofSubscribeOpFlag flag) {
    return flag == ACL_SUBSCRIBE_NONE;
}

template <typename Result, typename... Arguments>
bool RefusesZeros(Result (*function)(Arguments...)) {
    if constexpr (std::is_void_v<Result>) {
        function(Arguments{}...);
        return true;
    } else {
        return SaysNo(function(Arguments{}...));
    }
}

void ExpectText(const std::string& name) {
    const char* text = aclGetRecentErrMsg();
    ASSERT_NE(text, nullptr) << name;
    const std::string message = text;
    EXPECT_EQ(message.rfind(name + ": ", 0), 0u) << message;
    EXPECT_NE(message.find("(error 207000)"), std::string::npos) << message;
    // What is missing; what to do instead.
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
