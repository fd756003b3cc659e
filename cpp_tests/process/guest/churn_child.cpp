// Creates, uses and destroys many objects of one kind, one after the other, and prints by how many bytes the resident
// memory has grown between two of them.
//
// usage: churn_child KIND FROM TO
#include <acl/acl.h>
#include <acl/acl_rt_memory_soma.h>
#include <portacl/portacl.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "support/ok.h"

namespace {

constexpr size_t kSize = 4096;

long Resident() {
    long total = 0, resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%ld %ld", &total, &resident) != 2) std::abort();
    std::fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

aclrtStream stream;
void* memory;

void Use(aclrtStream used) {
    OK(aclrtMemsetAsync(memory, kSize, 0, 64, used));
    OK(aclrtSynchronizeStream(used));
}

void Stream() {
    aclrtStream made;
    OK(aclrtCreateStream(&made));
    Use(made);
    OK(aclrtDestroyStream(made));
}

// The host does not wait for its work.
void ForcedStream() {
    aclrtStream made;
    OK(aclrtCreateStream(&made));
    OK(aclrtMemsetAsync(memory, kSize, 0, 64, made));
    OK(aclrtDestroyStreamForce(made));
}

void Context() {
    aclrtContext made, before;
    OK(aclrtGetCurrentContext(&before));
    OK(aclrtCreateContext(&made, 0));
    Use(nullptr);
    OK(aclrtDestroyContext(made));
    OK(aclrtSetCurrentContext(before));
}

void Event() {
    aclrtEvent made;
    OK(aclrtCreateEvent(&made));
    OK(aclrtRecordEvent(made, stream));
    OK(aclrtStreamWaitEvent(stream, made));
    OK(aclrtSynchronizeEvent(made));
    OK(aclrtDestroyEvent(made));
}

void Notify() {
    aclrtNotify made;
    OK(aclrtCreateNotify(&made, 0));
    OK(aclrtRecordNotify(made, stream));
    OK(aclrtWaitAndResetNotify(made, stream, 0));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyNotify(made));
}

void Graph() {
    aclmdlRI made;
    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    OK(aclrtMemsetAsync(memory, kSize, 0, 64, stream));
    OK(aclmdlRICaptureEnd(stream, &made));
    OK(aclmdlRIExecuteAsync(made, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclmdlRIDestroy(made));
}

void Pool() {
    aclrtMemPoolProps props{};
    props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    aclrtMemPool made;
    void* block;
    OK(aclrtMemPoolCreate(&made, &props));
    OK(aclrtMemPoolMallocAsync(&block, 1024, made, stream));
    OK(aclrtMemsetAsync(block, 1024, 0, 64, stream));
    OK(aclrtMemPoolFreeAsync(block, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemPoolDestroy(made));
}

void Memory() {
    void* block;
    OK(aclrtMalloc(&block, 1024, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemsetAsync(block, 1024, 0, 64, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFree(block));
}

void HostMemory() {
    void* block;
    OK(aclrtMallocHost(&block, 1024));
    OK(aclrtMemcpyAsync(memory, kSize, block, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFreeHost(block));
}

void Buffer() {
    OK(aclDestroyDataBuffer(aclCreateDataBuffer(memory, kSize)));
}

void Thread() {
    std::thread([] {
        OK(aclrtSetDevice(0));
        Use(stream);
    }).join();
}

const std::map<std::string, void (*)()> kKinds = {{"stream", Stream},   {"forced_stream", ForcedStream},
                                                  {"context", Context}, {"event", Event},
                                                  {"notify", Notify},   {"graph", Graph},
                                                  {"pool", Pool},       {"memory", Memory},
                                                  {"host", HostMemory}, {"buffer", Buffer},
                                                  {"thread", Thread}};

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) return 2;
    const auto kind = kKinds.find(arguments[1]);
    if (kind == kKinds.end()) return 2;
    const long from = std::atol(arguments[2]), to = std::atol(arguments[3]);
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(memory, kSize, 0, kSize));
    OK(aclrtCreateStream(&stream));
    for (long i = 0; i < from; ++i) kind->second();
    const long before = Resident();
    for (long i = from; i < to; ++i) kind->second();
    std::printf("grown by %ld bytes\n", Resident() - before);
    OK(aclrtDestroyStream(stream));
    OK(aclrtFree(memory));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}
