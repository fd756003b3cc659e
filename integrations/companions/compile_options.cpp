// The options of operator compilation: kept and returned, without any effect.
#include <acl/acl_op_compiler.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "check.h"

namespace {

std::mutex mutex;

// Returns an option. One that was never set is empty, except one that decides whether programs look for operators that
// are compiled at run time.
std::string& Option(aclCompileOpt option) {
    static auto* const options = new std::map<int, std::string>{{ACL_OP_JIT_COMPILE, "disable"}};
    return (*options)[option];
}

}  // namespace

extern "C" {

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
    REFUSE_NULL(value);
    const std::lock_guard<std::mutex> lock(mutex);
    Option(opt) = value;
    return ACL_SUCCESS;
}

// Returns the length of an option with its terminating zero.
size_t aclGetCompileoptSize(aclCompileOpt opt) {
    const std::lock_guard<std::mutex> lock(mutex);
    return Option(opt).size() + 1;
}

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
    REFUSE_NULL(value);
    const std::lock_guard<std::mutex> lock(mutex);
    const std::string& text = Option(opt);
    if (length <= text.size())
        return companions::Refuse(__func__, "length is " + std::to_string(length) + "; allowed: at least " +
                                                std::to_string(text.size() + 1) +
                                                ", the result of aclGetCompileoptSize");
    std::memcpy(value, text.c_str(), text.size() + 1);
    return ACL_SUCCESS;
}

}  // extern "C"
