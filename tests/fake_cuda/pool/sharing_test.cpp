// Tests of the test double's memory pools in two processes.

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "pool/pool_fixture.h"

extern char** environ;

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kSize = 3'000'000;

// The variable with the descriptor at which the other process has its end of the socket pair.
constexpr const char* kSocketVariable = "FAKE_CUDA_TEST_SOCKET";

// A message through the socket, with or without a descriptor.
struct Message {
    CUmemPoolPtrExportData data;
    int step;
};

bool send(int socket, const Message& message, int descriptor = -1) {
    iovec part{const_cast<Message*>(&message), sizeof message};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = "";
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (descriptor >= 0) {
        header.msg_control = room;
        header.msg_controllen = sizeof room;
        cmsghdr* const control = CMSG_FIRSTHDR(&header);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &header, MSG_NOSIGNAL) == sizeof message;
}

bool receive(int socket, Message* message, int* descriptor = nullptr) {
    iovec part{message, sizeof *message};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = "";
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = room;
    header.msg_controllen = sizeof room;
    if (recvmsg(socket, &header, 0) != sizeof *message) return false;
    const cmsghdr* const control = CMSG_FIRSTHDR(&header);
    if (descriptor != nullptr && control != nullptr) {
        memcpy(descriptor, CMSG_DATA(control), sizeof *descriptor);
    }
    return true;
}

class SharedPools : public Pools {
  protected:
    void SetUp() override {
        Pools::SetUp();
        CUmemPoolProps wanted = props();
        wanted.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        OK(cuMemPoolDestroy(pool));
        pool = create(wanted);
    }

    void TearDown() override {
        close(socket_);
        Pools::TearDown();
    }

    // Starts this program again, for a test that is the other side.
    void start(const char* test) {
        int ends[2];
        ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
        ASSERT_EQ(0, fcntl(ends[0], F_SETFD, FD_CLOEXEC));
        char number[16];
        snprintf(number, sizeof number, "%d", ends[1]);
        setenv(kSocketVariable, number, 1);
        char path[] = "/proc/self/exe";
        std::string filter = std::string("--gtest_filter=") + test;
        char* arguments[] = {path, filter.data(), nullptr};
        ASSERT_EQ(0, posix_spawn(&other_, path, nullptr, nullptr, arguments, environ));
        unsetenv(kSocketVariable);
        close(ends[1]);
        socket_ = ends[0];
    }

    // Starts an importer in the same way, and sends it the pool.
    void start_importer() {
        start("PoolImporter.*");
        const int descriptor = export_pool();
        ASSERT_TRUE(send(socket_, {}, descriptor));
        close(descriptor);
    }

    int export_pool() {
        int descriptor = -1;
        EXPECT_EQ(CUDA_SUCCESS,
                  cuMemPoolExportToShareableHandle(&descriptor, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
        return descriptor;
    }

    CUresult import_pool(int descriptor, CUmemoryPool* out) {
        return cuMemPoolImportFromShareableHandle(out, reinterpret_cast<void*>(static_cast<intptr_t>(descriptor)),
                                                  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    }

    void fill(CUdeviceptr block, unsigned char value) {
        OK(cuMemsetD8Async(block, value, kSize, stream));
        OK(cuStreamSynchronize(stream));
    }

    // Lets the other side continue, and waits for its reply.
    void send_step(const CUmemPoolPtrExportData& data, int step) {
        Message answer;
        ASSERT_TRUE(send(socket_, {data, step}));
        ASSERT_TRUE(receive(socket_, &answer));
        ASSERT_EQ(step, answer.step);
    }

    int exit_status() {
        int status = 0;
        EXPECT_EQ(other_, waitpid(other_, &status, 0));
        return status;
    }

    // Whether a test has started this one, which is the other side.
    bool is_started() {
        const char* const number = getenv(kSocketVariable);
        if (number != nullptr) socket_ = atoi(number);
        return number != nullptr;
    }

    pid_t other_ = 0;
    int socket_ = -1;
};

class PoolImporter : public SharedPools {};
class PoolExporter : public SharedPools {};

TEST_F(PoolImporter, ReadsAndWritesWhatIsSent) {
    if (!is_started()) GTEST_SKIP() << "started by other tests";
    Message message;
    int descriptor = -1;
    ASSERT_TRUE(receive(socket_, &message, &descriptor));
    CUmemoryPool imported = nullptr;
    OK(import_pool(descriptor, &imported));
    close(descriptor);
    // 1: read twos and write threes, 2: the name is stale, 3: do as 1, and keep the block.
    while (receive(socket_, &message)) {
        CUdeviceptr block = 0;
        if (message.step == 2) {
            EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&block, imported, &message.data));
        } else {
            OK(cuMemPoolImportPointer(&block, imported, &message.data));
            EXPECT_EQ(Bytes(kSize, 2), read(block, kSize));
            fill(block, 3);
            if (message.step == 3) {
                ASSERT_TRUE(send(socket_, message));
                receive(socket_, &message);
            }
            OK(cuMemFreeAsync(block, stream));
            OK(cuStreamSynchronize(stream));
        }
        send(socket_, message);
    }
    OK(cuMemPoolDestroy(imported));
}

TEST_F(SharedPools, AnImporterReadsAndWritesTheSameMemory) {
    start_importer();
    const CUdeviceptr other = allocate_async(kSize, stream);
    const CUdeviceptr block = allocate_async(kSize, stream);
    fill(block, 2);
    CUmemPoolPtrExportData data;
    OK(cuMemPoolExportPointer(&data, block));
    send_step(data, 1);
    EXPECT_EQ(Bytes(kSize, 3), read(block, kSize));
    OK(cuMemFreeAsync(block, stream));
    send_step(data, 2);
    OK(cuMemFreeAsync(other, stream));
    close(socket_);
    EXPECT_EQ(0, exit_status());
}

TEST_F(SharedPools, AKilledImporterLeavesNothingBehind) {
    start_importer();
    const CUdeviceptr block = allocate_async(kSize, stream);
    fill(block, 2);
    CUmemPoolPtrExportData data;
    OK(cuMemPoolExportPointer(&data, block));
    Message answer;
    ASSERT_TRUE(send(socket_, {data, 3}));
    ASSERT_TRUE(receive(socket_, &answer));
    kill(other_, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(exit_status()));
    EXPECT_EQ(Bytes(kSize, 3), read(block, kSize));
    OK(cuMemFreeAsync(block, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(0u, get(kReserved));
}

TEST_F(PoolExporter, SharesABlockUntilItIsKilled) {
    if (!is_started()) GTEST_SKIP() << "started by other tests";
    const CUdeviceptr block = allocate_async(kSize, stream);
    fill(block, 2);
    Message message{};
    OK(cuMemPoolExportPointer(&message.data, block));
    ASSERT_TRUE(send(socket_, message, export_pool()));
    receive(socket_, &message);
}

TEST_F(SharedPools, AKilledExporterLeavesTheMemoryToItsImporters) {
    start("PoolExporter.*");
    Message message;
    int descriptor = -1;
    ASSERT_TRUE(receive(socket_, &message, &descriptor));
    CUmemoryPool imported = nullptr;
    OK(import_pool(descriptor, &imported));
    CUdeviceptr block = 0, late = 0;
    OK(cuMemPoolImportPointer(&block, imported, &message.data));
    kill(other_, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(exit_status()));
    EXPECT_EQ(Bytes(kSize, 2), read(block, kSize));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&late, imported, &message.data));
    CUmemoryPool again = nullptr;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, import_pool(descriptor, &again));
    close(descriptor);
    fill(block, 3);
    OK(cuMemPoolDestroy(imported));
    EXPECT_EQ(Bytes(kSize, 3), read(block, kSize)) << "a pool ends with its last block";
    OK(cuMemFree_v2(block));
}

TEST_F(SharedPools, AnImportedPoolAllocatesNothing) {
    const int descriptor = export_pool();
    CUmemoryPool imported = nullptr;
    OK(import_pool(descriptor, &imported));
    CUdeviceptr none = 0;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&none, 1, imported, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, imported));
    int again = -1;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
              cuMemPoolExportToShareableHandle(&again, imported, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    const CUdeviceptr block = allocate_async(100, stream);
    CUmemPoolPtrExportData data;
    OK(cuMemPoolExportPointer(&data, block));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&none, pool, &data));
    OK(cuMemFreeAsync(block, stream));
    OK(cuMemPoolDestroy(imported));
    close(descriptor);
    expected_misuses = 4;
}

TEST_F(SharedPools, DescriptorsAndNamesOfOtherThingsAreRefused) {
    CUmemoryPool imported = nullptr;
    const int file = memfd_create("something else", 0);
    ASSERT_EQ(0, ftruncate(file, 1 << 20));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, import_pool(file, &imported));
    close(file);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, import_pool(file, &imported)) << "closed";
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, import_pool(-1, &imported));
    EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED,
              cuMemPoolImportFromShareableHandle(&imported, nullptr, CU_MEM_HANDLE_TYPE_FABRIC, 0));
    const int descriptor = export_pool();
    OK(import_pool(descriptor, &imported));
    close(descriptor);
    CUmemPoolPtrExportData data{};
    CUdeviceptr block = 0;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&block, imported, &data));
    // This is a name of another pool.
    CUmemPoolProps wanted = props();
    wanted.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    const CUmemoryPool mine = std::exchange(pool, create(wanted));
    const CUdeviceptr other = allocate_async(100, stream);
    OK(cuMemPoolExportPointer(&data, other));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&block, imported, &data));
    OK(cuMemFreeAsync(other, stream));
    OK(cuMemPoolDestroy(mine));
    OK(cuMemPoolDestroy(imported));
}

TEST_F(SharedPools, UnsharedPoolsAreNotExported) {
    OK(cuMemPoolDestroy(pool));
    pool = create(props());
    int descriptor = -1;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
              cuMemPoolExportToShareableHandle(&descriptor, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    EXPECT_EQ(-1, descriptor);
    const CUdeviceptr block = allocate_async(100, stream);
    CUmemPoolPtrExportData data;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&data, block));
    OK(cuMemFreeAsync(block, stream));
    expected_misuses = 2;
}

}  // namespace
