// Runs the workloads on an OpenCL CPU runtime: PoCL or Intel's, whichever the loader finds (OCL_ICD_VENDORS). A record
// is a marker that returns an event; a host function is a native kernel.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../workloads.h"

namespace {

void CheckCl(cl_int status, const char* call) {
    if (status == CL_SUCCESS) return;
    std::fprintf(stderr, "%s: OpenCL error %d\n", call, status);
    std::exit(1);
}

#define CL(call) CheckCl(call, #call)

struct Callback {
    void (*function)(void*);
    void* argument;
};

class OpenCl {
  public:
    static constexpr bool kHasEvents = true, kHasHostFunctions = true, kHasMemory = true, kHasHops = true;

    OpenCl() {
        cl_platform_id platform;
        CL(clGetPlatformIDs(1, &platform, nullptr));
        cl_device_id device;
        CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr));
        char name[128] = "";
        CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr));
        std::fprintf(stderr, "%s\n", name);
        cl_int status;
        context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
        CL(status);
        for (cl_command_queue& queue : queues_) {
            queue = clCreateCommandQueue(context_, device, 0, &status);
            CL(status);
        }
    }

    ~OpenCl() {
        if (event_) CL(clReleaseEvent(event_));
        if (buffer_) CL(clReleaseMemObject(buffer_));
        std::free(host_);
        for (const cl_command_queue queue : queues_) CL(clReleaseCommandQueue(queue));
        CL(clReleaseContext(context_));
    }

    void Mark(int queue) {
        if (event_) CL(clReleaseEvent(event_));
        CL(clEnqueueMarkerWithWaitList(queues_[queue], 0, nullptr, &event_));
    }
    void Finish(int queue) { CL(clFinish(queues_[queue])); }
    bool Query() {
        cl_int status;
        CL(clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
        return status == CL_COMPLETE;
    }
    void Call(int queue, void (*function)(void*), void* argument) {
        // The runtime copies the argument block.
        Callback callback{function, argument};
        const auto run = [](void* block) {
            const auto* call = static_cast<Callback*>(block);
            call->function(call->argument);
        };
        CL(clEnqueueNativeKernel(queues_[queue], run, &callback, sizeof callback, 0, nullptr, nullptr, 0, nullptr,
                                 nullptr));
    }
    void Hop(int from, int to) {
        cl_event event;
        CL(clEnqueueMarkerWithWaitList(queues_[from], 0, nullptr, &event));
        CL(clEnqueueBarrierWithWaitList(queues_[to], 1, &event, nullptr));
        CL(clReleaseEvent(event));
        // Without a flush a queue may not start its work.
        CL(clFlush(queues_[from]));
    }
    void Hold(int queue) {
        cl_int status;
        gate_ = clCreateUserEvent(context_, &status);
        CL(status);
        CL(clEnqueueBarrierWithWaitList(queues_[queue], 1, &gate_, nullptr));
    }
    void Release() {
        CL(clSetUserEventStatus(gate_, CL_COMPLETE));
        CL(clReleaseEvent(gate_));
    }
    void Prepare(std::size_t bytes) {
        if (posix_memalign(&host_, 4096, bytes) != 0) std::exit(1);
        std::memset(host_, 1, bytes);
        cl_int status;
        buffer_ = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &status);
        CL(status);
        Copy(0, bytes);
        Finish(0);
    }
    void Copy(int queue, std::size_t bytes) {
        CL(clEnqueueWriteBuffer(queues_[queue], buffer_, CL_FALSE, 0, bytes, host_, 0, nullptr, nullptr));
    }

  private:
    cl_context context_ = nullptr;
    cl_command_queue queues_[2] = {};
    cl_event event_ = nullptr;
    cl_event gate_ = nullptr;
    void* host_ = nullptr;
    cl_mem buffer_ = nullptr;
};

}  // namespace

int main() {
    OpenCl runtime;
    bench::RunAll(runtime);
}
