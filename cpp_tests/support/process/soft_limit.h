// A soft resource limit of this process and of those that it starts, until the end of the scope.
#pragma once

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace portacl_test {

class SoftLimit {
  public:
    SoftLimit(int resource, rlim_t value) : resource_(resource) {
        EXPECT_EQ(0, getrlimit(Resource(), &before_));
        EXPECT_TRUE(before_.rlim_max == RLIM_INFINITY || value <= before_.rlim_max)
            << "the hard limit is " << before_.rlim_max;
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
