// Checks failures with their texts: a text contains the call, the argument, the value and the bound.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>

#include "support/acl_test.h"

namespace portacl_test {

// Returns a value as the library's texts print it: handles and addresses in hexadecimal.
inline std::string Shown(const void* value) {
    std::ostringstream text;
    text << "0x" << std::hex << reinterpret_cast<uintptr_t>(value);
    return text.str();
}
inline std::string Shown(long long value) {
    return std::to_string(value);
}

// Fetches this thread's failure text, or "" if there is none.
inline std::string TakeText() {
    const char* text = aclGetRecentErrMsg();
    return text ? text : "";
}

// Whether texts are compared. tools/checks/earlier-suite.sh switches it off: programs may rely on codes, not on texts.
inline bool ComparesTexts() {
    return std::getenv("PORTACL_TEST_ANY_TEXT") == nullptr;
}

// Whether a call returned the failure `wanted`, with a text that begins with the call and contains all of `words`. They
// are a range of texts.
template <typename Words>
testing::AssertionResult FailedSaying(const char* expression, aclError got, aclError wanted, const Words& words) {
    testing::AssertionResult result = Returned(expression, got, wanted);
    if (!result) return result;
    const char* fetched = aclGetRecentErrMsg();
    if (!fetched) return testing::AssertionFailure() << expression << "\n  failed as expected, without a text";
    if (!ComparesTexts()) return result;
    const std::string text = fetched;
    const std::string call(expression, std::strcspn(expression, "( "));
    auto missing = [&](std::string_view word) {
        return testing::AssertionFailure()
               << expression << "\n  failed as expected, but its text does not say \"" << word << "\":\n  " << text;
    };
    if (text.rfind(call + ": ", 0) != 0) return missing(call + ": ");
    for (const std::string_view word : words)
        if (text.find(word) == std::string::npos) return missing(word);
    return testing::AssertionSuccess();
}
inline testing::AssertionResult FailedSaying(const char* expression, aclError got, aclError wanted,
                                             std::initializer_list<std::string_view> words) {
    return FailedSaying<std::initializer_list<std::string_view>>(expression, got, wanted, words);
}
inline bool FailsSaying(const char* expression, aclError got, aclError wanted,
                        std::initializer_list<std::string_view> words, const char* file, int line) {
    return Passes(FailedSaying(expression, got, wanted, words), file, line);
}

}  // namespace portacl_test

// Expects that the call returns `code`, with a text that begins with its name and contains each of the following words.
#define ACL_FAILS_SAYING(code, expression, ...) \
    ::portacl_test::FailsSaying(#expression, ACL_ON_PURPOSE(expression), (code), {__VA_ARGS__}, __FILE__, __LINE__)
