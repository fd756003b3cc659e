// Tests of registered and managed memory.

#include <sys/mman.h>

#include <algorithm>
#include <thread>

#include "fixture.h"

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kSize = 8192;

// Memory of the caller, on separate pages.
struct Pages {
    explicit Pages(void* hint = nullptr)
        : bytes(static_cast<uint8_t*>(mmap(hint, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
    ~Pages() { munmap(bytes, kSize); }

    uint8_t* const bytes;
};

TEST_F(FakeCuda, RegisteredMemoryIsReadAndWrittenLate) {
    Pages pages;
    const CUdeviceptr memory = allocate(kSize);
    std::fill_n(pages.bytes, kSize, uint8_t{1});
    OK(cuMemHostRegister_v2(pages.bytes, kSize, CU_MEMHOSTREGISTER_PORTABLE_AND_MAPPED));
    fakeCudaHold();
    OK(cuMemcpyHtoDAsync_v2(memory, pages.bytes, kSize, stream));
    std::fill_n(pages.bytes, kSize, uint8_t{2});
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(kSize, 2), read(memory, kSize));
    CUdeviceptr device = 0;
    OK(cuMemHostGetDevicePointer_v2(&device, pages.bytes + 100, 0));
    EXPECT_EQ(reinterpret_cast<CUdeviceptr>(pages.bytes + 100), device);
    unsigned type = 0;
    OK(cuPointerGetAttribute(&type, 2, device));
    EXPECT_EQ(unsigned{CU_MEMORYTYPE_HOST}, type);
    OK(cuMemHostUnregister(pages.bytes));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, 2, device));
    // Now it is staged.
    fakeCudaHold();
    OK(cuMemcpyHtoDAsync_v2(memory, pages.bytes, kSize, stream));
    std::fill_n(pages.bytes, kSize, uint8_t{3});
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(kSize, 2), read(memory, kSize));
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, RegistrationsAreChecked) {
    // The address is one that the kernel gives only to a call that names it: other threads do not fill the hole below.
    Pages pages(reinterpret_cast<void*>(uintptr_t{1} << 45));
    OK(cuMemHostRegister_v2(pages.bytes, 4096, 0));
    for (size_t offset : {0, 4095})
        EXPECT_EQ(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(pages.bytes + offset, 4096, 0));
    OK(cuMemHostRegister_v2(pages.bytes + 4096, 4096, 0));
    OK(cuMemHostUnregister(pages.bytes));
    OK(cuMemHostUnregister(pages.bytes + 4096));
    munmap(pages.bytes + 4096, 4096);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(pages.bytes, kSize, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(nullptr, 4096, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(pages.bytes, 0, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(pages.bytes, 4096, 16));
    EXPECT_EQ(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(pages.bytes));
    expected_misuses = 4;
}

TEST_F(FakeCuda, UnregisteringUnderQueuedWorkIsMisuse) {
    Pages pages;
    const CUdeviceptr memory = allocate(kSize);
    OK(cuMemHostRegister_v2(pages.bytes, kSize, 0));
    fakeCudaHold();
    OK(cuMemcpyHtoDAsync_v2(memory, pages.bytes, kSize, stream));
    const unsigned long long before = fakeCudaMisuses();
    std::thread other([&] {
        EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context));
        EXPECT_EQ(CUDA_SUCCESS, cuMemHostUnregister(pages.bytes));
    });
    while (fakeCudaMisuses() == before) std::this_thread::yield();
    fakeCudaRelease();
    other.join();
    OK(cuMemFree_v2(memory));
    expected_misuses = 1;
}

TEST_F(FakeCuda, ManagedMemoryIsTheHostsAndTheDevices) {
    size_t before = 0, with = 0, total = 0;
    OK(cuMemGetInfo_v2(&before, &total));
    CUdeviceptr managed = 0;
    OK(cuMemAllocManaged(&managed, size_t{4} << 20, CU_MEM_ATTACH_GLOBAL));
    EXPECT_EQ(0u, managed % (2 << 20));
    OK(cuMemGetInfo_v2(&with, &total));
    EXPECT_EQ(before - (size_t{4} << 20), with);
    auto* const bytes = reinterpret_cast<uint8_t*>(managed);
    EXPECT_EQ(0xCB, bytes[0]);
    fakeCudaHold();
    OK(cuMemsetD8Async(managed, 5, 4096, stream));
    EXPECT_EQ(0xCB, bytes[100]) << "not yet";
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(5, bytes[100]);
    bytes[100] = 6;
    EXPECT_EQ(6, read(managed, 101)[100]);
    // It is valid for every direction.
    const CUdeviceptr memory = allocate(64);
    OK(cuMemcpyHtoDAsync_v2(memory, bytes, 64, stream));
    OK(cuMemcpyDtoHAsync_v2(bytes + 200, memory, 64, stream));
    OK(cuMemcpyDtoDAsync_v2(managed + 300, memory, 64, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(5, bytes[363]);
    unsigned is_managed = 0;
    OK(cuPointerGetAttribute(&is_managed, 8, managed + 5));
    EXPECT_EQ(1u, is_managed);
    // But no stream writes a value there, or waits for one.
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64_v2(stream, managed, 1, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue64_v2(stream, managed, 1, 0));
    OK(cuMemFree_v2(memory));
    OK(cuMemFree_v2(managed));
    OK(cuMemGetInfo_v2(&with, &total));
    EXPECT_EQ(before, with);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(managed, 5, 4096, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&managed, 4096, 7));
    expected_misuses = 4;
}

TEST_F(FakeCuda, AdviceAndPrefetchesAreChecked) {
    CUdeviceptr managed = 0;
    const CUdeviceptr memory = allocate(4096);
    OK(cuMemAllocManaged(&managed, 8192, CU_MEM_ATTACH_GLOBAL));
    const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    const CUmemLocation nowhere{CU_MEM_LOCATION_TYPE_DEVICE, 99};
    for (int advice = 1; advice <= 6; ++advice) OK(cuMemAdvise_v2(managed + 4096, 4096, advice, here));
    OK(cuMemPrefetchAsync_v2(managed, 8192, {CU_MEM_LOCATION_TYPE_HOST, 0}, 0, stream));
    OK(cuStreamSynchronize(stream));
    for (int advice : {0, 7}) EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAdvise_v2(managed, 4096, advice, here));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAdvise_v2(memory, 4096, 1, here));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAdvise_v2(managed, 4096, 1, nowhere));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(managed, 8193, here, 0, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(managed, 64, here, 1, stream));
    OK(cuMemFree_v2(memory));
    OK(cuMemFree_v2(managed));
    expected_misuses = 6;
}

}  // namespace
