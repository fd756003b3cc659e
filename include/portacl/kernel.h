/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Kernels for the cpu backend: functions of a shared object that aclrtBinaryLoadFromFile or a variant loads.
 *
 * A kernel NAME is the exported C function
 *
 *     void NAME(const void* arguments, const portaclBlock* block);
 *
 * The library calls it once for each block of a launch, on several threads at the same time and in
 * any order. `arguments` is a copy of what the launch passed, each argument at a multiple of its
 * alignment as in a C structure, and begins at a multiple of 16. The kernel does the work of all
 * threads of its block, in a loop if there are several. It must not throw and must not call this
 * library.
 *
 * The exported constant NAME_portacl_kernel, a portaclKernel, describes the parameters. It is
 * required for launches with an array of arguments, and in guard mode (PORTACL_CPU_GUARD=1, or
 * PORTACL_CHECK with bounds or all), where the
 * library's threads map device memory at other addresses than the program: pointers are translated
 * if they are marked as pointers; pointers inside structures are not. In C, write it by hand; in
 * C++ (14 or later) PORTACL_KERNEL defines both from an ordinary function:
 *
 *     static void Add(const portaclBlock& block, float* out, const float* a, uint64_t count);
 *     PORTACL_KERNEL(vector_add, Add);
 *
 * Launches check that marked pointers refer to memory that the device has access to.
 *
 * A kernel whose arguments refer to something that the launch owns exports the C function
 * NAME_portacl_release as well:
 *
 *     void NAME_portacl_release(const void* arguments);
 *
 * The library calls it once for each launch that returned ACL_SUCCESS, when the kernel has run, or
 * when the launch is dropped because its stream is aborted or destroyed or its device is reset: on
 * any thread, soon after a synchronize at the latest. For a launch in a graph, it calls the function
 * when that graph, and every graph that it was captured into, is destroyed: soon after the
 * aclmdlRIDestroy of the last one at the latest. aclmdlRITaskSetParams changes nothing about that:
 * the function gets the recorded arguments, never the new ones.
 * The function must not throw, block, or call this library. It may read the arguments themselves,
 * and not the memory that pointers among them refer to. Launches that PORTACL_FAULT makes fail in the
 * stream are not released.
 *
 * A kernel that knows which memory a launch uses may export the C function NAME_portacl_uses as well:
 *
 *     size_t NAME_portacl_uses(const void* arguments, portaclUse* uses, size_t capacity);
 *
 * PORTACL_CHECK calls it for each launch (for one in a graph when it is captured or replaced), on the thread
 * that launches, with the arguments as the program passed them. It writes the ranges of device memory that the kernel
 * reads or writes to `uses`, at most `capacity` of them, and returns how many there are; if there are
 * more, it is called again. Without it the checks know only the first byte behind each pointer. The
 * function must not throw or call this library.
 *
 * An exported variable of the object is device memory, which aclrtBinaryGetGlobal finds by its
 * name. In C++: `extern "C" { __attribute__((visibility("default"))) float scale; }`. Kernels use
 * the same variable.
 *
 * An exported string portacl_entry_NUMBER contains the name of the kernel that
 * aclrtBinaryGetFunctionByEntry finds by that number: PORTACL_KERNEL_ENTRY(NUMBER, NAME).
 */

#ifndef PORTACL_KERNEL_H
#define PORTACL_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/** The block of a launch that a call computes. */
typedef struct portaclBlock {
    /** Its index in x, y and z, each less than `count`. */
    uint32_t index[3];
    /** The number of blocks in x, y and z. */
    uint32_t count[3];
    /** The number of threads of the block in x, y and z; 1 each if a launch gives the number of
     * blocks only. */
    uint32_t threads[3];
    /** Reserved. */
    uint32_t reserved;
    /** Shared memory of the block, of the size that the launch requested (dynUbufSize), at a
     * multiple of 64; its contents are undefined. Null if the launch requested none. */
    void* shared;
    /** Its size in bytes. */
    size_t sharedBytes;
    /** What portaclKernelFail calls. */
    void (*fail)(const struct portaclBlock* block, int32_t code, const char* text);
    /** Of the library. */
    const void* failure;
} portaclBlock;

/** The launch of this block fails: the next synchronize of its stream returns `code` and `text`,
 * and the stream goes on or stops as aclrtSetStreamFailureMode says. The first failure of a launch
 * counts. The kernel goes on; it should return. `code` is an error code of the API or another
 * number; 0 stands for ACL_ERROR_RT_AICORE_EXCEPTION 507015. `text` is copied; it may be null. */
static inline void portaclKernelFail(const portaclBlock* block, int32_t code, const char* text) {
    block->fail(block, code, text);
}

/** The parameter is a pointer. */
#define PORTACL_PARAMETER_POINTER 1u
/** The kernel may write through the pointer; without this flag it only reads. */
#define PORTACL_PARAMETER_WRITTEN 2u

/** A parameter of a kernel. */
typedef struct portaclParameter {
    /** Its offset in the arguments. */
    uint32_t offset;
    /** Its size in bytes. */
    uint32_t size;
    /** PORTACL_PARAMETER_POINTER, optionally with PORTACL_PARAMETER_WRITTEN; or 0. */
    uint32_t flags;
} portaclParameter;

/** The kernel may read the memory of a portaclUse, or a part of it: that a part has no contents is no
 * fault. */
#define PORTACL_USE_PARTLY 4u

/** A range of device memory that a launch uses. */
typedef struct portaclUse {
    /** Its first byte. */
    const void* address;
    /** Its size in bytes. 0: unknown; the checks then use what they know of a pointer. */
    size_t bytes;
    /** 0: the kernel reads all of it. PORTACL_PARAMETER_WRITTEN: it may write it. PORTACL_USE_PARTLY. */
    uint32_t flags;
} portaclUse;

/** The version of the descriptions that this header declares. */
#define PORTACL_KERNEL_VERSION 1u

/** The parameters of a kernel. */
typedef struct portaclKernel {
    /** PORTACL_KERNEL_VERSION. */
    uint32_t version;
    /** Bytes from the first to the end of the last, at most 4096. */
    uint32_t argumentsSize;
    /** Number of parameters. */
    uint32_t parameterCount;
    /** The parameters in order; may be null if there are none. */
    const portaclParameter* parameters;
} portaclKernel;

#ifdef __cplusplus
/** Makes aclrtBinaryGetFunctionByEntry find the kernel NAME by NUMBER, a decimal number. Use it
 * outside of namespaces. */
#define PORTACL_KERNEL_ENTRY(NUMBER, NAME)                                                         \
    extern "C" {                                                                                   \
    extern __attribute__((visibility("default"))) const char portacl_entry_##NUMBER[sizeof #NAME]; \
    const char portacl_entry_##NUMBER[sizeof #NAME] = #NAME;                                       \
    }                                                                                              \
    static_assert(true, "the macro wants a semicolon behind it")
#else
/** Makes aclrtBinaryGetFunctionByEntry find the kernel NAME by NUMBER, a decimal number. Use it
 * outside of namespaces. */
#define PORTACL_KERNEL_ENTRY(NUMBER, NAME)                                                         \
    extern __attribute__((visibility("default"))) const char portacl_entry_##NUMBER[sizeof #NAME]; \
    const char portacl_entry_##NUMBER[sizeof #NAME] = #NAME
#endif

#if defined(__cplusplus) && __cplusplus >= 201402L

#include <cstring>
#include <type_traits>
#include <utility>

namespace portacl {
namespace detail {

constexpr uint32_t Align(size_t offset, size_t alignment) {
    return static_cast<uint32_t>((offset + alignment - 1) / alignment * alignment);
}

/* What a parameter is. */
template <typename Parameter>
constexpr uint32_t Flags() {
    using Pointee = typename std::remove_pointer<Parameter>::type;
    return !std::is_pointer<Parameter>::value || std::is_function<Pointee>::value ? 0u
           : std::is_const<Pointee>::value ? PORTACL_PARAMETER_POINTER
                                           : PORTACL_PARAMETER_POINTER | PORTACL_PARAMETER_WRITTEN;
}

/* A parameter list as a table. */
template <typename... Parameters>
struct Table {
    static constexpr size_t kCount = sizeof...(Parameters);
    /* One more than needed, for kernels without parameters. */
    portaclParameter entries[kCount + 1];
    uint32_t size;

    static constexpr Table Make() {
        const size_t sizes[] = {sizeof(Parameters)..., 1};
        const size_t alignments[] = {alignof(Parameters)..., 1};
        const uint32_t flags[] = {Flags<Parameters>()..., 0};
        Table table{};
        for (size_t i = 0; i < kCount; ++i) {
            table.entries[i].offset = Align(table.size, alignments[i]);
            table.entries[i].size = static_cast<uint32_t>(sizes[i]);
            table.entries[i].flags = flags[i];
            table.size = table.entries[i].offset + table.entries[i].size;
        }
        return table;
    }
};

template <typename Function>
struct Kernel;

template <typename... Parameters>
struct Kernel<void (*)(const portaclBlock&, Parameters...)> {
    using Parts = Table<Parameters...>;
    static constexpr Parts kParts = Parts::Make();

    template <typename Parameter>
    static Parameter Read(const void* arguments, size_t index) {
        static_assert(std::is_trivially_copyable<Parameter>::value,
                      "parameters of kernels are copied as bytes");
        static_assert(alignof(Parameter) <= 16, "arguments begin at a multiple of 16");
        Parameter value;
        std::memcpy(&value, static_cast<const char*>(arguments) + kParts.entries[index].offset,
                    sizeof value);
        return value;
    }

    template <size_t... Index>
    static void Call(void (*function)(const portaclBlock&, Parameters...), const void* arguments,
                     const portaclBlock& block, std::index_sequence<Index...>) noexcept {
        (void)arguments;
        function(block, Read<Parameters>(arguments, Index)...);
    }
};

template <typename... Parameters>
constexpr Table<Parameters...> Kernel<void (*)(const portaclBlock&, Parameters...)>::kParts;

}  // namespace detail
}  // namespace portacl

/* Exports FUNCTION, void(const portaclBlock&, parameters...), as the kernel NAME. Outside of
 * namespaces. */
#define PORTACL_KERNEL(NAME, FUNCTION)                                                             \
    extern "C" {                                                                                   \
    __attribute__((visibility("default"))) void NAME(const void* arguments,                        \
                                                     const portaclBlock* block);                   \
    __attribute__((visibility("default"))) void NAME(const void* arguments,                        \
                                                     const portaclBlock* block) {                  \
        using Type = ::portacl::detail::Kernel<decltype(&FUNCTION)>;                               \
        Type::Call(&FUNCTION, arguments, *block, std::make_index_sequence<Type::Parts::kCount>()); \
    }                                                                                              \
    extern __attribute__((visibility("default"))) const portaclKernel NAME##_portacl_kernel;       \
    const portaclKernel NAME##_portacl_kernel = {                                                  \
        PORTACL_KERNEL_VERSION, ::portacl::detail::Kernel<decltype(&FUNCTION)>::kParts.size,       \
        static_cast<uint32_t>(::portacl::detail::Kernel<decltype(&FUNCTION)>::Parts::kCount),      \
        ::portacl::detail::Kernel<decltype(&FUNCTION)>::kParts.entries};                           \
    }                                                                                              \
    static_assert(true, "the macro wants a semicolon behind it")

#elif defined(__cplusplus)

/** Exports FUNCTION, void(const portaclBlock&, parameters...), as the kernel NAME: from C++14 on.
 * With older standards it does not compile. */
#define PORTACL_KERNEL(NAME, FUNCTION) \
    static_assert(sizeof #NAME == 0, "PORTACL_KERNEL needs C++14 (-std=c++14)")

#endif /* C++14 */

#endif /* PORTACL_KERNEL_H */
