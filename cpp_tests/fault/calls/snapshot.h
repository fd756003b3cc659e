// A snapshot of the process itself, for the fault sweep.
#pragma once

#include <unistd.h>

#include <vector>

#include "../did.h"

inline uint32_t CountDevice(int32_t, void* count) {
    ++*static_cast<int*>(count);
    return 0;
}

// Whatever fails, the process is running again at the end.
inline void TakeSnapshot() {
    const int self = getpid();
    int calls = 0;
    void* memory = nullptr;
    DID(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_BACKUP_POST, CountDevice, &calls));
    const bool there = DID(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    if (there) DID(aclrtMemset(memory, kSize, 0x5a, kSize));
    if (DID_OPTIONAL(aclrtSnapShotProcessLock(self, nullptr))) {
        if (DID_OPTIONAL(aclrtSnapShotProcessBackup(self, nullptr))) {
            Expect(calls > 0, "a callback of a snapshot");
            // Memory that was not restored is still saved.
            if (!DID(aclrtSnapShotProcessRestore(self, nullptr))) DID(aclrtSnapShotProcessRestore(self, nullptr));
        }
        if (!DID(aclrtSnapShotProcessUnlock(self, nullptr))) DID(aclrtSnapShotProcessUnlock(self, nullptr));
    }
    if (there) {
        std::vector<unsigned char> bytes(kSize);
        DID(aclrtMemcpy(bytes.data(), kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
        Expect(bytes == std::vector<unsigned char>(kSize, 0x5a), "memory after a snapshot");
        DID(aclrtFree(memory));
    }
    DID(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_BACKUP_POST, CountDevice));
}
