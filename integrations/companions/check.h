// Checks arguments. A failure has a code, and a text that names the call, the argument, its value and its bound.
#pragma once

#include <portacl/portacl.h>

#include <string>

namespace companions {

inline aclError Refuse(const char* call, const std::string& text) {
    return portaclReportError(call, ACL_ERROR_INVALID_PARAM, text.c_str());
}

inline aclError RefuseNull(const char* call, const char* argument) {
    return Refuse(call, std::string(argument) + " is null");
}

}  // namespace companions

// Returns from the function if an argument is null.
#define REFUSE_NULL(ARGUMENT)                                                          \
    do {                                                                               \
        if ((ARGUMENT) == nullptr) return companions::RefuseNull(__func__, #ARGUMENT); \
    } while (false)
