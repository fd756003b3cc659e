// Memory of two processes in the fault sweep. The other process is a second instance of this
// program without faults: it exports, and waits until its input is closed.
#pragma once

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../did.h"

// The program argument that selects this role.
constexpr const char* kExporter = "export";

// What the other process exports.
struct Exported {
    char keys[2][65];
    uint64_t number;
    aclrtIpcEventHandle event;
};

constexpr size_t kPhysicalSize = 2 << 20;

// Drivers of GPUs export these kinds of memory in different ways. On CPUs there may be no huge pages.
inline std::vector<aclrtMemMallocPolicy> ExportedPolicies() {
    if (!IsCuda()) return {ACL_MEM_MALLOC_NORMAL_ONLY};
    return {ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE_ONLY};
}

inline aclrtDrvMemHandle MallocPhysical() {
    aclrtPhysicalMemProp props;
    std::memset(&props, 0, sizeof props);
    props.memAttr = ACL_HBM_MEM_HUGE;
    props.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    aclrtDrvMemHandle memory = nullptr;
    DID_OPTIONAL(aclrtMallocPhysical(&memory, kPhysicalSize, &props, 0));
    return memory;
}

inline void Export(Exported* exported) {
    size_t count = 0;
    for (const aclrtMemMallocPolicy policy : ExportedPolicies()) {
        void* memory = nullptr;
        char* const key = exported->keys[count++];
        if (DID(aclrtMalloc(&memory, kSize, policy)))
            DID(aclrtIpcMemGetExportKey(memory, kSize, key, sizeof exported->keys[0], 1));
    }
    if (const aclrtDrvMemHandle physical = MallocPhysical())
        DID_OPTIONAL(aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, 1, &exported->number));
    aclrtEvent event = nullptr;
    if (DID(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC))) DID(aclrtIpcGetEventHandle(event, &exported->event));
}

// The other process writes what it has exported to standard output, and ends when standard input is
// closed. Its own failures go to standard error, which the sweeps read.
inline int ExportAndWait() {
    const int to_parent = dup(STDOUT_FILENO);
    if (to_parent < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 2;
    Exported exported{};
    if (!DID(aclInit(nullptr))) return 1;
    if (DID(aclrtSetDevice(0))) Export(&exported);
    const bool reported = write(to_parent, &exported, sizeof exported) == sizeof exported;
    char end;
    while (read(STDIN_FILENO, &end, 1) > 0) {
    }
    DID(aclFinalize());
    return reported && failures == 0 ? 0 : 1;
}

// That process.
class Exporter {
  public:
    Exporter() {
        int out[2], in[2];
        if (pipe(out) != 0 || pipe(in) != 0) return;
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        for (const int end : {in[0], in[1], out[0], out[1]}) posix_spawn_file_actions_addclose(&actions, end);
        std::vector<char*> environment;
        for (char** entry = environ; *entry; ++entry) {
            const std::string text = *entry;
            // Faults, counts and leak checks apply only to the process that is swept.
            bool ours = false;
            for (const char* start : {"PORTACL_FAULT", "FAKE_CUDA_FAIL", "FAKE_CUDA_COUNT", "FAKE_CUDA_DELAY_US"})
                ours = ours || text.rfind(start, 0) == 0;
            if (!ours) environment.push_back(*entry);
        }
        // It starts again for each failure, so it uses a minimal configuration.
        std::string delay = "FAKE_CUDA_DELAY_US=0";
        environment.push_back(delay.data());
        environment.push_back(nullptr);
        std::string program = "/proc/self/exe", argument = kExporter;
        char* arguments[] = {program.data(), argument.data(), nullptr};
        const int error = posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments, environment.data());
        if (error != 0) {
            process_ = -1;
            ++failures;
            std::printf("the other process cannot be started: %s\n", std::strerror(error));
        }
        posix_spawn_file_actions_destroy(&actions);
        close(in[0]);
        close(out[1]);
        hold_ = in[1];
        has_exported_ = read(out[0], &exported_, sizeof exported_) == sizeof exported_;
        close(out[0]);
        Expect(has_exported_, "the other process exports");
    }
    ~Exporter() {
        close(hold_);
        int status = -1;
        if (process_ > 0) waitpid(process_, &status, 0);
        if (process_ > 0 && WIFSIGNALED(status))
            std::printf("WRONG: signal %d ends the other process\n", WTERMSIG(status));
        Expect(status == 0, "the other process ends well");
    }
    Exporter(const Exporter&) = delete;
    Exporter& operator=(const Exporter&) = delete;

    const Exported* operator->() const { return &exported_; }
    bool HasExported() const { return has_exported_; }

  private:
    pid_t process_ = -1;
    int hold_ = -1;
    bool has_exported_ = false;
    Exported exported_{};
};

// Imports memory of the other process, and exports some.
inline void ShareMemory() {
    Exporter exporter;
    if (!exporter.HasExported()) return;
    for (const char* key : exporter->keys) {
        void* imported = nullptr;
        if (*key == 0) continue;
        if (DID(aclrtIpcMemImportByKey(&imported, key, 0))) {
            DID(aclrtMemset(imported, kSize, 3, kSize));
            DID(aclrtIpcMemClose(key));
        }
    }
    if (exporter->number != 0) {
        aclrtDrvMemHandle memory = nullptr;
        if (DID(aclrtMemImportFromShareableHandle(exporter->number, 0, &memory))) DID(aclrtFreePhysical(memory));
    }
    aclrtEvent event = nullptr;
    if (DID(aclrtIpcOpenEventHandle(exporter->event, &event))) {
        HeldStream stream;
        DID(aclrtRecordEvent(event, stream));
        DID_OPTIONAL(aclrtStreamWaitEvent(stream, event));
        DID(aclrtSynchronizeStream(stream));
        DID(aclrtSynchronizeEvent(event));
        aclrtEventRecordedStatus status{};
        DID(aclrtQueryEventStatus(event, &status));
        DID(aclrtDestroyEvent(event));
    }
    aclrtEvent offered = nullptr;
    if (DID(aclrtCreateEventExWithFlag(&offered, ACL_EVENT_IPC))) {
        aclrtIpcEventHandle handle{};
        DID(aclrtIpcGetEventHandle(offered, &handle));
        DID(aclrtDestroyEvent(offered));
    }
    for (const aclrtMemMallocPolicy policy : ExportedPolicies()) {
        void* own = nullptr;
        char key[65];
        if (!DID(aclrtMalloc(&own, kSize, policy))) continue;
        if (DID(aclrtIpcMemGetExportKey(own, kSize, key, sizeof key, 1))) DID(aclrtIpcMemClose(key));
        DID(aclrtFree(own));
    }
    if (const aclrtDrvMemHandle physical = MallocPhysical()) {
        uint64_t number = 0;
        DID_OPTIONAL(aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, 1, &number));
        DID(aclrtFreePhysical(physical));
    }
}
