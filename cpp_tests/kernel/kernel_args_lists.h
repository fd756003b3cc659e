// Argument lists in memory of the library and of the caller.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernel/codes.h"
#include "support/acl_test.h"
#include "support/kernel/kernel_args.h"

namespace portacl_test {

using Words = std::vector<uint32_t>;

// Bytes that a list in the caller's memory needs.
class CallersMemory {
  public:
    CallersMemory(aclrtFuncHandle function, size_t user_size) {
        size_t list = 0, room = 0;
        ACL_EXPECT_OK(aclrtKernelArgsGetHandleMemSize(function, &list));
        ACL_EXPECT_OK(aclrtKernelArgsGetMemSize(function, user_size, &room));
        EXPECT_GE(room, user_size);
        list_.resize((list + 7) / 8, 0xA5A5A5A5A5A5A5A5);
        // Unaligned, as the caller's memory may be.
        room_.resize(room + 1);
    }
    aclrtArgsHandle List() { return list_.data(); }
    void* Room() { return room_.data() + 1; }
    size_t RoomSize() const { return room_.size() - 1; }

  private:
    std::vector<uint64_t> list_;
    std::vector<char> room_;
};

class KernelArgs : public WithKernels {
  protected:
    // Begins a list for `function` in the library's and in the caller's memory, and calls `work`
    // with each.
    template <typename Work>
    void WithEachList(aclrtFuncHandle function, Work work) {
        aclrtArgsHandle own = nullptr;
        ACL_OK(aclrtKernelArgsInit(function, &own));
        {
            SCOPED_TRACE("the library's list");
            work(own);
        }
        CallersMemory memory(function, 4096);
        ACL_OK(aclrtKernelArgsInitByUserMem(function, memory.List(), memory.Room(), memory.RoomSize()));
        SCOPED_TRACE("a list in the caller's memory");
        work(memory.List());
    }

    // A complete list for `mark`, and the handles of its arguments.
    static std::vector<aclrtParamHandle> FillForMark(aclrtArgsHandle list, void* words, uint32_t number) {
        std::vector<aclrtParamHandle> parameters(2);
        ACL_EXPECT_OK(aclrtKernelArgsAppend(list, &words, sizeof words, &parameters[0]));
        ACL_EXPECT_OK(aclrtKernelArgsAppend(list, &number, sizeof number, &parameters[1]));
        ACL_EXPECT_OK(aclrtKernelArgsFinalize(list));
        return parameters;
    }

    // A complete list for `add_pair`, and the buffer of its placeholder, which contains `pair`.
    static void* FillForPair(aclrtArgsHandle list, void* words, const Pair& pair) {
        aclrtParamHandle parameter = nullptr, place = nullptr;
        ACL_EXPECT_OK(aclrtKernelArgsAppend(list, &words, sizeof words, &parameter));
        ACL_EXPECT_OK(aclrtKernelArgsAppendPlaceHolder(list, &place));
        EXPECT_NE(parameter, place);
        void *buffer = nullptr, *again = nullptr;
        ACL_EXPECT_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, place, sizeof pair, &buffer));
        ACL_EXPECT_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, place, sizeof pair, &again));
        EXPECT_EQ(buffer, again);
        if (buffer) std::memcpy(buffer, &pair, sizeof pair);
        ACL_EXPECT_OK(aclrtKernelArgsFinalize(list));
        return buffer;
    }

    static aclError Launch(aclrtFuncHandle function, aclrtArgsHandle list, aclrtStream stream, uint32_t blocks = 1) {
        return aclrtLaunchKernelWithConfig(function, blocks, stream, nullptr, list, nullptr);
    }
};

}  // namespace portacl_test
