// What tests of the C++ interface share: a device, and checks of exceptions.
#pragma once

#include <portacl/portacl.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/acl_test.h"

namespace portacl_test {

template <typename T>
constexpr bool kMoveOnly =
    std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<T> &&
    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> && std::is_nothrow_destructible_v<T>;

class CppDevice : public testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(portaclReleaseFailures(), failures_); }

    // This many releases failed on purpose.
    void ExpectFailures(uint64_t count) { failures_ += count; }

    portacl::Runtime runtime;
    portacl::Device device;

  private:
    uint64_t failures_ = portaclReleaseFailures();
};

// The exception is of a call in the caller's file, and its text contains all of these words.
template <typename Callable>
void ExpectError(aclError code, Callable&& callable, const std::vector<std::string>& words,
                 const char* file = __builtin_FILE()) {
    try {
        callable();
        ADD_FAILURE() << "no exception";
    } catch (const portacl::Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        for (const std::string& word : words) EXPECT_NE(error.text().find(word), std::string::npos) << error.what();
        EXPECT_STREQ(error.file(), file);
    }
}

}  // namespace portacl_test
