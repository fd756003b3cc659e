// Shared by all steps of an input: the checks of each call, and the handles and blocks to choose
// from.
#pragma once

#include <acl/acl.h>
#include <acl/acl_rt_memory_soma.h>
#include <portacl/portacl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "calls.h"
#include "objects.h"

namespace portacl_fuzz {

constexpr size_t kHostBytes = 1 << 16;
constexpr size_t kMostCopied = 1 << 20;

[[noreturn]] inline void Broken(const char* call, const char* rule, int code) {
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "fuzz: %s (returned %d): %s; text: %s\n", call, code, rule, text ? text : "none");
    std::abort();
}

struct Allocation {
    void* memory;
    size_t bytes;
    // From a pool in host memory, which a device reset does not free.
    bool is_host = false;
};

class Steps {
  protected:
    explicit Steps(const Bytes& bytes) : input_(bytes), host_(kHostBytes) {}

    // Records what a call returned, and checks the rules of all calls.
    aclError Note(const char* call, aclError code, bool must_fail = false) {
        if (is_traced_) std::fprintf(stderr, "%s returned %d\n", call, code);
        seen_.insert(std::string(call) + " " + std::to_string(code));
        if (code == ACL_SUCCESS) {
            if (must_fail) Broken(call, "a wrong argument was accepted", code);
            return code;
        }
        if (!portaclErrorName(code)) Broken(call, "the code is unknown", code);
        const char* text = aclGetRecentErrMsg();
        if (!text || !*text) Broken(call, "the failure has no text", code);
        return code;
    }

    void Expect(const char* call, aclError code) {
        if (code != ACL_SUCCESS) Broken(call, "the call should have worked", code);
    }

    Choice Choose(HandleKind kind) { return objects_.Choose(kind, input_); }

    void SetDevice() {
        // The inputs use one device, so access of other devices to a pool is not tested.
        const int device = input_.Byte() < 200 ? 0 : -1 - input_.Enumerator(3);
        Note("aclrtSetDevice", aclrtSetDevice(device), device != 0);
    }

    // An address at which no live block begins, or a block; `taken` removes the block from its
    // list.
    void* TakeBlock(std::vector<Allocation>& blocks, bool& is_wrong) {
        const uint8_t way = input_.Byte(), which = input_.Byte();
        is_wrong = true;
        if (way < 16) return reinterpret_cast<void*>(0x1000);
        if (blocks.empty()) return host_.data();
        const size_t index = which % blocks.size();
        if (way < 48) return static_cast<char*>(blocks[index].memory) + 1;
        is_wrong = false;
        return blocks[index].memory;
    }

    static void Drop(std::vector<Allocation>& blocks, const void* memory) {
        blocks.erase(std::find_if(blocks.begin(), blocks.end(),
                                  [memory](const Allocation& block) { return block.memory == memory; }));
    }

    // Memory that a call may use: a block, a block of a pool, pinned or pageable host memory, and
    // its remaining length.
    Allocation Operand() {
        const uint8_t way = input_.Byte(), which = input_.Byte();
        const size_t offset = input_.Byte() < 192 ? 0 : input_.Word();
        std::vector<Allocation>* lists[] = {&device_, &device_, &pooled_, &pinned_};
        std::vector<Allocation>& blocks = *lists[way % 4];
        Allocation block{host_.data(), host_.size()};
        if (way < 200 && !blocks.empty()) block = blocks[which % blocks.size()];
        const size_t used = std::min(offset, block.bytes);
        return {static_cast<char*>(block.memory) + used, block.bytes - used};
    }

    // The length of a copy: within both operands, because the library does not know the bounds of
    // pageable host memory.
    size_t Length(const Allocation& a, const Allocation& b) {
        const size_t within = std::min({a.bytes, b.bytes, kMostCopied});
        const uint8_t way = input_.Byte();
        return way < 224 ? within * (way % 16) / 15 : within;
    }

    static bool IsCapturing(aclrtStream stream) {
        aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
        void* graph = nullptr;
        return aclmdlRICaptureGetInfo(stream, &status, &graph) == ACL_SUCCESS &&
               status != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    }

    // PORTACL_TEST_FUZZ_TRACE prints each call and its code.
    const bool is_traced_ = std::getenv("PORTACL_TEST_FUZZ_TRACE") != nullptr;
    Input input_;
    Objects objects_;
    std::vector<Allocation> device_, pooled_, pinned_;
    std::set<void*> host_pools_;
    std::vector<char> host_;
    Seen seen_;
};

}  // namespace portacl_fuzz
