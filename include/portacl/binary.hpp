/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Binaries with kernels, and launches of kernels with typed arguments. docs/kernels.md describes the binaries;
 * portacl/kernel.h is for the kernels themselves.
 */

#ifndef PORTACL_BINARY_HPP
#define PORTACL_BINARY_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "owner.hpp"
#include "span.hpp"
#include "stream.hpp"

namespace portacl {

/** Number of blocks or threads in each dimension. */
struct Extent {
    /** The number in x. */
    uint32_t x = 1;
    /** The number in y. */
    uint32_t y = 1;
    /** The number in z. */
    uint32_t z = 1;
};

/** The blocks of a launch and their threads, for example `Grid{{64}, {256}}`. */
struct Grid {
    /** The blocks. */
    Extent blocks;
    /** The threads of a block. */
    Extent threads;
    /** Dynamic shared memory of a block, in bytes. */
    std::size_t shared_bytes = 0;
};

namespace detail {

struct BinaryKind {
    using Handle = aclrtBinHandle;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle binary) noexcept { note("aclrtBinaryUnLoad", aclrtBinaryUnLoad(binary)); }
};

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_signature(aclrtFuncHandle function, const std::string& what,
                                                                    std::size_t is, std::size_t allowed,
                                                                    SourceLocation where) {
    char name[256] = "";
    check(aclrtGetFunctionName(function, sizeof name, name), where);
    throw Error(ACL_ERROR_INVALID_PARAM,
                "portacl::Kernel: " + what + " of Signature is " + std::to_string(is) +
                    "; allowed: " + std::to_string(allowed) + ", as in the kernel " + name +
                    ". Write the types of its parameters in Signature",
                where);
}

// Compares a signature with what the binary says about the parameters. Some binaries say nothing.
inline void check_signature(aclrtFuncHandle function, const std::size_t* sizes, std::size_t count,
                            SourceLocation where) {
    std::size_t found = 0;
    const aclError code = aclrtFunctionGetParamCount(function, &found);
    if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
        aclGetRecentErrMsg();  // or a later reader would take it for a failure
        return;
    }
    check(code, where);
    if (found != count) refuse_signature(function, "the number of parameters", count, found, where);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t offset = 0, size = 0;
        check(aclrtFunctionGetParamInfo(function, i, &offset, &size), where);
        if (size != sizes[i])
            refuse_signature(function, "the size of parameter " + std::to_string(i), sizes[i], size, where);
    }
}

// An argument as the type of a parameter: as in a call of a function, and buffers of device memory as pointers.
template <typename Parameter, typename Argument>
Parameter as_parameter(Argument&& argument) {
    if constexpr (std::is_convertible_v<Argument&&, Parameter>) {
        return static_cast<Parameter>(std::forward<Argument>(argument));
    } else {
        const auto span = view(argument);
        using T = std::remove_pointer_t<decltype(span.data())>;
        static_assert(std::is_same_v<std::remove_const_t<decltype(span)>, DeviceSpan<T>>,
                      "kernels take device memory: a DeviceBuffer, AsyncBuffer or DeviceSpan");
        static_assert(std::is_convertible_v<T*, Parameter>, "the parameter points to elements of another type");
        return span.data();
    }
}

}  // namespace detail

template <typename Signature>
class Kernel;

/** A kernel of a binary, with the types of its parameters; valid until the binary is unloaded. Pending launches keep
 * what they need. @tparam Parameters trivially copyable types, as the kernel declares them. */
template <typename... Parameters>
class Kernel<void(Parameters...)> {
    static_assert((std::is_trivially_copyable_v<Parameters> && ...), "arguments are copied as bytes");

  public:
    /**
     * A kernel of the C API. Compares the number and the sizes of the parameters with what the binary says about them.
     *
     * @param function its handle.
     * @param where the source location of the call.
     */
    explicit Kernel(aclrtFuncHandle function, SourceLocation where = SourceLocation::current()) : function_(function) {
        const std::size_t sizes[] = {sizeof(Parameters)..., 0};
        detail::check_signature(function, sizes, sizeof...(Parameters), where);
    }

    /** Returns the handle, for calls of the C API. @return the handle. */
    aclrtFuncHandle get() const noexcept { return function_; }

    /**
     * Launches it. The device chooses the number of threads of a block: on CPUs one, on CUDA as many as the kernel's
     * launch bound allows.
     *
     * @param stream the stream; null: the default stream.
     * @param blocks number of blocks, at least 1.
     * @param arguments one for each parameter: a value that converts to its type, or for a pointer a DeviceBuffer,
     * AsyncBuffer or DeviceSpan. They are copied during the call.
     */
    template <typename... Arguments>
    void launch(StreamAt stream, uint32_t blocks, Arguments&&... arguments) const {
        const auto call = [&](void** pointers) {
            return aclrtLaunchKernelWithArgsArray(function_, blocks, stream.stream().get(), nullptr, pointers);
        };
        check(with_pointers(call, std::forward<Arguments>(arguments)...), stream.where());
    }

    /**
     * Launches it with a grid of blocks and several threads in each.
     *
     * @param stream the stream; null: the default stream.
     * @param grid blocks, threads, and shared memory.
     * @param arguments one for each parameter, as above.
     */
    template <typename... Arguments>
    void launch(StreamAt stream, const Grid& grid, Arguments&&... arguments) const {
        const auto call = [&](void** pointers) {
            const dim3 blocks{grid.blocks.x, grid.blocks.y, grid.blocks.z};
            const dim3 threads{grid.threads.x, grid.threads.y, grid.threads.z};
            return aclrtLaunchSIMTKernelWithArgsArray(function_, blocks, threads, grid.shared_bytes,
                                                      stream.stream().get(), nullptr, pointers);
        };
        check(with_pointers(call, std::forward<Arguments>(arguments)...), stream.where());
    }

  private:
    template <typename Call, typename... Arguments>
    static aclError with_pointers(const Call& call, Arguments&&... arguments) {
        static_assert(sizeof...(Arguments) == sizeof...(Parameters), "one argument for each parameter of the kernel");
        std::tuple<Parameters...> values(detail::as_parameter<Parameters>(std::forward<Arguments>(arguments))...);
        return std::apply(
            [&](Parameters&... value) {
                void* pointers[] = {const_cast<void*>(static_cast<const void*>(&value))..., nullptr};
                return call(sizeof...(Parameters) == 0 ? nullptr : pointers);
            },
            values);
    }

    aclrtFuncHandle function_;
};

/** A loaded binary: a shared object for CPUs, PTX text, a cubin or a fatbin for CUDA. Unloading it does not wait:
 * pending launches keep what they need. */
class Binary : public Owner<detail::BinaryKind> {
  public:
    /**
     * Loads a file on the calling thread's device.
     *
     * @param path the file, which is read during the call.
     * @param where the source location of the call.
     * @return its owner.
     */
    static Binary from_file(const std::string& path, SourceLocation where = SourceLocation::current()) {
        aclrtBinHandle binary = nullptr;
        check(aclrtBinaryLoadFromFile(path.c_str(), nullptr, &binary), where);
        return Binary(binary);
    }

    /**
     * Loads a binary from host memory on the calling thread's device.
     *
     * @param bytes a range in host memory, which is read during the call.
     * @param where the source location of the call.
     * @return its owner.
     */
    template <typename Range>
    static Binary from_data(const Range& bytes, SourceLocation where = SourceLocation::current()) {
        const auto range = view(bytes);
        using T = std::remove_pointer_t<decltype(range.data())>;
        static_assert(std::is_same_v<std::remove_const_t<decltype(range)>, Span<T>>, "the host reads it");
        aclrtBinHandle binary = nullptr;
        check(aclrtBinaryLoadFromData(range.data(), range.size_bytes(), nullptr, &binary), where);
        return Binary(binary);
    }

    /**
     * Takes ownership of a binary of the C API.
     *
     * @param binary the handle; the owner unloads it.
     * @return its owner.
     */
    static Binary adopt(aclrtBinHandle binary) noexcept { return Binary(binary); }

    /**
     * Returns a kernel by name.
     *
     * @tparam Signature its parameters, as `void(float*, const float*, uint64_t)`.
     * @param name the name.
     * @param where the source location of the call.
     * @return the kernel.
     */
    template <typename Signature>
    Kernel<Signature> kernel(const std::string& name, SourceLocation where = SourceLocation::current()) const {
        aclrtFuncHandle function = nullptr;
        check(aclrtBinaryGetFunction(get(), name.c_str(), &function), where);
        return Kernel<Signature>(function, where);
    }

    /**
     * Returns a kernel by number (PORTACL_KERNEL_ENTRY).
     *
     * @tparam Signature its parameters.
     * @param entry the number.
     * @param where the source location of the call.
     * @return the kernel.
     */
    template <typename Signature>
    Kernel<Signature> kernel(uint64_t entry, SourceLocation where = SourceLocation::current()) const {
        aclrtFuncHandle function = nullptr;
        check(aclrtBinaryGetFunctionByEntry(get(), entry, &function), where);
        return Kernel<Signature>(function, where);
    }

    /**
     * Returns a global variable, which is device memory until the binary is unloaded.
     *
     * @tparam T the type of its elements.
     * @param name the name.
     * @param where the source location of the call.
     * @return its elements; one, if it is no array.
     */
    template <typename T>
    DeviceSpan<T> global(const std::string& name, SourceLocation where = SourceLocation::current()) const {
        void* memory = nullptr;
        std::size_t bytes = 0;
        check(aclrtBinaryGetGlobal(get(), name.c_str(), &memory, &bytes), where);
        if (bytes % sizeof(T) != 0) {
            throw Error(ACL_ERROR_INVALID_PARAM,
                        "portacl::Binary::global: sizeof(T) is " + std::to_string(sizeof(T)) +
                            "; allowed: a divisor of the size of " + name + ", " + std::to_string(bytes) +
                            ". Pass the type of its elements as T",
                        where);
        }
        return {static_cast<T*>(memory), bytes / sizeof(T)};
    }

  private:
    explicit Binary(aclrtBinHandle binary) noexcept : Owner(binary) {}
};

}  // namespace portacl

#endif /* PORTACL_BINARY_HPP */
