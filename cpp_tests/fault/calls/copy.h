// The part of every_call that copies.
#pragma once

#include <vector>

#include "../did.h"
#include "../held.h"

inline void CopyNow() {
    HeldMemory a, b;
    Pinned pinned;
    if (!a || !b || !pinned) return;
    std::vector<unsigned char> pageable(kSize, 0x22);
    DID(aclrtMemcpy(a, kSize, pageable.data(), kSize, ACL_MEMCPY_HOST_TO_DEVICE));
    DID(aclrtMemcpy(b, kSize, a, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE));
    DID(aclrtMemcpy(pinned, kSize, b, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    Expect(pinned.ContainsOnly(0x22), "what went to the device and back");
    DID(aclrtMemcpy(pageable.data(), kSize, pinned, kSize, ACL_MEMCPY_HOST_TO_HOST));
}

inline void CopyInOrder(size_t size) {
    HeldStream stream;
    HeldMemory a(size), b(size);
    Pinned from(size), to(size);
    if (!stream || !a || !b || !from || !to) return;
    std::vector<unsigned char> pageable(size, 0x33);
    DID(aclrtMemcpyAsync(a, size, from, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    DID(aclrtMemcpyAsync(a, size, pageable.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    DID(aclrtMemsetAsync(b, size, 0x44, size, stream));
    DID(aclrtReduceAsync(b, a, size, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, stream, nullptr));
    DID(aclrtLaunchHostFunc(stream, CountCall, nullptr));
    const portaclTaskBuffer buffer{b, size, PORTACL_TASK_READ_WRITE};
    const auto change = [](portaclTask, void* const* addresses, void*) -> aclError {
        static_cast<unsigned char*>(addresses[0])[0] = 0x77;
        return ACL_SUCCESS;
    };
    DID(portaclLaunchTask(stream, change, nullptr, &buffer, 1, nullptr));
    DID(aclrtMemcpyAsync(to, size, b, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    DID(aclrtMemsetD32Async(b, size, 0x55555555, size / 4, stream));
    DID(aclrtMemcpyAsync(pageable.data(), size, b, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    aclrtStreamStatus status{};
    DID(aclrtStreamQuery(stream, &status));
    DID(aclrtSynchronizeStreamWithTimeout(stream, 20000));
    DID(aclrtSynchronizeStream(stream));
    Expect(to.ContainsOnly(0x77, size), "a sum of a fill and a copy");
    Expect(pageable[size - 1] == 0x55, "a fill with words");
}

// Every second row of 64 bytes is copied to the device and back; so are both halves, as a batch.
inline void CopyRowsAndBatches() {
    constexpr size_t kRow = 64, kRows = kSize / kRow / 2, kHalf = kSize / 2;
    HeldStream stream;
    HeldMemory memory;
    Pinned from, to;
    if (!stream || !memory || !from || !to) return;
    aclrtMemcpyBatchAttr up{}, down{};
    up.dstLoc.type = down.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    up.srcLoc.type = down.dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    const auto halves = [](void* first) {
        return std::vector<void*>{first, first ? static_cast<char*>(first) + kHalf : nullptr};
    };
    std::vector<void*> device = halves(memory), in = halves(from), out = halves(to);
    size_t sizes[] = {kHalf, kHalf}, first = 0, blamed = 0;
    DID(aclrtMemcpyBatch(device.data(), sizes, in.data(), sizes, 2, &up, &first, 1, &blamed));
    DID(aclrtMemcpy2d(memory, 2 * kRow, from, kRow, kRow, kRows, ACL_MEMCPY_HOST_TO_DEVICE));
    DID(aclrtMemcpyBatchV2(out.data(), sizes, device.data(), sizes, 2, &down, &first, 1));
    Expect(to.ContainsOnly(0x11), "a batch");
    DID(aclrtMemsetAsync(memory, kSize, 0x66, kSize, stream));
    DID(aclrtMemcpy2dAsync(memory, 2 * kRow, from, kRow, kRow, kRows, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    DID(aclrtMemcpyBatchAsync(out.data(), sizes, device.data(), sizes, 2, &down, &first, 1, &blamed, stream));
    DID(aclrtSynchronizeStream(stream));
    const auto* bytes = static_cast<const unsigned char*>(static_cast<void*>(to));
    Expect(bytes && bytes[kRow - 1] == 0x11 && bytes[kRow] == 0x66, "rows between a fill");
}
