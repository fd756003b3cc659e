// Measures what PORTACL_CHECK keeps for device memory in use. bench_check_memory MIB PIECE writes PIECE bytes of every
// 2 * PIECE of MIB mebibytes, one operation each, and the host waits for none of them. Prints the most memory that the
// process had.
#include <cstdlib>
#include <cstring>
#include <string>

#include "acl_check.h"
#include "measure.h"

namespace {

// Returns the process's peak of resident memory, in bytes.
std::size_t MostResident() {
    std::size_t kib = 0;
    std::FILE* status = std::fopen("/proc/self/status", "r");
    char line[256];
    while (status && std::fgets(line, sizeof line, status))
        if (std::strncmp(line, "VmHWM:", 6) == 0) kib = std::strtoull(line + 6, nullptr, 10);
    if (status) std::fclose(status);
    return kib * 1024;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: bench_check_memory MIB PIECE\n");
        return 2;
    }
    const std::size_t bytes = std::strtoull(argv[1], nullptr, 10) << 20, piece = std::strtoull(argv[2], nullptr, 10);
    ACL(aclInit(nullptr));
    ACL(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL(aclrtCreateStream(&stream));
    char* memory = nullptr;
    ACL(aclrtMalloc(reinterpret_cast<void**>(&memory), bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    for (std::size_t at = 0; at + piece <= bytes; at += 2 * piece)
        ACL(aclrtMemsetAsync(memory + at, piece, 1, piece, stream));
    bench::ReportAt("most resident memory", bytes, static_cast<double>(MostResident()), "B");
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtFree(memory));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtResetDevice(0));
    ACL(aclFinalize());
}
