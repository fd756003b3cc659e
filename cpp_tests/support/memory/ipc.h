// Memory that two processes share by a key.
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

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

// Returns the names in a folder of /proc that are numbers.
inline std::vector<std::string> NumbersIn(const std::string& folder) {
    std::vector<std::string> numbers;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") == std::string::npos) numbers.push_back(name);
    }
    return numbers;
}

// Returns the path by which others connect to a socket of this library in a process: one whose name begins like this.
inline std::string SocketOf(const std::string& process, const std::string& name = "portacl-") {
    const std::string folder = "/proc/" + process + "/fd";
    for (const std::string& number : NumbersIn(folder)) {
        std::error_code error;
        const std::string target = std::filesystem::read_symlink(folder + "/" + number, error);
        if (target.find("/" + name) != std::string::npos && target.find(" (deleted)") != std::string::npos)
            return folder + "/" + number;
    }
    return {};
}

// Whether this library has a socket in the process.
inline bool HasSocket(pid_t process) {
    return !SocketOf(std::to_string(process)).empty();
}

}  // namespace portacl_test
