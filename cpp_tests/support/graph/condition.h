// Conditional tasks of graphs.
#pragma once

#include <acl/acl.h>

#include <cstdint>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/objects.h"

namespace portacl_test {

constexpr auto kAssign = ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT;
// The value keeps its content between runs.
constexpr auto kKeep = static_cast<aclmdlRICondHandleFlag>(0);
constexpr auto kIf = ACL_MODEL_RI_COND_TYPE_IF;
constexpr auto kWhile = ACL_MODEL_RI_COND_TYPE_WHILE;
constexpr auto kSwitch = ACL_MODEL_RI_COND_TYPE_SWITCH;

// Returns the graph that a stream captures into.
inline aclmdlRI GraphOf(aclrtStream stream) {
    aclmdlRI graph = nullptr;
    StatusOf(stream, &graph);
    return graph;
}

// A value that a conditional task reads. It belongs to its graph.
class Condition {
  public:
    explicit Condition(aclmdlRI graph, uint32_t value = 0, aclmdlRICondHandleFlag flag = kAssign) {
        ExpectOk("aclmdlRICondHandleCreate", aclmdlRICondHandleCreate(graph, value, flag, &handle_));
        ExpectOk("aclmdlRICondHandleGetCondPtr", aclmdlRICondHandleGetCondPtr(handle_, &value_));
    }
    operator aclmdlRICondHandle() const { return handle_; }

    uint64_t* At() const { return value_; }
    uint64_t Get() const {
        uint64_t value = 0;
        ACL_EXPECT_OK(aclrtMemcpy(&value, 8, value_, 8, ACL_MEMCPY_DEVICE_TO_HOST));
        return value;
    }
    void Set(uint64_t value) const { ACL_EXPECT_OK(aclrtMemcpy(value_, 8, &value, 8, ACL_MEMCPY_HOST_TO_DEVICE)); }
    // Sets the value in stream order.
    aclError Write(uint64_t value, aclrtStream stream) const { return aclrtValueWrite(value_, value, 0, stream); }
    // Adds a 32-bit number in device memory to the value's lower half, in stream order.
    aclError Add(const void* other, aclrtStream stream) const {
        return aclrtReduceAsync(value_, other, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, nullptr);
    }

  private:
    aclmdlRICondHandle handle_ = nullptr;
    uint64_t* value_ = nullptr;
};

// Adds a conditional task to a stream; returns its bodies.
inline std::vector<aclmdlRI> AddTask(aclmdlRICondHandle handle, aclmdlRICondTaskType type, uint32_t size,
                                     aclrtStream stream) {
    std::vector<aclmdlRI> bodies(size);
    const aclmdlRICondTaskParams params{handle, type, size, bodies.data()};
    ExpectOk("aclmdlRIAddCondTask", aclmdlRIAddCondTask(params, stream, 0));
    return bodies;
}

// Captures what `work` submits to the stream into a body.
template <typename Work>
void CaptureBody(aclmdlRI body, aclrtStream stream, Work work,
                 aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) {
    ExpectOk("aclmdlRICaptureToModelRIBegin", aclmdlRICaptureToModelRIBegin(stream, body, mode));
    work();
    aclmdlRI same = nullptr;
    ExpectOk("aclmdlRICaptureEnd", aclmdlRICaptureEnd(stream, &same));
    EXPECT_EQ(same, body);
}

}  // namespace portacl_test
