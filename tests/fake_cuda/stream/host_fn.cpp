// Host functions: one thread for all streams of the process, as a driver may have. A program whose
// host functions of different streams wait for each other deadlocks here.

#include <pthread.h>

#include "stream/host_fn.h"
#include "stream/stream.h"

// Assumption: Host functions of different streams may run one after the other on one thread, and may not call the
// driver.
// Source: CUDA Driver API, Execution Control: cuLaunchHostFunc
// Test: HostFunction.FunctionsOfDifferentStreamsMayWaitForEachOther, HostFunction.BlocksItsStreamOnly

namespace fake {
namespace {

struct Request {
    CUhostFn function;
    void* data;
    bool done = false;
};

struct Server {
    std::deque<Request*> queue;
    std::condition_variable more;
    bool started = false;
};

Server& server() {
    static auto* const value = new Server;
    return *value;
}

void* run_host_functions(void*) {
    pthread_setname_np(pthread_self(), "fake_cuda:host");
    enter_host_function_thread();
    Server& mine = server();
    Lock lock(state().mutex);
    for (;;) {
        mine.more.wait(lock, [&] { return !mine.queue.empty(); });
        Request* request = mine.queue.front();
        mine.queue.pop_front();
        lock.unlock();
        request->function(request->data);
        lock.lock();
        request->done = true;
        state().changed.notify_all();
    }
}

bool start() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const bool started = pthread_create(&thread, &attributes, run_host_functions, nullptr) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

CUresult run(CUhostFn function, void* data) {
    Request request{function, data};
    Lock lock(state().mutex);
    server().queue.push_back(&request);
    server().more.notify_one();
    state().changed.wait(lock, [&] { return request.done; });
    return CUDA_SUCCESS;
}

}  // namespace

CUresult queue_host_function(const Call& call, Stream& stream, CUhostFn function, void* data) {
    if (!server().started) {
        if (!start()) return CUDA_ERROR_OUT_OF_MEMORY;
        server().started = true;
    }
    Operation operation;
    operation.takes_place = true;
    operation.body = [function, data] { return run(function, data); };
    return submit(call, stream, std::move(operation));
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    if (function == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "fn is null");
    return queue_host_function(call, *stream, function, data);
}
