// Memory that is used before its allocation or after its release, in the order of streams.
#include "check/programs/program.h"

namespace {

void FreedInUse(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    OK(aclrtFree(world.device));
    world.device = nullptr;
}

void HostMemoryFreedInUse(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    OK(aclrtFreeHost(world.pinned));
    world.pinned = nullptr;
}

// The release is in another stream than the work.
void PoolMemoryFreedInUse(World& world, bool is_fixed) {
    void* block = nullptr;
    OK(portaclMallocAsync(&block, world.kSize, world.first));
    world.Fill(static_cast<char*>(block), world.first);
    if (is_fixed) world.Order();
    OK(portaclFreeAsync(block, world.second));
}

// Pool memory exists in another stream from an event on.
void UsedBeforeItsAllocation(World& world, bool is_fixed) {
    void* block = nullptr;
    OK(portaclMallocAsync(&block, world.kSize, world.first));
    if (is_fixed) world.Order();
    world.Fill(static_cast<char*>(block), world.second);
    world.Order(world.second, world.first);
    OK(portaclFreeAsync(block, world.first));
}

void HostUsesItBeforeItsAllocation(World& world, bool is_fixed) {
    void* block = nullptr;
    OK(portaclMallocAsync(&block, world.kSize, world.first));
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    OK(aclrtMemset(block, world.kSize, 0, world.kSize));
    OK(portaclFreeAsync(block, world.first));
}

// A new block at a place that another stream has used is no fault: the pool orders the two.
void Reuse(World& world, bool is_fixed) {
    for (int round = 0; round < 4; ++round) {
        const aclrtStream stream = round % 2 ? world.second : world.first;
        void* block = nullptr;
        OK(portaclMallocAsync(&block, world.kSize, stream));
        world.Fill(static_cast<char*>(block), stream);
        OK(portaclFreeAsync(block, stream));
    }
    world.Fill(world.device, world.first);
    if (is_fixed) world.Order();
    world.Fill(world.device, world.second);
}

}  // namespace

const std::vector<Program> kMemory = {
    {"freed_in_use", FreedInUse, "race", "aclrtFree frees memory that aclrtMemsetAsync writes, and nothing"},
    {"host_memory_freed_in_use", HostMemoryFreedInUse, "race",
     "aclrtFreeHost frees memory that aclrtMemcpyAsync writes, and nothing"},
    {"pool_freed_in_use", PoolMemoryFreedInUse, "race",
     "portaclFreeAsync frees memory that aclrtMemsetAsync writes, and nothing"},
    {"before_allocation", UsedBeforeItsAllocation, "race",
     "aclrtMemsetAsync writes memory that portaclMallocAsync allocates, and nothing"},
    {"host_before_allocation", HostUsesItBeforeItsAllocation, "race",
     "aclrtMemset writes memory that portaclMallocAsync allocates, and nothing"},
    {"reuse", Reuse, "race", "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing"},
};
