// Memory that two processes share by a key.
#pragma once

#include <cstring>
#include <string>

#include "support/pool/shared_pool.h"
#include "support/says.h"

namespace portacl_test {

constexpr uint64_t kListed = ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT;
constexpr uint64_t kAnyone = ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;

// A key as programs pass it on: plain bytes including the final zero.
struct KeyText {
    char text[65];

    operator const char*() const { return text; }
};

inline KeyText ExportKey(void* ptr, size_t size, uint64_t flags = kAnyone) {
    KeyText key{};
    ExpectOk("aclrtIpcMemGetExportKey", aclrtIpcMemGetExportKey(ptr, size, key.text, sizeof key.text, flags));
    return key;
}

inline void* ImportKey(const char* key, uint64_t flags = ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT) {
    void* ptr = nullptr;
    ExpectOk("aclrtIpcMemImportByKey", aclrtIpcMemImportByKey(&ptr, key, flags));
    return ptr;
}

// Checks that importing the key fails, and that the text says why.
inline void ExpectImportFails(const char* key, const char* says) {
    void* ptr = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&ptr, key, 0), says);
    EXPECT_TRUE(IsPoison(ptr));
}

inline void CloseKey(const char* key) {
    ExpectOk("aclrtIpcMemClose", aclrtIpcMemClose(key));
}

// Returns this process's id for the list of allowed processes.
inline int32_t ThisProcess() {
    int32_t process = -1;
    ExpectOk("aclrtDeviceGetBareTgid", aclrtDeviceGetBareTgid(&process));
    return process;
}

// Returns the key with one of its parts (process, start, place, socket, secret) replaced.
inline std::string WithPart(const char* key, int part, const std::string& text) {
    std::string all = key;
    size_t from = 0;
    for (int i = 0; i <= part; ++i) from = all.find('-', from) + 1;
    const size_t to = all.find('-', from);
    return all.replace(from, to == std::string::npos ? to : to - from, text);
}

// Whether this library has a socket of the process in this network namespace. The sockets' names contain process ids.
inline bool HasSocket(pid_t process) {
    std::ifstream sockets("/proc/net/unix");
    const std::string part = "@portacl-" + std::to_string(geteuid()) + "-" + std::to_string(process) + "-";
    for (std::string line; std::getline(sockets, line);)
        if (line.find(part) != std::string::npos) return true;
    return false;
}

}  // namespace portacl_test
