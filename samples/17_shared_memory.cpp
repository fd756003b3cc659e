// Two processes share device memory: one exports it and writes its key to a file, the other imports
// it with that key.
//
// Usage: sample_17_shared_memory            starts itself again, as the importing process
//        sample_17_shared_memory KEYFILE is the importing process
//
// This order always works: the exporter writes and passes its key; the importer opens the memory,
// works, waits for its work, and closes it; then the exporter closes the key and frees the memory.

#include <acl/acl.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern char** environ;

namespace {

constexpr size_t kSize = 16 << 20;

// Ends the program with the library's text.
void Check(aclError code, const char* call) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "no error text");
    std::exit(1);
}

#define CHECK(call) Check(call, #call)

// Fills the memory that the other process exported.
int Import(const char* file) {
    std::string key;
    std::getline(std::ifstream(file), key);
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    void* memory = nullptr;
    CHECK(aclrtIpcMemImportByKey(&memory, key.c_str(), ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMemsetAsync(memory, kSize, 42, kSize, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtIpcMemClose(key.c_str()));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}

// Starts this program again; returns its exit status.
int Run(const char* program, const char* file) {
    std::string name = program, argument = file;
    char* arguments[] = {name.data(), argument.data(), nullptr};
    pid_t process = 0;
    int status = -1;
    if (posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0) return 1;
    waitpid(process, &status, 0);
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2) return Import(argv[1]);

    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    void* memory = nullptr;
    CHECK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemset(memory, kSize, 0, kSize));

    // All processes that have the key can import it. With ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT only
    // those that aclrtIpcMemSetImportPid lists.
    char key[65];
    CHECK(aclrtIpcMemGetExportKey(memory, kSize, key, sizeof key, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    std::string file = (std::filesystem::temp_directory_path() / "shared_memory_XXXXXX").string();
    const int descriptor = mkstemp(file.data());
    if (descriptor < 0) return 1;
    close(descriptor);
    std::ofstream(file) << key << '\n';

    const int status = Run(argv[0], file.c_str());
    unlink(file.c_str());

    std::vector<char> bytes(kSize);
    CHECK(aclrtMemcpy(bytes.data(), kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    bool right = status == 0;
    for (const char byte : bytes) right = right && byte == 42;
    std::printf("%zu MiB that another process has filled: %s\n", kSize >> 20, right ? "all bytes are right" : "WRONG");

    CHECK(aclrtIpcMemClose(key));
    CHECK(aclrtFree(memory));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return right ? 0 : 1;
}
