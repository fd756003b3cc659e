// A small but complete program: its size is measured, not its work.
#include <acl/acl.h>

#include <cstdio>
#include <string>

int main() {
    std::string text(1 << 20, 'x'), back(text.size(), ' ');
    void* device = nullptr;
    const bool done = aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0 &&
                      aclrtMalloc(&device, text.size(), ACL_MEM_MALLOC_HUGE_FIRST) == 0 &&
                      aclrtMemcpy(device, text.size(), text.data(), text.size(), ACL_MEMCPY_HOST_TO_DEVICE) == 0 &&
                      aclrtMemcpy(&back[0], back.size(), device, back.size(), ACL_MEMCPY_DEVICE_TO_HOST) == 0 &&
                      aclrtFree(device) == 0 && aclrtResetDevice(0) == 0 && aclFinalize() == 0 && back == text;
    const char* why = done ? nullptr : aclGetRecentErrMsg();
    std::printf("%s\n", done ? "done" : why ? why : "failed");
    return done ? 0 : 1;
}
