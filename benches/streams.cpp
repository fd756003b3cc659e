// Runs the workloads on portacl's streams.
#include <cstring>
#include <future>

#include "acl_check.h"
#include "workloads.h"

namespace {

class Portacl {
  public:
    static constexpr bool kHasEvents = true, kHasHostFunctions = true, kHasMemory = true, kHasHops = true;

    Portacl() {
        ACL(aclInit(nullptr));
        ACL(aclrtSetDevice(0));
        for (aclrtStream& stream : streams_) ACL(aclrtCreateStream(&stream));
        ACL(aclrtCreateEventExWithFlag(&event_, ACL_EVENT_SYNC));
        for (aclrtEvent& hop : hops_) ACL(aclrtCreateEventExWithFlag(&hop, ACL_EVENT_SYNC));
    }

    ~Portacl() {
        if (device_) ACL(aclrtFree(device_));
        if (host_) ACL(aclrtFreeHost(host_));
        ACL(aclrtDestroyEvent(event_));
        for (const aclrtEvent hop : hops_) ACL(aclrtDestroyEvent(hop));
        for (const aclrtStream stream : streams_) ACL(aclrtDestroyStream(stream));
        ACL(aclrtResetDevice(0));
        ACL(aclFinalize());
    }

    void Mark(int queue) { ACL(aclrtRecordEvent(event_, streams_[queue])); }
    void Finish(int queue) { ACL(aclrtSynchronizeStream(streams_[queue])); }
    bool Query() {
        aclrtEventRecordedStatus status;
        ACL(aclrtQueryEventStatus(event_, &status));
        return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
    }
    void Call(int queue, void (*function)(void*), void* argument) {
        ACL(aclrtLaunchHostFunc(streams_[queue], function, argument));
    }
    void Hop(int from, int to) {
        ACL(aclrtRecordEvent(hops_[from], streams_[from]));
        ACL(aclrtStreamWaitEvent(streams_[to], hops_[from]));
    }
    void Hold(int queue) {
        gate_ = std::promise<void>();
        Call(
            queue, [](void* self) { static_cast<Portacl*>(self)->gate_.get_future().wait(); }, this);
    }
    void Release() { gate_.set_value(); }
    void Prepare(std::size_t bytes) {
        ACL(aclrtMallocHost(&host_, bytes));
        std::memset(host_, 1, bytes);
        ACL(aclrtMalloc(&device_, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL(aclrtMemset(device_, bytes, 0, bytes));
    }
    void Copy(int queue, std::size_t bytes) {
        ACL(aclrtMemcpyAsync(device_, bytes, host_, bytes, ACL_MEMCPY_HOST_TO_DEVICE, streams_[queue]));
    }

  private:
    aclrtStream streams_[2] = {};
    aclrtEvent event_ = nullptr;
    aclrtEvent hops_[2] = {};
    std::promise<void> gate_;
    void* host_ = nullptr;
    void* device_ = nullptr;
};

}  // namespace

int main() {
    Portacl runtime;
    bench::RunAll(runtime);
}
