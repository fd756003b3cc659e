// Graphs that tests build from bound streams.
#pragma once

#include <acl/acl.h>

#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/objects.h"

namespace portacl_test {

// Flags of aclmdlRIBindStream: a run starts the stream, or another stream starts it.
constexpr uint32_t kHead = 0, kDefault = 0x7FFFFFFF;

// A persistent stream, which stores its work. Declare it before the graph that it is bound to.
class Persistent {
  public:
    Persistent() {
        ExpectOk("aclrtCreateStreamWithConfig", aclrtCreateStreamWithConfig(&handle_, 0, ACL_STREAM_PERSISTENT));
    }
    ~Persistent() {
        if (handle_) ExpectOk("aclrtDestroyStream", aclrtDestroyStream(handle_));
    }
    Persistent(const Persistent&) = delete;
    Persistent& operator=(const Persistent&) = delete;

    operator aclrtStream() const { return handle_; }

    // Gives the object up: the test destroys it.
    aclrtStream Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtStream handle_ = nullptr;
};

// A graph that is being built, or has been built.
class Built {
  public:
    Built() { ExpectOk("aclmdlRIBuildBegin", aclmdlRIBuildBegin(&handle_, 0)); }
    ~Built() {
        if (handle_) ExpectOk("aclmdlRIDestroy", aclmdlRIDestroy(handle_));
    }
    Built(const Built&) = delete;
    Built& operator=(const Built&) = delete;

    operator aclmdlRI() const { return handle_; }

    void Bind(aclrtStream stream, uint32_t flag = kHead) const {
        ExpectOk("aclmdlRIBindStream", aclmdlRIBindStream(handle_, stream, flag));
    }

    // Ends `stream` and the building.
    void End(aclrtStream stream) const {
        ExpectOk("aclmdlRIEndTask", aclmdlRIEndTask(handle_, stream));
        ExpectOk("aclmdlRIBuildEnd", aclmdlRIBuildEnd(handle_, nullptr));
    }

    // Gives the object up: the test destroys it.
    aclmdlRI Release() { return std::exchange(handle_, nullptr); }

  private:
    aclmdlRI handle_ = nullptr;
};

// A label.
class Label {
  public:
    Label() { ExpectOk("aclrtCreateLabel", aclrtCreateLabel(&handle_)); }
    ~Label() {
        if (handle_) ExpectOk("aclrtDestroyLabel", aclrtDestroyLabel(handle_));
    }
    Label(const Label&) = delete;
    Label& operator=(const Label&) = delete;

    operator aclrtLabel() const { return handle_; }

    // Gives the object up: the test destroys it.
    aclrtLabel Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtLabel handle_ = nullptr;
};

// A list of labels.
class LabelList {
  public:
    explicit LabelList(std::vector<aclrtLabel> labels) {
        ExpectOk("aclrtCreateLabelList", aclrtCreateLabelList(labels.data(), labels.size(), &handle_));
    }
    ~LabelList() {
        if (handle_) ExpectOk("aclrtDestroyLabelList", aclrtDestroyLabelList(handle_));
    }
    LabelList(const LabelList&) = delete;
    LabelList& operator=(const LabelList&) = delete;

    operator aclrtLabelList() const { return handle_; }

    // Gives the object up: the test destroys it.
    aclrtLabelList Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtLabelList handle_ = nullptr;
};

}  // namespace portacl_test
