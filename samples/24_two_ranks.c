/* Collective communication: two ranks add their numbers, and both get the sums. C, without PyTorch.
 *
 * Ranks are devices of one process, or processes. The second form needs no launcher such as mpirun: rank 0 writes a
 * file of 4108 bytes, by which the other rank finds it.
 *
 *     ./24_two_ranks                                                     two devices of one process
 *     ./24_two_ranks 0 ~/root & ./24_two_ranks 1 ~/root; wait            two processes
 *
 * usage: 24_two_ranks [RANK FILE]     the file does not exist before; it is removed in the end
 *
 * cc -std=c99 24_two_ranks.c -lascendcl -lhccl */
#define _POSIX_C_SOURCE 200809L
#include <acl/acl.h>
#include <hccl/hccl.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 2, COUNT = 1 << 18, WAIT_SECONDS = 60 };

/* Ends the program with the library's text if a call failed. Calls of both libraries leave it at the same place. */
#define CHECK(call) Check((int)(call), #call)
static void Check(int code, const char* call) {
    if (code == 0) return;
    const char* text = aclGetRecentErrMsg();
    fprintf(stderr, "%s failed: %s\n", call, text ? text : "no error text");
    exit(1);
}

/* What a rank needs: a device, a stream, memory, and its end of the communicator. */
typedef struct {
    int32_t device;
    aclrtStream stream;
    void* memory;
    HcclComm comm;
} Rank;

/* Device memory with `rank + 1` in each element. */
static void Begin(Rank* own, uint32_t rank, float* host) {
    CHECK(aclrtSetDevice(own->device));
    CHECK(aclrtCreateStream(&own->stream));
    CHECK(aclrtMalloc(&own->memory, COUNT * sizeof *host, ACL_MEM_MALLOC_HUGE_FIRST));
    for (size_t i = 0; i < COUNT; ++i) host[i] = (float)(rank + 1);
    CHECK(aclrtMemcpy(own->memory, COUNT * sizeof *host, host, COUNT * sizeof *host, ACL_MEMCPY_HOST_TO_DEVICE));
}

/* Enqueues the sum of all ranks, in place. It does not wait for the other ranks. */
static void Add(const Rank* own) {
    CHECK(aclrtSetDevice(own->device));
    CHECK(HcclAllReduce(own->memory, own->memory, COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, own->comm, own->stream));
}

/* Waits for the sums and checks them: 1 + 2. If another rank has failed, the wait fails, with a text that names it. */
static int End(const Rank* own, float* host) {
    CHECK(aclrtSetDevice(own->device));
    CHECK(aclrtSynchronizeStream(own->stream));
    CHECK(aclrtMemcpy(host, COUNT * sizeof *host, own->memory, COUNT * sizeof *host, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(HcclCommDestroy(own->comm));
    CHECK(aclrtFree(own->memory));
    CHECK(aclrtDestroyStream(own->stream));
    for (size_t i = 0; i < COUNT; ++i) {
        if (host[i] != 3) return 0;
    }
    return 1;
}

/* Two devices of this process. */
static int OneProcess(float* host) {
    Rank ranks[RANKS];
    int32_t devices[RANKS];
    HcclComm comms[RANKS];
    uint32_t known = 0;
    int right = 1;
    memset(ranks, 0, sizeof ranks);
    CHECK(aclrtGetDeviceCount(&known));
    for (int32_t rank = 0; rank < RANKS; ++rank) devices[rank] = rank < (int32_t)known ? rank : 0;
    CHECK(HcclCommInitAll(RANKS, devices, comms));
    for (uint32_t rank = 0; rank < RANKS; ++rank) {
        ranks[rank].device = devices[rank];
        ranks[rank].comm = comms[rank];
        Begin(&ranks[rank], rank, host);
    }
    /* Both are enqueued before anything waits: each needs the other one. */
    for (uint32_t rank = 0; rank < RANKS; ++rank) Add(&ranks[rank]);
    for (uint32_t rank = 0; rank < RANKS; ++rank) right &= End(&ranks[rank], host);
    return right;
}

/* Writes the root information under another name first, so that the other process does not read a part of it. A process
 * that has it can join as a rank: the file is a new one that only this user can read. */
static void WriteFile(const HcclRootInfo* info, const char* path) {
    char part[4096];
    FILE* file = NULL;
    int descriptor = -1;
    snprintf(part, sizeof part, "%s.part", path);
    descriptor = open(part, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (descriptor >= 0) file = fdopen(descriptor, "wb");
    if (!file || fwrite(info, sizeof *info, 1, file) != 1 || fclose(file) != 0 || rename(part, path) != 0) {
        perror(part);
        exit(1);
    }
}

static void ReadFile(HcclRootInfo* info, const char* path) {
    const struct timespec pause = {0, 20000000};
    FILE* file = NULL;
    for (int n = 0; n < WAIT_SECONDS * 50 && !(file = fopen(path, "rb")); ++n) nanosleep(&pause, NULL);
    if (!file || fread(info, sizeof *info, 1, file) != 1) {
        fprintf(stderr, "%s: rank 0 has not written it\n", path);
        exit(1);
    }
    fclose(file);
}

/* This process is one rank of two. */
static int TwoProcesses(uint32_t rank, const char* path, float* host) {
    Rank own;
    HcclRootInfo info;
    uint32_t known = 0;
    memset(&own, 0, sizeof own);
    CHECK(aclrtGetDeviceCount(&known));
    own.device = rank < known ? (int32_t)rank : 0;
    if (rank == 0) {
        CHECK(HcclGetRootInfo(&info));
        WriteFile(&info, path);
    } else {
        ReadFile(&info, path);
    }
    /* It returns when all ranks have called it, so that nothing needs the file any more. */
    CHECK(HcclCommInitRootInfo(RANKS, &info, rank, &own.comm));
    if (rank == 0) remove(path);
    Begin(&own, rank, host);
    Add(&own);
    return End(&own, host);
}

int main(int argc, char** argv) {
    const int one = argc == 1;
    const uint32_t rank = argc == 3 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    float* host = NULL;
    int right = 0;
    if ((argc != 1 && argc != 3) || rank >= RANKS) {
        fprintf(stderr, "usage: %s [RANK FILE], ranks 0 and 1\n", argv[0]);
        return 1;
    }
    CHECK(aclInit(NULL));
    CHECK(aclrtMallocHost((void**)&host, COUNT * sizeof *host));
    right = one ? OneProcess(host) : TwoProcesses(rank, argv[2], host);
    CHECK(aclrtFreeHost(host));
    CHECK(aclFinalize());
    if (one) {
        printf("two devices of one process: %d sums are %s\n", (int)COUNT, right ? "right" : "WRONG");
    } else {
        printf("rank %u of two processes: %d sums are %s\n", (unsigned)rank, (int)COUNT, right ? "right" : "WRONG");
    }
    return right ? 0 : 1;
}
