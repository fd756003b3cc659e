// The fixture of tests about conditional tasks, and a task that counts.
#pragma once

#include <memory>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/condition.h"
#include "support/graph/control.h"
#include "support/objects.h"

namespace portacl_test {

using Bodies = std::vector<aclmdlRI>;
using Numbers = std::vector<int>;

// Streams to capture from: one for a graph, the others for its bodies.
class GraphCondition : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        s_ = std::make_unique<Streams>();
    }
    void TearDown() override {
        s_.reset();
        WithDevice::TearDown();
    }
    struct Streams {
        Stream stream, body, inner, running;
    };
    std::unique_ptr<Streams> s_;
};

// Counts a value down, and a number up.
inline void Count(const Condition& value, const Number& minus, const Number& rounds, const Number& one,
                  aclrtStream stream) {
    ACL_OK(rounds.Add(one, stream));
    ACL_OK(value.Add(minus.At(), stream));
}

}  // namespace portacl_test
