// Callbacks on a thread of the program: it uses results as they arrive, while the device continues.
//
// A device generates one block of numbers after the other and copies each to one of two host
// buffers. A consumer thread sums every block in a blocking callback. The stream waits until the
// callback returns: so a buffer is not overwritten before its block was summed. After each round of
// buffers a non-blocking callback prints the progress, and delays nothing.
//
// usage: 06_callbacks [BLOCKS]     default: 64 blocks of 262144 numbers

#include <acl/acl.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
#include <vector>

namespace {

constexpr size_t kNumbers = 262144;
constexpr size_t kBytes = kNumbers * sizeof(int32_t);
constexpr int kBuffers = 2;

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

// The thread that runs callbacks: it processes them until the stop flag is set.
class Consumer {
  public:
    Consumer() : thread_([this] { Run(); }), id_(started_.get_future().get()) {}
    ~Consumer() {
        stop_ = true;
        thread_.join();
    }
    Consumer(const Consumer&) = delete;
    Consumer& operator=(const Consumer&) = delete;

    // The id under which the library lists the thread.
    uint64_t Id() const { return id_; }

  private:
    void Run() {
        started_.set_value(static_cast<uint64_t>(pthread_self()));
        while (!stop_) {
            // Both mean that there is nothing to run: no callback arrived in time, or this thread
            // is not subscribed yet, or not any more.
            const aclError code = aclrtProcessReport(100);
            if (code == ACL_ERROR_RT_THREAD_SUBSCRIBE) std::this_thread::yield();
            if (code != ACL_ERROR_RT_THREAD_SUBSCRIBE && code != ACL_ERROR_RT_REPORT_TIMEOUT) CHECK(code);
        }
    }

    std::atomic<bool> stop_{false};
    std::promise<uint64_t> started_;
    std::thread thread_;
    uint64_t id_;
};

// The argument of a callback. It must stay valid until the callback has run.
struct Addition {
    const int32_t* numbers;
    int64_t sum;
};

void AddUp(void* argument) {
    auto* block = static_cast<Addition*>(argument);
    for (size_t i = 0; i < kNumbers; ++i) block->sum += block->numbers[i];
}

void PrintProgress(void* argument) {
    static_cast<std::atomic<int>*>(argument)->fetch_add(1);
}

}  // namespace

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 64;
    if (count < 1) {
        std::fprintf(stderr, "usage: %s [BLOCKS], at least 1\n", argv[0]);
        return EXIT_FAILURE;
    }
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));

    bool right = true;
    {
        aclrtStream stream = nullptr;
        void *current = nullptr, *one = nullptr, *host[kBuffers] = {};
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtMalloc(&current, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMalloc(&one, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
        for (void*& buffer : host) CHECK(aclrtMallocHost(&buffer, kBytes));

        std::vector<Addition> blocks(count);
        std::atomic<int> rounds{0};
        Consumer consumer;
        CHECK(aclrtSubscribeReport(consumer.Id(), stream));

        // Every element of block n is the number n + 1.
        CHECK(aclrtMemsetAsync(current, kBytes, 0, kBytes, stream));
        CHECK(aclrtMemsetD32Async(one, kBytes, 1, kNumbers, stream));
        for (int n = 0; n < count; ++n) {
            void* const buffer = host[n % kBuffers];
            CHECK(aclrtReduceAsync(current, one, kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, nullptr));
            CHECK(aclrtMemcpyAsync(buffer, kBytes, current, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            blocks[n] = {static_cast<const int32_t*>(buffer), 0};
            CHECK(aclrtLaunchCallback(AddUp, &blocks[n], ACL_CALLBACK_BLOCK, stream));
            if (n % kBuffers == kBuffers - 1)
                CHECK(aclrtLaunchCallback(PrintProgress, &rounds, ACL_CALLBACK_NO_BLOCK, stream));
        }
        // Waits for blocking callbacks and all other work; the end of the subscription waits for
        // all callbacks.
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(aclrtUnSubscribeReport(consumer.Id(), stream));

        for (int n = 0; n < count; ++n) right &= blocks[n].sum == int64_t(n + 1) * static_cast<int64_t>(kNumbers);
        right &= rounds == count / kBuffers;
        std::printf("%d blocks of %zu numbers added up in a thread of the program: %s\n", count, kNumbers,
                    right ? "right" : "WRONG");

        for (void* buffer : host) CHECK(aclrtFreeHost(buffer));
        CHECK(aclrtFree(one));
        CHECK(aclrtFree(current));
        CHECK(aclrtDestroyStream(stream));
    }
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
