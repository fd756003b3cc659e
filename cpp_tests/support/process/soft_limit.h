// A soft resource limit of this process and of those that it starts, until the end of the scope.
#pragma once

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace portacl_test {

// Whether the hard limit of this process allows a soft one.
inline bool MayHaveLimit(int resource, rlim_t value) {
    rlimit now{};
    return getrlimit(static_cast<__rlimit_resource>(resource), &now) == 0 &&
           (now.rlim_max == RLIM_INFINITY || value <= now.rlim_max);
}

class SoftLimit {
  public:
    SoftLimit(int resource, rlim_t value) : resource_(resource) {
        EXPECT_EQ(0, getrlimit(Resource(), &before_));
        EXPECT_TRUE(MayHaveLimit(resource, value)) << "the hard limit is " << before_.rlim_max;
        const rlimit now{value, before_.rlim_max};
        EXPECT_EQ(0, setrlimit(Resource(), &now));
    }
    ~SoftLimit() { EXPECT_EQ(0, setrlimit(Resource(), &before_)); }
    SoftLimit(const SoftLimit&) = delete;
    SoftLimit& operator=(const SoftLimit&) = delete;

  private:
    __rlimit_resource Resource() const { return static_cast<__rlimit_resource>(resource_); }

    int resource_;
    rlimit before_{};
};

}  // namespace portacl_test

// Skips a test if this process may not have that soft limit.
#define NEEDS_LIMIT(resource, value, what) \
    if (!::portacl_test::MayHaveLimit(resource, value)) GTEST_SKIP() << "needs " what
