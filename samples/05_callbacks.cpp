// Callbacks in a thread of the program: results are used as they arrive, in a thread that the
// program owns, while the device goes on.
//
// A device makes one block of numbers after the other and copies each to one of two host buffers. A
// consumer thread adds every block up. It is called back by a blocking callback, behind which the
// stream waits: so a buffer is not overwritten before its block was added. After each round of
// buffers a callback that does not block tells how far things are, and holds nothing up.
//
// usage: 05_callbacks [BLOCKS]     default: 64 blocks of 262144 numbers

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

// Ends the program, in the library's own words, when a call has failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code,
                 text ? text : "no text");
    std::exit(EXIT_FAILURE);
}

// The thread in which callbacks run: it looks for them until it is told to stop.
class Consumer {
  public:
    Consumer() : thread_([this] { Run(); }), id_(started_.get_future().get()) {}
    ~Consumer() {
        stop_ = true;
        thread_.join();
    }
    Consumer(const Consumer&) = delete;
    Consumer& operator=(const Consumer&) = delete;

    // How the library calls the thread.
    uint64_t Id() const { return id_; }

  private:
    void Run() {
        started_.set_value(static_cast<uint64_t>(pthread_self()));
        while (!stop_) {
            // Both mean that there is nothing to run: nothing came in time, or no stream has
            // subscribed this thread yet, or the last one does not need it any more.
            const aclError code = aclrtProcessReport(100);
            if (code == ACL_ERROR_RT_THREAD_SUBSCRIBE) std::this_thread::yield();
            if (code != ACL_ERROR_RT_THREAD_SUBSCRIBE && code != ACL_ERROR_RT_REPORT_TIMEOUT)
                CHECK(code);
        }
    }

    std::atomic<bool> stop_{false};
    std::promise<uint64_t> started_;
    std::thread thread_;
    uint64_t id_;
};

// What a callback is given. It must live until the callback has run.
struct Block {
    const int32_t* numbers;
    int64_t sum;
};

void AddUp(void* argument) {
    auto* block = static_cast<Block*>(argument);
    for (size_t i = 0; i < kNumbers; ++i) block->sum += block->numbers[i];
}

void TellProgress(void* argument) {
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

        std::vector<Block> blocks(count);
        std::atomic<int> rounds{0};
        Consumer consumer;
        CHECK(aclrtSubscribeReport(consumer.Id(), stream));

        // Block n holds nothing but the number n + 1.
        CHECK(aclrtMemsetAsync(current, kBytes, 0, kBytes, stream));
        CHECK(aclrtMemsetD32Async(one, kBytes, 1, kNumbers, stream));
        for (int n = 0; n < count; ++n) {
            void* const buffer = host[n % kBuffers];
            CHECK(aclrtReduceAsync(current, one, kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                   ACL_INT32, stream, nullptr));
            CHECK(aclrtMemcpyAsync(buffer, kBytes, current, kBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                                   stream));
            blocks[n] = {static_cast<const int32_t*>(buffer), 0};
            CHECK(aclrtLaunchCallback(AddUp, &blocks[n], ACL_CALLBACK_BLOCK, stream));
            if (n % kBuffers == kBuffers - 1)
                CHECK(aclrtLaunchCallback(TellProgress, &rounds, ACL_CALLBACK_NO_BLOCK, stream));
        }
        // Waits for blocking callbacks with everything else; the end of the subscription waits for
        // all callbacks.
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(aclrtUnSubscribeReport(consumer.Id(), stream));

        for (int n = 0; n < count; ++n)
            right &= blocks[n].sum == int64_t(n + 1) * static_cast<int64_t>(kNumbers);
        right &= rounds == count / kBuffers;
        std::printf("%d blocks of %zu numbers added up in a thread of the program: %s\n", count,
                    kNumbers, right ? "right" : "WRONG");

        for (void* buffer : host) CHECK(aclrtFreeHost(buffer));
        CHECK(aclrtFree(one));
        CHECK(aclrtFree(current));
        CHECK(aclrtDestroyStream(stream));
    }
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
