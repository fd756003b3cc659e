// usage: rank     a rank of two_machines.sh, over libgloo: operations that need each other rank. Ends with a text if a
// result is wrong.
#include <acl/acl.h>
#include <hccl/hccl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr auto kFloat = HCCL_DATA_TYPE_FP32;
using Values = std::vector<float>;

void Require(int code, const char* call) {
    if (code == 0) return;
    const char* const text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, code, text != nullptr ? text : "");
    std::exit(1);
}

uint32_t Number(const char* name) {
    const char* const value = std::getenv(name);
    if (value == nullptr) Require(1, name);
    return static_cast<uint32_t>(std::strtoul(value, nullptr, 10));
}

// Sends what rank 0 returns to the others, which share its files.
HcclRootInfo RootInfo(uint32_t rank) {
    const std::string path = std::string(std::getenv("SHARED_FOLDER")) + "/root";
    HcclRootInfo info = {};
    if (rank == 0) {
        Require(HcclGetRootInfo(&info), "HcclGetRootInfo");
        const std::string part = path + ".part";
        std::ofstream(part, std::ios::binary).write(info.internal, sizeof info);
        Require(std::rename(part.c_str(), path.c_str()), "rename");
        return info;
    }
    while (access(path.c_str(), R_OK) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::ifstream(path, std::ios::binary).read(info.internal, sizeof info);
    return info;
}

struct RankState {
    uint32_t rank, size;
    HcclComm comm = nullptr;
    aclrtStream stream = nullptr;
};

void* ToDevice(const Values& values) {
    void* memory = nullptr;
    const size_t bytes = values.size() * sizeof(float);
    Require(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    Require(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    return memory;
}

// Runs an operation, and compares what it leaves in memory that had zeros.
template <typename Call>
void Check(const RankState& own, const char* name, const Values& send, const Values& expected, const Call& call) {
    void* const from = ToDevice(send);
    void* const to = ToDevice(Values(expected.size(), 0));
    Require(call(from, to), name);
    Require(aclrtSynchronizeStream(own.stream), name);
    Values found(expected.size());
    const size_t bytes = found.size() * sizeof(float);
    Require(aclrtMemcpy(found.data(), bytes, to, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    if (found != expected) {
        std::fprintf(stderr, "rank %u: %s has another result\n", own.rank, name);
        std::exit(1);
    }
    Require(aclrtFree(from), "aclrtFree");
    Require(aclrtFree(to), "aclrtFree");
}

void CheckAll(const RankState& own, size_t count) {
    const auto mine = static_cast<float>(own.rank + 1);
    Values sums(count, static_cast<float>(own.size * (own.size + 1) / 2));
    Values all;
    for (uint32_t rank = 0; rank < own.size; rank++) all.insert(all.end(), count, static_cast<float>(rank + 1));
    Check(own, "HcclAllReduce", Values(count, mine), sums, [&](void* from, void* to) {
        return HcclAllReduce(from, to, count, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream);
    });
    Check(own, "HcclAllGather", Values(count, mine), all,
          [&](void* from, void* to) { return HcclAllGather(from, to, count, kFloat, own.comm, own.stream); });
    Check(own, "HcclAlltoAll", Values(count * own.size, mine), all, [&](void* from, void* to) {
        return HcclAlltoAll(from, count, kFloat, to, count, kFloat, own.comm, own.stream);
    });
    const uint32_t next = (own.rank + 1) % own.size;
    const uint32_t last = (own.rank + own.size - 1) % own.size;
    Check(own, "HcclBatchSendRecv", Values(count, mine), Values(count, static_cast<float>(last + 1)),
          [&](void* from, void* to) {
              HcclSendRecvItem items[] = {{HCCL_SEND, from, count, kFloat, next}, {HCCL_RECV, to, count, kFloat, last}};
              return HcclBatchSendRecv(items, 2, own.comm, own.stream);
          });
}

}  // namespace

int main() {
    RankState own = {Number("RANK"), Number("WORLD_SIZE")};
    Require(aclrtSetDevice(0), "aclrtSetDevice");
    Require(aclrtCreateStream(&own.stream), "aclrtCreateStream");
    const HcclRootInfo info = RootInfo(own.rank);
    Require(HcclCommInitRootInfo(own.size, &info, own.rank, &own.comm), "HcclCommInitRootInfo");
    for (const size_t count : {size_t{1}, size_t{1000}, size_t{1} << 20}) CheckAll(own, count);
    Require(HcclCommDestroy(own.comm), "HcclCommDestroy");
    Require(aclrtDestroyStream(own.stream), "aclrtDestroyStream");
    std::printf("rank %u of %u: passed\n", own.rank, own.size);
}
