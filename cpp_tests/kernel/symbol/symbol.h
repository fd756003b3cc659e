// A program whose variables and kernels have symbols in the test.
#pragma once

#include <cstdint>
#include <optional>

#include "kernel/codes.h"
#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"

namespace portacl_test {

// The host addresses that the test registers.
inline uint32_t step_symbol;
inline char table_symbol[64];
inline void MarkSymbol() {}
inline int never_registered;

// A program, with symbols for its contents.
class Symbol : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        program_.emplace();
        ACL_OK(portaclRegisterSymbol(*program_, &step_symbol, "kernel_step"));
        ACL_OK(portaclRegisterSymbol(*program_, table_symbol, "kernel_table"));
        ACL_OK(portaclRegisterSymbol(*program_, Mark(), "mark"));
    }
    void TearDown() override {
        program_.reset();
        WithDevice::TearDown();
    }

    static void* Mark() { return reinterpret_cast<void*>(&MarkSymbol); }

    // The result of the kernel that adds the variable, on zeros.
    uint32_t Step() {
        const Stream stream;
        const ZeroWords words(1);
        void* address = words.At();
        void* arguments[] = {&address};
        ACL_EXPECT_OK(aclrtLaunchSIMTKernelWithArgsArray(program_->Kernel("add_step"), {1, 1, 1}, {1, 1, 1}, 0, stream,
                                                         nullptr, arguments));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        return words.Download<uint32_t>()[0];
    }

    std::optional<Program> program_;
};

}  // namespace portacl_test
