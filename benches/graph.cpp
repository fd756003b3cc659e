// Measures a graph of 1,000 small tasks: launching it compared with enqueuing the same tasks on a stream, alternating.
#include <string>
#include <vector>

#include "acl_check.h"
#include "measure.h"

namespace {

constexpr int kTasks = 1000;
constexpr int kRounds = 200;
constexpr std::size_t kBytes = 64;

class GraphTasks {
  public:
    GraphTasks() {
        ACL(aclrtCreateStream(&stream_));
        ACL(aclrtCreateStream(&other_));
        ACL(aclrtCreateEventExWithFlag(&fork_, ACL_EVENT_SYNC));
        ACL(aclrtCreateEventExWithFlag(&join_, ACL_EVENT_SYNC));
        ACL(aclrtMalloc(reinterpret_cast<void**>(&memory_), 2 * kTasks * kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    ~GraphTasks() {
        ACL(aclrtFree(memory_));
        ACL(aclrtDestroyEvent(join_));
        ACL(aclrtDestroyEvent(fork_));
        ACL(aclrtDestroyStream(other_));
        ACL(aclrtDestroyStream(stream_));
    }

    void Copies() {
        for (int i = 0; i < kTasks; i++) Copy(i, stream_);
    }

    // Enqueues alternating copies and fills.
    void CopiesAndFills() {
        for (int i = 0; i < kTasks; i += 2) {
            Copy(i, stream_);
            ACL(aclrtMemsetAsync(At(i), kBytes, i, kBytes, stream_));
        }
    }

    // Enqueues the same on two streams that wait for each other after every ten tasks.
    void TwoStreams() {
        for (int i = 0; i < kTasks; i += 20) {
            ACL(aclrtRecordEvent(fork_, stream_));
            ACL(aclrtStreamWaitEvent(other_, fork_));
            for (int j = i; j < i + 10; j++) Copy(j, stream_);
            for (int j = i + 10; j < i + 20; j++) Copy(j, other_);
            ACL(aclrtRecordEvent(join_, other_));
            ACL(aclrtStreamWaitEvent(stream_, join_));
        }
    }

    // Reports both in nanoseconds per task, with a synchronize at the end.
    void Compare(const std::string& name, void (GraphTasks::*issue)()) {
        ACL(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        (this->*issue)();
        aclmdlRI graph = nullptr;
        ACL(aclmdlRICaptureEnd(stream_, &graph));
        std::vector<double> issued, replayed;
        for (int round = 0; round < kRounds; round++) {
            issued.push_back(Once([&] { (this->*issue)(); }));
            replayed.push_back(Once([&] { ACL(aclmdlRIExecuteAsync(graph, stream_)); }));
        }
        ACL(aclmdlRIDestroy(graph));
        bench::Report(("issued: " + name).c_str(), bench::Median(issued), "ns");
        bench::Report(("replayed: " + name).c_str(), bench::Median(replayed), "ns");
    }

  private:
    char* At(int place) const { return memory_ + place * kBytes; }

    void Copy(int i, aclrtStream stream) {
        ACL(aclrtMemcpyAsync(At(kTasks + i), kBytes, At(i), kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    }

    template <typename Call>
    double Once(Call call) {
        return bench::PerCall(1,
                              [&] {
                                  call();
                                  ACL(aclrtSynchronizeStream(stream_));
                              }) /
               kTasks;
    }

    aclrtStream stream_ = nullptr, other_ = nullptr;
    aclrtEvent fork_ = nullptr, join_ = nullptr;
    char* memory_ = nullptr;
};

}  // namespace

int main() {
    ACL(aclInit(nullptr));
    ACL(aclrtSetDevice(0));
    {
        GraphTasks work;
        work.Compare("1,000 copies of 64 B", &GraphTasks::Copies);
        work.Compare("1,000 copies and fills of 64 B", &GraphTasks::CopiesAndFills);
        work.Compare("1,000 copies of 64 B on two streams", &GraphTasks::TwoStreams);
    }
    ACL(aclrtResetDevice(0));
    ACL(aclFinalize());
}
