// Measures copies of 64 MiB inside one device: between memory of this process, and between it and memory of another
// process, alternating.
#include <acl/acl.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "acl_check.h"
#include "measure.h"

extern char** environ;

namespace {

constexpr std::size_t kSize = 64u << 20;
constexpr int kRounds = 41;
constexpr std::size_t kKey = 65;

void* Malloc() {
    void* memory;
    ACL(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL(aclrtMemset(memory, kSize, 1, kSize));
    return memory;
}

// Runs the other process: prints its key on standard output, and exits at the end of standard input.
int Export() {
    ACL(aclInit(nullptr));
    ACL(aclrtSetDevice(0));
    char key[kKey] = {};
    ACL(aclrtIpcMemGetExportKey(Malloc(), kSize, key, sizeof key, 1));
    if (write(STDOUT_FILENO, key, sizeof key) != sizeof key) return 1;
    char end;
    while (read(STDIN_FILENO, &end, 1) > 0) {
    }
    ACL(aclFinalize());
    return 0;
}

void Copy(void* to, const void* from) {
    ACL(aclrtMemcpy(to, kSize, from, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2) return Export();
    int out[2], in[2];
    if (pipe(out) != 0 || pipe(in) != 0) return 1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    for (const int end : {in[0], in[1], out[0], out[1]}) posix_spawn_file_actions_addclose(&actions, end);
    std::string argument = "export";
    char* arguments[] = {argv[0], argument.data(), nullptr};
    pid_t process;
    if (posix_spawn(&process, "/proc/self/exe", &actions, nullptr, arguments, environ) != 0) return 1;
    close(in[0]);
    close(out[1]);
    char key[kKey] = {};
    if (read(out[0], key, sizeof key) != sizeof key) return 1;

    ACL(aclInit(nullptr));
    ACL(aclrtSetDevice(0));
    void *const from = Malloc(), *const to = Malloc();
    void* imported;
    ACL(aclrtIpcMemImportByKey(&imported, key, 0));
    // The first round touches the pages.
    Copy(to, from);
    Copy(imported, from);
    Copy(to, imported);
    std::vector<double> local, written, read_back;
    for (int round = 0; round < kRounds; round++) {
        local.push_back(bench::PerCall(1, [=] { Copy(to, from); }));
        written.push_back(bench::PerCall(1, [=] { Copy(imported, from); }));
        read_back.push_back(bench::PerCall(1, [=] { Copy(to, imported); }));
    }
    bench::Report("copy 64 MiB inside a process", bench::Median(local), "ns");
    bench::Report("copy 64 MiB into another process", bench::Median(written), "ns");
    bench::Report("copy 64 MiB out of another process", bench::Median(read_back), "ns");
    ACL(aclrtIpcMemClose(key));
    ACL(aclFinalize());
    close(in[1]);
    int status = 1;
    waitpid(process, &status, 0);
    return status == 0 ? 0 : 1;
}
