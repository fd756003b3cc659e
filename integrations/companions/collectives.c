// libhccl: the functions that need no communication.
#include <hccl/hccl.h>

const char* HcclGetErrorString(HcclResult code) {
    static const char* const names[] = {"success",   "a wrong argument",        "a null pointer",
                                        "no memory", "an error of the library", "not supported"};
    const unsigned number = (unsigned)code;
    return number < sizeof names / sizeof *names ? names[number] : "unknown";
}
