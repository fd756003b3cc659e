// The kernels of cpp_tests/kernels, which are built beside the test programs.
#pragma once

#include <portacl/portacl.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/objects.h"
#include "support/own_process.h"

namespace portacl_test {

inline std::string Path(const char* extension) {
    return (ProgramDirectory() / "kernels").string() + extension;
}

inline std::string ProgramPath() {
    return Path(OnCpu() ? ".so" : ".ptx");
}

inline std::vector<char> Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The kernels of cpp_tests/kernels.
class Program {
  public:
    Program() {
        ExpectOk("aclrtBinaryLoadFromFile", aclrtBinaryLoadFromFile(ProgramPath().c_str(), nullptr, &handle_));
    }
    ~Program() {
        if (handle_) ExpectOk("aclrtBinaryUnLoad", aclrtBinaryUnLoad(handle_));
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    operator aclrtBinHandle() const { return handle_; }

    aclrtFuncHandle Kernel(const char* name) const {
        aclrtFuncHandle function = nullptr;
        ExpectOk("aclrtBinaryGetFunction", aclrtBinaryGetFunction(handle_, name, &function));
        return function;
    }

    // Gives the program up: the test unloads it.
    aclrtBinHandle Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtBinHandle handle_ = nullptr;
};

// Words of device memory, all 0.
class ZeroWords : public DeviceMemory {
  public:
    explicit ZeroWords(size_t count) : DeviceMemory(std::vector<uint32_t>(count)) {}
};

// The arguments of `mark`, and their size.
struct MarkArguments {
    void* words;
    uint32_t number;
};
constexpr size_t kMarkArgumentsSize = 12;

// Adds `number` to `count` words, with one thread per word.
inline aclError Mark(aclrtFuncHandle mark, void* words, uint32_t number, uint32_t count, aclrtStream stream) {
    void* arguments[] = {&words, &number};
    return aclrtLaunchSIMTKernelWithArgsArray(mark, {count, 1, 1}, {1, 1, 1}, 0, stream, nullptr, arguments);
}

}  // namespace portacl_test
