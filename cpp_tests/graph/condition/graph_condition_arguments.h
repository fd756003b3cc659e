// The fixture of tests about conditional tasks with empty bodies.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/condition.h"
#include "support/graph/control.h"
#include "support/graph/graph.h"
#include "support/objects.h"

namespace portacl_test {

using Bodies = std::vector<aclmdlRI>;

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr auto kRelaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

class GraphConditionArguments : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (!HasFatalFailure()) s_ = std::make_unique<Streams>();
    }
    void TearDown() override {
        s_.reset();
        WithDevice::TearDown();
    }
    struct Streams {
        Stream stream, body;
        Number number;
    };

    // A graph with one task, whose bodies are empty.
    Graph WithTask(aclmdlRICondTaskType type, uint32_t count, Bodies* bodies) {
        return Capture(s_->stream, [&] {
            const Condition value(GraphOf(s_->stream), 1);
            *bodies = AddTask(value, type, count, s_->stream);
        });
    }
    // Adds work to a body.
    void Fill(aclmdlRI body) {
        CaptureBody(body, s_->body, [&] { ACL_OK(s_->number.Write(1, s_->body)); });
    }

    std::unique_ptr<Streams> s_;
};

}  // namespace portacl_test
