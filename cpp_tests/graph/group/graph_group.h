// Groups of tasks, and graphs with one.
#pragma once

#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/objects.h"

namespace portacl_test {

constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr size_t kSize = 256;

// Captures what `work` submits to the stream, as a group.
template <typename Work>
aclrtTaskGrp Group(aclrtStream stream, Work work) {
    ExpectOk("aclmdlRICaptureTaskGrpBegin", aclmdlRICaptureTaskGrpBegin(stream));
    work();
    aclrtTaskGrp group = nullptr;
    ExpectOk("aclmdlRICaptureTaskGrpEnd", aclmdlRICaptureTaskGrpEnd(stream, &group));
    return group;
}

// Begins a change of a group to what `work` submits to the stream.
template <typename Work>
void Begin(aclrtStream stream, aclrtTaskGrp group, Work work) {
    ExpectOk("aclmdlRICaptureTaskUpdateBegin", aclmdlRICaptureTaskUpdateBegin(stream, group));
    work();
}

// Changes the group.
template <typename Work>
void Change(aclrtStream stream, aclrtTaskGrp group, Work work) {
    Begin(stream, group, work);
    ExpectOk("aclmdlRICaptureTaskUpdateEnd", aclmdlRICaptureTaskUpdateEnd(stream));
}

class GraphGroup : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        ACL_OK(aclrtMalloc(&memory_, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtMemset(memory_, kSize, 0, kSize));
    }

    void TearDown() override {
        ACL_EXPECT_OK(aclrtFree(memory_));
        WithDevice::TearDown();
    }

    aclError Fill(aclrtStream stream, int value) { return aclrtMemsetAsync(memory_, kSize, value, kSize, stream); }

    // A graph with one group, which fills the memory.
    Graph FillGraph(aclrtStream stream, int value, aclrtTaskGrp* group) {
        return Capture(stream, [&] { *group = Group(stream, [&] { ACL_OK(Fill(stream, value)); }); });
    }

    int Byte() const {
        unsigned char byte = 0;
        ExpectOk("aclrtMemcpy", aclrtMemcpy(&byte, 1, memory_, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        return byte;
    }

    void* memory_ = nullptr;
};

}  // namespace portacl_test
