#include "calls.h"

#include "memory_steps.h"

namespace portacl_fuzz {

namespace {

constexpr int kMostCalls = 200;

void Nothing(void*) {}

class Run : public MemorySteps {
  public:
    explicit Run(const Bytes& bytes) : MemorySteps(bytes) {}

    Seen Calls() {
        Expect("aclrtSetDevice", aclrtSetDevice(0));
        for (int count = 0; count < kMostCalls && !input_.IsAtEnd(); count++) One();
        End();
        return seen_;
    }

  private:
    using Step = void (Run::*)();

    void One() {
        static constexpr Step kSteps[] = {
            &Run::SetDevice,     &Run::CreateContext, &Run::DestroyContext, &Run::UseContext,  &Run::CreateStream,
            &Run::DestroyStream, &Run::Synchronize,   &Run::QueryStream,    &Run::AbortStream, &Run::CreateEvent,
            &Run::DestroyEvent,  &Run::Record,        &Run::WaitEvent,      &Run::QueryEvent,  &Run::ResetEvent,
            &Run::Elapsed,       &Run::Malloc,        &Run::Free,           &Run::MallocHost,  &Run::FreeHost,
            &Run::Copy,          &Run::CopyAsync,     &Run::Fill,           &Run::FillAsync,   &Run::CreatePool,
            &Run::DestroyPool,   &Run::PoolMalloc,    &Run::PoolFree,       &Run::PoolTrim,    &Run::PoolAttribute,
            &Run::BeginCapture,  &Run::EndCapture,    &Run::CaptureInfo,    &Run::Launch,      &Run::DestroyGraph,
            &Run::HostFunction,  &Run::Reduce,        &Run::NullOutputs,    &Run::Reset,
        };
        (this->*kSteps[input_.Byte() % std::size(kSteps)])();
    }

    void SetDevice() {
        // The inputs use one device, so access of other devices to a pool is not tested.
        const int device = input_.Byte() < 200 ? 0 : -1 - input_.Enumerator(3);
        Note("aclrtSetDevice", aclrtSetDevice(device), device != 0);
    }

    void CreateContext() {
        void* context = nullptr;
        const int device = input_.Byte() < 220 ? 0 : -1;
        if (Note("aclrtCreateContext", aclrtCreateContext(&context, device), device < 0) == ACL_SUCCESS) {
            objects_.Add(HandleKind::kContext, context);
        }
    }

    void DestroyContext() {
        const Choice context = Choose(HandleKind::kContext);
        if (Note("aclrtDestroyContext", aclrtDestroyContext(context.handle), context.is_wrong) == ACL_SUCCESS) {
            // Streams and graphs of the context ended with it.
            objects_.MayBeInvalid();
            aclrtSetDevice(0);
        }
    }

    void UseContext() {
        const Choice context = Choose(HandleKind::kContext);
        Note("aclrtSetCurrentContext", aclrtSetCurrentContext(context.handle), context.is_wrong);
    }

    void CreateStream() {
        void* stream = nullptr;
        const uint32_t priority = input_.Byte() % 10, flags = input_.Byte() % 64;
        if (Note("aclrtCreateStreamWithConfig", aclrtCreateStreamWithConfig(&stream, priority, flags)) == ACL_SUCCESS) {
            objects_.Add(HandleKind::kStream, stream);
        }
    }

    void DestroyStream() {
        const Choice stream = Choose(HandleKind::kStream);
        const bool force = input_.Byte() % 2;
        const aclError code =
            force ? Note("aclrtDestroyStreamForce", aclrtDestroyStreamForce(stream.handle), stream.is_wrong)
                  : Note("aclrtDestroyStream", aclrtDestroyStream(stream.handle), stream.is_wrong);
        if (code == ACL_SUCCESS) objects_.Destroyed(HandleKind::kStream, stream.handle);
    }

    void Synchronize() {
        const Choice stream = Choose(HandleKind::kStream);
        switch (input_.Byte() % 3) {
            case 0:
                Note("aclrtSynchronizeStream", aclrtSynchronizeStream(stream.handle), stream.is_wrong);
                break;
            case 1:
                Note("aclrtSynchronizeStreamWithTimeout", aclrtSynchronizeStreamWithTimeout(stream.handle, 1000),
                     stream.is_wrong);
                break;
            default:
                Note("aclrtSynchronizeDevice", aclrtSynchronizeDevice());
        }
    }

    void QueryStream() {
        const Choice stream = Choose(HandleKind::kStream);
        aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
        Note("aclrtStreamQuery", aclrtStreamQuery(stream.handle, &status), stream.is_wrong);
    }

    void AbortStream() {
        const Choice stream = Choose(HandleKind::kStream);
        Note("aclrtStreamAbort", aclrtStreamAbort(stream.handle), stream.is_wrong);
    }

    void CreateEvent() {
        void* event = nullptr;
        const uint32_t flags = input_.Byte() < 200 ? 1U << input_.Byte() % 5 : input_.Word();
        if (Note("aclrtCreateEventExWithFlag", aclrtCreateEventExWithFlag(&event, flags)) == ACL_SUCCESS) {
            objects_.Add(HandleKind::kEvent, event);
        }
    }

    void DestroyEvent() {
        const Choice event = Choose(HandleKind::kEvent);
        if (Note("aclrtDestroyEvent", aclrtDestroyEvent(event.handle), event.is_wrong) == ACL_SUCCESS) {
            objects_.Destroyed(HandleKind::kEvent, event.handle);
        }
    }

    void Record() {
        const Choice event = Choose(HandleKind::kEvent), stream = Choose(HandleKind::kStream);
        Note("aclrtRecordEvent", aclrtRecordEvent(event.handle, stream.handle), event.is_wrong || stream.is_wrong);
    }

    void WaitEvent() {
        const Choice event = Choose(HandleKind::kEvent), stream = Choose(HandleKind::kStream);
        Note("aclrtStreamWaitEvent", aclrtStreamWaitEvent(stream.handle, event.handle),
             event.is_wrong || stream.is_wrong);
    }

    void QueryEvent() {
        const Choice event = Choose(HandleKind::kEvent);
        aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        Note("aclrtQueryEventStatus", aclrtQueryEventStatus(event.handle, &status), event.is_wrong);
    }

    void ResetEvent() {
        const Choice event = Choose(HandleKind::kEvent), stream = Choose(HandleKind::kStream);
        Note("aclrtResetEvent", aclrtResetEvent(event.handle, stream.handle), event.is_wrong || stream.is_wrong);
    }

    void Elapsed() {
        const Choice start = Choose(HandleKind::kEvent), end = Choose(HandleKind::kEvent);
        float ms = 0;
        Note("aclrtEventElapsedTime", aclrtEventElapsedTime(&ms, start.handle, end.handle),
             start.is_wrong || end.is_wrong);
    }

    void BeginCapture() {
        const Choice stream = Choose(HandleKind::kStream);
        const auto mode = static_cast<aclmdlRICaptureMode>(input_.Enumerator(3));
        Note("aclmdlRICaptureBegin", aclmdlRICaptureBegin(stream.handle, mode), stream.is_wrong);
    }

    void EndCapture() {
        const Choice stream = Choose(HandleKind::kStream);
        void* graph = nullptr;
        if (Note("aclmdlRICaptureEnd", aclmdlRICaptureEnd(stream.handle, &graph), stream.is_wrong) == ACL_SUCCESS &&
            graph) {
            objects_.Add(HandleKind::kGraph, graph);
        }
    }

    void CaptureInfo() {
        const Choice stream = Choose(HandleKind::kStream);
        aclmdlRICaptureStatus status{};
        void* graph = nullptr;
        Note("aclmdlRICaptureGetInfo", aclmdlRICaptureGetInfo(stream.handle, &status, &graph), stream.is_wrong);
    }

    void Launch() {
        const Choice graph = Choose(HandleKind::kGraph), stream = Choose(HandleKind::kStream);
        Note("aclmdlRIExecuteAsync", aclmdlRIExecuteAsync(graph.handle, stream.handle),
             graph.is_wrong || stream.is_wrong);
    }

    void DestroyGraph() {
        const Choice graph = Choose(HandleKind::kGraph);
        if (Note("aclmdlRIDestroy", aclmdlRIDestroy(graph.handle), graph.is_wrong) == ACL_SUCCESS) {
            objects_.Destroyed(HandleKind::kGraph, graph.handle);
        }
    }

    void HostFunction() {
        const Choice stream = Choose(HandleKind::kStream);
        Note("aclrtLaunchHostFunc",
             aclrtLaunchHostFunc(stream.handle, input_.Byte() < 224 ? Nothing : nullptr, nullptr), stream.is_wrong);
    }

    void NullOutputs() {
        switch (input_.Byte() % 6) {
            case 0:
                Note("aclrtMalloc", aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST), true);
                break;
            case 1:
                Note("aclrtCreateStream", aclrtCreateStream(nullptr), true);
                break;
            case 2:
                Note("aclrtCreateEvent", aclrtCreateEvent(nullptr), true);
                break;
            case 3:
                Note("aclrtMemPoolCreate", aclrtMemPoolCreate(nullptr, nullptr), true);
                break;
            case 4:
                Note("aclrtGetDevice", aclrtGetDevice(nullptr), true);
                break;
            default:
                Note("aclrtMemcpy", aclrtMemcpy(nullptr, 8, host_.data(), 8, ACL_MEMCPY_HOST_TO_HOST), true);
        }
    }

    void Reset() {
        // Seldom, because it destroys most of what the input has created.
        if (input_.Byte() < 192) return;
        const bool force = input_.Byte() % 2;
        const aclError code = force ? Note("aclrtResetDeviceForce", aclrtResetDeviceForce(0))
                                    : Note("aclrtResetDevice", aclrtResetDevice(0));
        if (code == ACL_SUCCESS) {
            Forget();
            Expect("aclrtSetDevice", aclrtSetDevice(0));
        }
    }

    // After a reset of the device, all of its addresses are invalid.
    void Forget() {
        objects_.MayBeInvalid();
        device_.clear();
        pooled_.erase(
            std::remove_if(pooled_.begin(), pooled_.end(), [](const Allocation& block) { return !block.is_host; }),
            pooled_.end());
    }

    void End() {
        for (const Allocation& block : pinned_) Note("aclrtFreeHost", aclrtFreeHost(block.memory));
        Expect("aclrtSetDevice", aclrtSetDevice(0));
        Note("aclrtResetDeviceForce", aclrtResetDeviceForce(0));
        Forget();
        EndHostPools();
        uint32_t left = 0;
        Expect("portaclMemorySnapshot", LiveMemory(&left));
        if (left != 0)
            Broken("aclrtResetDeviceForce", "memory outlives the devices and the frees", static_cast<int>(left));
    }

    // Their memory is freed in stream order, which needs a device.
    void EndHostPools() {
        if (pooled_.empty()) return;
        Expect("aclrtSetDevice", aclrtSetDevice(0));
        for (const Allocation& block : pooled_) {
            Expect("aclrtMemPoolFreeAsync", aclrtMemPoolFreeAsync(block.memory, nullptr));
        }
        Expect("aclrtSynchronizeDevice", aclrtSynchronizeDevice());
        Expect("aclrtResetDeviceForce", aclrtResetDeviceForce(0));
    }

    static aclError LiveMemory(uint32_t* left) {
        size_t count = 0;
        const aclError code = portaclMemorySnapshot(nullptr, 0, &count);
        *left = static_cast<uint32_t>(count);
        return code;
    }
};

}  // namespace

Seen RunInput(const Bytes& bytes) {
    return Run(bytes).Calls();
}

}  // namespace portacl_fuzz
