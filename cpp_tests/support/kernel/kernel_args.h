// Code that the tests of kernel arguments share.
#pragma once

#include <acl/acl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"

namespace portacl_test {

// The operand of the kernel `add_pair`, which takes its address.
struct Pair {
    uint32_t a, b;
};

// Tests with the kernels that take arguments of every kind.
class WithKernels : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        program_.emplace();
        mark_ = program_->Kernel("mark");
        add_pair_ = program_->Kernel("add_pair");
        size_t count = 0;
        knows_parameters_ = aclrtFunctionGetParamCount(mark_, &count) == ACL_SUCCESS;
        (void)aclGetRecentErrMsg();
    }
    void TearDown() override {
        program_.reset();
        WithDevice::TearDown();
    }

    // The number of words that one block of the kernel `mark` writes.
    static constexpr size_t kWords = 256;
    static std::vector<uint32_t> Marked(uint32_t number) {
        std::vector<uint32_t> all(kWords, 0);
        std::fill_n(all.begin(), OnCpu() ? 1 : kWords, number);
        return all;
    }

    std::optional<Program> program_;
    aclrtFuncHandle mark_ = nullptr;
    aclrtFuncHandle add_pair_ = nullptr;
    bool knows_parameters_ = false;
};

}  // namespace portacl_test
