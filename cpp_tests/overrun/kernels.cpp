// Kernels of overrun_test.cpp: one writes at a given offset, one returns its address.
#include <portacl/kernel.h>

#include <execinfo.h>
#include <unistd.h>

#include <cstdint>

namespace {

void WriteAt(const portaclBlock&, uint32_t* words, uint64_t offset) {
    *reinterpret_cast<volatile uint32_t*>(reinterpret_cast<char*>(words) + offset) = 7;
}

void SayWhere(const portaclBlock&) {
    void* frames[16];
    backtrace_symbols_fd(frames, backtrace(frames, 16), STDOUT_FILENO);
}

}  // namespace

PORTACL_KERNEL(write_at, WriteAt);
PORTACL_KERNEL(say_where, SayWhere);
