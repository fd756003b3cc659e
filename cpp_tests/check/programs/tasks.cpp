// Faults around tasks of the host: they declare the memory that they read and write.
#include <future>

#include "check/programs/program.h"

namespace {

aclError Nothing(portaclTask, void* const*, void*) {
    return ACL_SUCCESS;
}

void Launch(aclrtStream stream, char* at, portaclTaskAccess access, size_t size = World::kSize) {
    const portaclTaskBuffer buffer{at, size, access};
    OK(portaclLaunchTask(stream, Nothing, nullptr, &buffer, 1, nullptr));
}

// A copy in another stream writes what the task reads.
void TaskReads(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    if (is_fixed) world.Order();
    Launch(world.second, world.device, PORTACL_TASK_READ);
}

void TaskWrites(World& world, bool is_fixed) {
    Launch(world.first, world.device, PORTACL_TASK_WRITE);
    if (is_fixed) world.Order();
    world.ToHost(world.second, world.device);
}

// Both tasks may read the same memory.
void TwoTasks(World& world, bool is_fixed) {
    Launch(world.first, world.device, PORTACL_TASK_READ);
    Launch(world.second, world.device, is_fixed ? PORTACL_TASK_READ : PORTACL_TASK_READ_WRITE);
}

// The last byte of one buffer is the first of the other one.
void TaskBeside(World& world, bool is_fixed) {
    Launch(world.first, world.device, PORTACL_TASK_WRITE, 100);
    world.Fill(world.device + (is_fixed ? 100 : 99), world.second, 100);
}

void TaskInAGraph(World& world, bool is_fixed) {
    aclmdlRI graph = nullptr;
    OK(aclmdlRICaptureBegin(world.first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    Launch(world.first, world.device, PORTACL_TASK_WRITE);
    OK(aclmdlRICaptureEnd(world.first, &graph));
    OK(aclmdlRIExecuteAsync(graph, world.first));
    if (is_fixed) world.Order();
    world.ToHost(world.second, world.device);
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
}

// New memory, which the task of the faulty program reads, and the other one writes.
void TaskReadsNewMemory(World& world, bool is_fixed) {
    char* memory = nullptr;
    OK(aclrtMalloc(reinterpret_cast<void**>(&memory), World::kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    Launch(world.first, memory, is_fixed ? PORTACL_TASK_WRITE : PORTACL_TASK_READ);
    // What a task has written has contents.
    if (is_fixed) Launch(world.first, memory, PORTACL_TASK_READ_WRITE);
    OK(aclrtSynchronizeStream(world.first));
    OK(aclrtFree(memory));
}

// A task in a graph gives the memory its contents, which later work of the graph reads.
void TaskWritesInAGraph(World& world, bool is_fixed) {
    char* memory = nullptr;
    OK(aclrtMalloc(reinterpret_cast<void**>(&memory), World::kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    aclmdlRI graph = nullptr;
    OK(aclmdlRICaptureBegin(world.first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    Launch(world.first, memory, is_fixed ? PORTACL_TASK_WRITE : PORTACL_TASK_READ);
    OK(aclrtMemcpyAsync(world.other, World::kSize, is_fixed ? memory : world.device, World::kSize,
                        ACL_MEMCPY_DEVICE_TO_DEVICE, world.first));
    OK(aclmdlRICaptureEnd(world.first, &graph));
    OK(aclmdlRIExecuteAsync(graph, world.first));
    OK(aclrtSynchronizeStream(world.first));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(memory));
}

// A task that has begun shows that earlier work of its stream is complete, as a host function does.
void TaskSignals(World& world, bool is_fixed) {
    std::promise<void> begun;
    world.Fill(world.device, is_fixed ? world.first : world.second);
    const auto signal = [](portaclTask, void* const*, void* data) -> aclError {
        static_cast<std::promise<void>*>(data)->set_value();
        return ACL_SUCCESS;
    };
    OK(portaclLaunchTask(world.first, signal, &begun, nullptr, 0, nullptr));
    begun.get_future().wait();
    OK(aclrtMemcpy(world.pageable.data(), world.kSize, world.device, world.kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtSynchronizeStream(world.first));
}

}  // namespace

const std::vector<Program> kTasks = {
    {"task_reads", TaskReads, "race", "portaclLaunchTask reads memory that aclrtMemsetAsync writes, and nothing"},
    {"task_writes", TaskWrites, "race", "aclrtMemcpyAsync reads memory that portaclLaunchTask writes, and nothing"},
    {"two_tasks", TwoTasks, "race", "portaclLaunchTask writes memory that portaclLaunchTask reads, and nothing"},
    {"task_beside", TaskBeside, "race", "aclrtMemsetAsync writes memory that portaclLaunchTask writes, and nothing"},
    {"task_in_a_graph", TaskInAGraph, "race",
     "aclrtMemcpyAsync reads memory that aclmdlRIExecuteAsync writes, and nothing"},
    {"task_reads_new_memory", TaskReadsNewMemory, "init",
     "portaclLaunchTask reads 65536 bytes that nothing wrote since aclrtMalloc"},
    {"task_writes_in_a_graph", TaskWritesInAGraph, "init",
     "aclmdlRIExecuteAsync reads 65536 bytes that nothing wrote since aclrtMalloc"},
    {"task_signals", TaskSignals, "race", "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
};
