// The options of operator compilation: kept and returned, without any effect.
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "check.h"

namespace {

std::mutex mutex;

// ACL_OP_JIT_COMPILE, which decides whether programs look for operators that are compiled at run time.
constexpr int kJitCompile = 10;

// By the numbers of aclCompileOpt; any other option that was never set is empty.
std::string& Option(int number) {
    static auto* const options = new std::map<int, std::string>{{kJitCompile, "disable"}};
    return (*options)[number];
}

}  // namespace

extern "C" {

aclError aclSetCompileopt(int opt, const char* value) {
    REFUSE_NULL(value);
    const std::lock_guard<std::mutex> lock(mutex);
    Option(opt) = value;
    return ACL_SUCCESS;
}

// The length of an option with its terminating zero.
size_t aclGetCompileoptSize(int opt) {
    const std::lock_guard<std::mutex> lock(mutex);
    return Option(opt).size() + 1;
}

aclError aclGetCompileopt(int opt, char* value, size_t length) {
    REFUSE_NULL(value);
    const std::lock_guard<std::mutex> lock(mutex);
    const std::string& text = Option(opt);
    if (length <= text.size())
        return companions::Refuse(__func__, "length is " + std::to_string(length) + "; the value takes " +
                                                std::to_string(text.size() + 1) + " bytes");
    std::memcpy(value, text.c_str(), text.size() + 1);
    return ACL_SUCCESS;
}

}  // extern "C"
