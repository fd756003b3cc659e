// Shared by all test programs: assertions about return codes, and outputs filled with a pattern.
#pragma once

#include <gtest/gtest.h>

#include <acl/acl.h>

#include <cstring>
#include <string>

namespace portacl_test {

// Returns whether `expression` returned `wanted`. If not, the result contains the library's error text.
inline testing::AssertionResult Returned(const char* expression, aclError got, aclError wanted) {
    if (got == wanted) return testing::AssertionSuccess();
    const char* text = aclGetRecentErrMsg();
    return testing::AssertionFailure() << expression << "\n  returned " << got << ", expected " << wanted
                                       << "\n  text: " << (text ? text : "(none)");
}

// Whether a call returned the failure `wanted`, with a text that names the call.
inline testing::AssertionResult Failed(const char* expression, aclError got, aclError wanted) {
    testing::AssertionResult result = Returned(expression, got, wanted);
    if (!result) return result;
    const char* text = aclGetRecentErrMsg();
    const std::string call(expression, std::strcspn(expression, "( "));
    if (!text) return testing::AssertionFailure() << expression << "\n  failed as expected, without a text";
    if (!std::strstr(text, call.c_str()))
        return testing::AssertionFailure()
               << expression << "\n  failed as expected, but its text does not name " << call << ":\n  " << text;
    return testing::AssertionSuccess();
}

// Reports an assertion of this line that does not pass. Macros that call functions such as this one expand to a call,
// which compiles sooner than a macro of GoogleTest.
inline bool Passes(const testing::AssertionResult& result, const char* file, int line) {
    if (!result) ADD_FAILURE_AT(file, line) << result.message();
    return result;
}
inline bool IsOk(const char* expression, aclError got, const char* file, int line) {
    return got == 0 || Passes(Returned(expression, got, 0), file, line);
}
inline bool Fails(const char* expression, aclError got, aclError wanted, const char* file, int line) {
    return Passes(Failed(expression, got, wanted), file, line);
}
// Reports a failure that ends the test.
inline void FailFatally(const testing::AssertionResult& result, const char* file, int line) {
    GTEST_FAIL_AT(file, line) << result.message();
}
inline bool MustBeOk(const char* expression, aclError got, const char* file, int line) {
    if (got != 0) FailFatally(Returned(expression, got, 0), file, line);
    return got == 0;
}

// Makes a call that fails on purpose. Its frame on the stack says so: check/on_purpose.supp names the function, so that
// PORTACL_CHECK=misuse reports only what no test expects. The volatile variable keeps the frame until the call returns.
template <typename Call>
__attribute__((noinline)) aclError OnPurpose(const Call& call) {
    const volatile aclError code = call();
    return code;
}

// Returns a value that no call writes: outputs are filled with it before a call that must fail. C++ allows it in no
// enumerator, and the calls must not read it there.
template <typename T>
__attribute__((no_sanitize("enum"))) T Poison() {
    T value;
    std::memset(&value, 0xA5, sizeof value);
    return value;
}

// Whether an output still has the value of Poison.
template <typename T>
bool IsPoison(const T& value) {
    const T poison = Poison<T>();
    return std::memcmp(&value, &poison, sizeof value) == 0;
}

// Calls aclInit before each test and aclFinalize after it, for tests that are not about sessions.
class Initialized : public testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(Returned("aclInit(nullptr)", aclInit(nullptr), 0)); }
    void TearDown() override { EXPECT_TRUE(Returned("aclFinalize()", aclFinalize(), 0)); }
};

// Calls aclInit and aclFinalize around each test, and sets device 0.
class WithDevice : public Initialized {
  protected:
    void SetUp() override {
        Initialized::SetUp();
        if (HasFatalFailure()) return;
        ASSERT_TRUE(Returned("aclrtSetDevice(0)", aclrtSetDevice(0), 0));
    }
};

}  // namespace portacl_test

// Requires that the call succeeds; the test ends if it does not.
#define ACL_OK(expression)                                                         \
    GTEST_AMBIGUOUS_ELSE_BLOCKER_                                                  \
    if (::portacl_test::MustBeOk(#expression, (expression), __FILE__, __LINE__)) { \
    } else                                                                         \
        return
// Requires that the call succeeds; the test goes on.
#define ACL_EXPECT_OK(expression) ::portacl_test::IsOk(#expression, (expression), __FILE__, __LINE__)
// Requires that the call fails with this code and leaves a text that names it.
#define ACL_FAILS(code, expression) \
    ::portacl_test::Fails(#expression, ACL_ON_PURPOSE(expression), (code), __FILE__, __LINE__)
// The code of a call that fails on purpose.
#define ACL_ON_PURPOSE(expression) ::portacl_test::OnPurpose([&]() -> aclError { return (expression); })
// Requires that the call destroys an object that went with its owner: it succeeds once, and then fails with 107000.
#define ACL_DESTROYS_LATE(expression)                      \
    do {                                                   \
        ACL_EXPECT_OK(expression);                         \
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, expression); \
    } while (false)
