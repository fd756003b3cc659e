// The calls that allocate, free and use memory.
#pragma once

#include "steps.h"

namespace portacl_fuzz {

class MemorySteps : public Steps {
  protected:
    using Steps::Steps;

    void Malloc() {
        void* memory = nullptr;
        const size_t bytes = input_.Size();
        const auto policy = static_cast<aclrtMemMallocPolicy>(input_.Enumerator(5));
        if (Note("aclrtMalloc", aclrtMalloc(&memory, bytes, policy), bytes == 0) == ACL_SUCCESS) {
            device_.push_back({memory, bytes});
        }
    }

    void Free() {
        bool is_wrong = false;
        void* memory = TakeBlock(device_, is_wrong);
        if (Note("aclrtFree", aclrtFree(memory), is_wrong) == ACL_SUCCESS) {
            Drop(device_, memory);
            // Frees the address again at once: no other call can have allocated it meanwhile.
            Note("aclrtFree", aclrtFree(memory), true);
        }
    }

    void MallocHost() {
        void* memory = nullptr;
        const size_t bytes = std::min<size_t>(input_.Size(), kMostCopied);
        if (Note("aclrtMallocHost", aclrtMallocHost(&memory, bytes), bytes == 0) == ACL_SUCCESS) {
            pinned_.push_back({memory, bytes});
        }
    }

    void FreeHost() {
        bool is_wrong = false;
        void* memory = TakeBlock(pinned_, is_wrong);
        if (Note("aclrtFreeHost", aclrtFreeHost(memory), is_wrong) == ACL_SUCCESS) Drop(pinned_, memory);
    }

    void Copy() {
        const Allocation dst = Operand(), src = Operand();
        const size_t count = Length(dst, src);
        const auto kind = static_cast<aclrtMemcpyKind>(input_.Enumerator(6));
        const size_t most = input_.Byte() < 224 ? dst.bytes : count / 2;
        Note("aclrtMemcpy", aclrtMemcpy(dst.memory, most, src.memory, count, kind), most < count);
    }

    void CopyAsync() {
        const Allocation dst = Operand(), src = Operand();
        const Choice stream = Choose(HandleKind::kStream);
        const size_t count = Length(dst, src);
        const auto kind = static_cast<aclrtMemcpyKind>(input_.Enumerator(6));
        const size_t most = input_.Byte() < 224 ? dst.bytes : count / 2;
        Note("aclrtMemcpyAsync", aclrtMemcpyAsync(dst.memory, most, src.memory, count, kind, stream.handle),
             stream.is_wrong || most < count);
    }

    void Fill() {
        const Allocation block = Operand();
        const size_t count = Length(block, block);
        Note("aclrtMemset", aclrtMemset(block.memory, block.bytes, input_.Byte(), count));
    }

    void FillAsync() {
        const Allocation block = Operand();
        const Choice stream = Choose(HandleKind::kStream);
        const size_t count = Length(block, block);
        Note("aclrtMemsetAsync", aclrtMemsetAsync(block.memory, block.bytes, input_.Byte(), count, stream.handle),
             stream.is_wrong);
    }

    void Reduce() {
        const Allocation dst = Operand(), src = Operand();
        const Choice stream = Choose(HandleKind::kStream);
        const auto kind = static_cast<aclrtReduceKind>(10 + input_.Enumerator(4));
        const auto type = static_cast<aclDataType>(input_.Enumerator(8));
        const size_t bytes = std::min<size_t>(Length(dst, src), 4096);
        Note("aclrtReduceAsync", aclrtReduceAsync(dst.memory, src.memory, bytes, kind, type, stream.handle, nullptr),
             stream.is_wrong);
    }

    void CreatePool() {
        void* pool = nullptr;
        aclrtMemPoolProps props{};
        props.allocType = static_cast<aclrtMemAllocationType>(input_.Enumerator(2));
        props.handleType = static_cast<aclrtMemHandleType>(input_.Byte() < 200 ? 0 : input_.Enumerator(4));
        props.location.type = static_cast<aclrtMemLocationType>(input_.Byte() < 200 ? 1 : input_.Enumerator(4));
        props.location.id = input_.Byte() < 224 ? 0 : 77;
        props.maxSize = input_.Byte() < 200 ? 0 : input_.Size();
        if (Note("aclrtMemPoolCreate", aclrtMemPoolCreate(&pool, &props)) == ACL_SUCCESS) {
            objects_.Add(HandleKind::kPool, pool);
            if (props.location.type != ACL_MEM_LOCATION_TYPE_DEVICE) host_pools_.insert(pool);
        }
    }

    void DestroyPool() {
        const Choice pool = Choose(HandleKind::kPool);
        if (Note("aclrtMemPoolDestroy", aclrtMemPoolDestroy(pool.handle), pool.is_wrong) == ACL_SUCCESS) {
            objects_.Destroyed(HandleKind::kPool, pool.handle);
        }
    }

    void PoolMalloc() {
        void* memory = nullptr;
        const Choice pool = Choose(HandleKind::kPool), stream = Choose(HandleKind::kStream);
        const size_t bytes = input_.Size();
        if (Note("aclrtMemPoolMallocAsync", aclrtMemPoolMallocAsync(&memory, bytes, pool.handle, stream.handle),
                 pool.is_wrong || stream.is_wrong || bytes == 0) == ACL_SUCCESS) {
            const bool is_host = host_pools_.count(pool.handle) != 0;
            // Memory that a capture allocates belongs to its graph and ends with it.
            if (IsCapturing(stream.handle)) return;
            // Until then only its stream may use it. A capture in another stream can forbid the wait.
            if (Note("aclrtSynchronizeStream", aclrtSynchronizeStream(stream.handle)) != ACL_SUCCESS &&
                Note("aclrtMemPoolFreeAsync", aclrtMemPoolFreeAsync(memory, stream.handle)) == ACL_SUCCESS) {
                return;
            }
            pooled_.push_back({memory, bytes, is_host});
        }
    }

    void PoolFree() {
        bool is_wrong = false;
        void* memory = TakeBlock(pooled_, is_wrong);
        const Choice stream = Choose(HandleKind::kStream);
        // Other streams may still use it.
        if (!is_wrong && Note("aclrtSynchronizeDevice", aclrtSynchronizeDevice()) != ACL_SUCCESS) return;
        if (Note("aclrtMemPoolFreeAsync", aclrtMemPoolFreeAsync(memory, stream.handle), is_wrong || stream.is_wrong) ==
            ACL_SUCCESS) {
            Drop(pooled_, memory);
            Note("aclrtMemPoolFreeAsync", aclrtMemPoolFreeAsync(memory, stream.handle), true);
        }
    }

    void PoolTrim() {
        const Choice pool = Choose(HandleKind::kPool);
        Note("aclrtMemPoolTrimTo", aclrtMemPoolTrimTo(pool.handle, input_.Size()), pool.is_wrong);
    }

    void PoolAttribute() {
        const Choice pool = Choose(HandleKind::kPool);
        const auto attribute = static_cast<aclrtMemPoolAttr>(input_.Enumerator(10));
        uint64_t value[4] = {input_.Word(), 0, 0, 0};
        if (input_.Byte() % 2) {
            Note("aclrtMemPoolSetAttr", aclrtMemPoolSetAttr(pool.handle, attribute, value), pool.is_wrong);
        } else {
            Note("aclrtMemPoolGetAttr", aclrtMemPoolGetAttr(pool.handle, attribute, value), pool.is_wrong);
        }
    }
};

}  // namespace portacl_fuzz
