// Kernels of kernel_test.cpp for the cpu backend.
#include <portacl/kernel.h>

#include <atomic>
#include <cstring>

#include <acl/acl.h>

#include "../support/process/deep.h"

// Variables that programs look up.
extern "C" {
extern __attribute__((visibility("default"))) uint32_t kernel_step;
uint32_t kernel_step = 5;
extern __attribute__((visibility("default"))) char kernel_table[64];
char kernel_table[64];
}

namespace {

uint64_t Flat(const uint32_t (&index)[3], const uint32_t (&count)[3]) {
    return index[0] + uint64_t{count[0]} * (index[1] + uint64_t{count[1]} * index[2]);
}

// Each thread of each block adds a number to its word.
void Mark(const portaclBlock& block, uint32_t* words, uint32_t number) {
    const uint64_t threads = uint64_t{block.threads[0]} * block.threads[1] * block.threads[2];
    const uint64_t first = Flat(block.index, block.count) * threads;
    for (uint64_t i = 0; i < threads; ++i) words[first + i] += number;
}

void AddStep(const portaclBlock& block, uint32_t* words) {
    Mark(block, words, kernel_step);
}

struct Pair {
    uint32_t a, b;
};

void AddPair(const portaclBlock& block, uint32_t* words, const Pair* pair) {
    Mark(block, words, pair->a + pair->b);
}

void LookAway(const portaclBlock&, uint32_t*) {}

// Blocks from number `first` on fail; odd ones say nothing.
void Fails(const portaclBlock& block, uint32_t first, int32_t code) {
    if (block.index[0] < first) return;
    portaclKernelFail(&block, code, block.index[0] % 2 == 0 ? "an even block refuses" : nullptr);
    portaclKernelFail(&block, code + 1, "the second failure of a block");
}

void Nothing(const portaclBlock&) {}

// What a test counts: [0] blocks that ran, [1] launches that were released.
using Counts = std::atomic<int>;

void Owns(const portaclBlock&, uintptr_t counts) {
    ++reinterpret_cast<Counts*>(counts)[0];
}

// Adds the numbers of `from` to those of `to`; says which memory that is.
void AddWords(const portaclBlock&, uint32_t* to, uint32_t* from, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) to[i] += from[i];
}

// The block's shared memory, after it was filled and read; each block writes its own word.
void Shared(const portaclBlock& block, uint32_t* words) {
    uint32_t sum = 0;
    if (block.shared != nullptr) {
        std::memset(block.shared, static_cast<int>(block.index[0] + 1), block.sharedBytes);
        const auto* bytes = static_cast<const unsigned char*>(block.shared);
        for (size_t i = 0; i < block.sharedBytes; ++i) sum += bytes[i];
    }
    words[block.index[0]] = sum;
}

// A structure that contains a pointer, which the description does not show.
struct Small {
    uint8_t byte;
    double number;
};

void Mixed(const portaclBlock&, uint8_t a, double* out, Small small, uint16_t b) {
    *out = a + small.byte + small.number + b;
}

// Calls the library from a kernel and returns the code.
void CallsLibrary(const portaclBlock&, int32_t* code) {
    void* memory = nullptr;
    *code = aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
}

// Each block uses that many MiB of its thread's stack.
void Deep(const portaclBlock& block, uint32_t* words, uint32_t mebibytes) {
    words[block.index[0]] = portacl_test::Deep::Use(mebibytes);
}

}  // namespace

PORTACL_KERNEL(mark, Mark);
PORTACL_KERNEL(add_step, AddStep);
PORTACL_KERNEL(add_pair, AddPair);
PORTACL_KERNEL(look_away, LookAway);
PORTACL_KERNEL(fails, Fails);
PORTACL_KERNEL(nothing, Nothing);
PORTACL_KERNEL(owns, Owns);
PORTACL_KERNEL(add_words, AddWords);
PORTACL_KERNEL(shared_sum, Shared);
PORTACL_KERNEL(mixed, Mixed);
PORTACL_KERNEL(calls_library, CallsLibrary);
PORTACL_KERNEL(deep, Deep);

extern "C" {
__attribute__((visibility("default"))) void owns_portacl_release(const void* arguments);
__attribute__((visibility("default"))) void owns_portacl_release(const void* arguments) {
    uintptr_t counts = 0;
    std::memcpy(&counts, arguments, sizeof counts);
    ++reinterpret_cast<Counts*>(counts)[1];
}
}

extern "C" {
__attribute__((visibility("default"))) size_t add_words_portacl_uses(const void* arguments, portaclUse* uses,
                                                                     size_t capacity);
__attribute__((visibility("default"))) size_t add_words_portacl_uses(const void* arguments, portaclUse* uses,
                                                                     size_t capacity) {
    struct {
        uint32_t *to, *from;
        uint64_t count;
    } of;
    std::memcpy(&of, arguments, sizeof of);
    const size_t bytes = of.count * sizeof *of.to;
    const portaclUse all[] = {{of.from, bytes, 0}, {of.to, bytes, PORTACL_PARAMETER_WRITTEN}};
    for (size_t i = 0; i < 2 && i < capacity; ++i) uses[i] = all[i];
    return 2;
}
}

PORTACL_KERNEL_ENTRY(7, mark);
PORTACL_KERNEL_ENTRY(9, no_such_kernel);

extern "C" {

// Without text.
extern __attribute__((visibility("default"))) const char portacl_entry_8[2];
const char portacl_entry_8[2] = {1, 2};

// Without a description: a block of arguments only.
__attribute__((visibility("default"))) void plain_mark(const void* arguments, const portaclBlock* block) {
    struct {
        uint32_t* words;
        uint32_t number;
    } values;
    std::memcpy(&values, arguments, sizeof values);
    Mark(*block, values.words, values.number);
}
}

// A kernel with a C++ name, without a description.
namespace shapes {
__attribute__((visibility("default"))) void Grow(const void*, const portaclBlock*);
void Grow(const void*, const portaclBlock*) {}
}  // namespace shapes

extern "C" {

// Not kernels, for different reasons.
extern __attribute__((visibility("default"))) const int not_a_function;
const int not_a_function = 1;
__attribute__((visibility("default"))) void newer(const void*, const portaclBlock*) {}
extern __attribute__((visibility("default"))) const portaclKernel newer_portacl_kernel;
const portaclKernel newer_portacl_kernel = {2, 0, 0, nullptr};
__attribute__((visibility("default"))) void crooked(const void*, const portaclBlock*) {}
extern __attribute__((visibility("default"))) const portaclKernel crooked_portacl_kernel;
const portaclParameter crooked_parameters[] = {{4, 8, 0}};
const portaclKernel crooked_portacl_kernel = {1, 8, 1, crooked_parameters};
__attribute__((visibility("default"))) void cut(const void*, const portaclBlock*) {}
extern __attribute__((visibility("default"))) const int cut_portacl_kernel;
const int cut_portacl_kernel = 1;
}
