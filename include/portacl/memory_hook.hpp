/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Memory hooks as C++ objects.
 */

#ifndef PORTACL_MEMORY_HOOK_HPP
#define PORTACL_MEMORY_HOOK_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <ostream>
#include <string>

#include "owner.hpp"

namespace portacl {

/** One allocation or release. */
using MemoryEvent = portaclMemoryEvent;

/** Base class of memory hooks, which observe allocations and can refuse them. A function that is
 * not overridden does nothing. The functions are called on the thread that allocates or frees. An
 * exception that leaves a before function refuses: the call returns the code of a portacl::Error,
 * or ACL_ERROR_FAILURE for other exceptions, with the exception's text in its text. An exception
 * that leaves an after function is counted, and portaclMemoryHookList reports it; the allocation or
 * free stays as it is. */
class MemoryHook {
  public:
    virtual ~MemoryHook() = default;

    /** Returns its name, which is unique among the hooks that one thread calls. @return the name.
     */
    virtual const char* name() const noexcept = 0;

    /** Called before the library allocates from the device or the system. @param event the
     * allocation. */
    virtual void before_alloc(const MemoryEvent& event) { (void)event; }
    /** Called after the library allocated from the device or the system, successfully or not.
     * @param event the allocation.
     */
    virtual void after_alloc(const MemoryEvent& event) { (void)event; }
    /** Called before the program gets memory. @param event the allocation. */
    virtual void before_malloc(const MemoryEvent& event) { (void)event; }
    /** Called after the program got memory, or the allocation failed. @param event the allocation.
     */
    virtual void after_malloc(const MemoryEvent& event) { (void)event; }
    /** Called before the program frees memory. @param event the release. */
    virtual void before_free(const MemoryEvent& event) { (void)event; }
    /** Called after the program freed memory, or the release failed. @param event the release. */
    virtual void after_free(const MemoryEvent& event) { (void)event; }
};

/** The scope of a hook. */
enum class HookScope : int {
    /** Allocations of the thread that registers it. */
    thread = PORTACL_MEMORY_HOOK_THREAD,
    /** Allocations of all threads. */
    process = PORTACL_MEMORY_HOOK_PROCESS,
};

namespace detail {

struct MemoryHookKind {
    using Handle = std::uint64_t;
    static constexpr Handle none() noexcept { return 0; }
    static void destroy(Handle id) noexcept { note("portaclMemoryHookUnregister", portaclMemoryHookUnregister(id)); }
};

template <void (MemoryHook::*function)(const MemoryEvent&)>
aclError before(void* hook, const portaclMemoryEvent* event) noexcept {
    try {
        (static_cast<MemoryHook*>(hook)->*function)(*event);
        return ACL_SUCCESS;
    } catch (const Error& error) {
        portaclMemoryHookGiveReason(error.what());
        return error.code() != ACL_SUCCESS ? error.code() : ACL_ERROR_FAILURE;
    } catch (const std::exception& error) {
        portaclMemoryHookGiveReason(error.what());
    } catch (...) {
        portaclMemoryHookGiveReason("it threw an exception that is not a std::exception");
    }
    return ACL_ERROR_FAILURE;
}

template <void (MemoryHook::*function)(const MemoryEvent&)>
void after(void* hook, const portaclMemoryEvent* event) noexcept {
    try {
        (static_cast<MemoryHook*>(hook)->*function)(*event);
    } catch (const std::exception& error) {
        portaclMemoryHookNoteFailure(error.what());
    } catch (...) {
        portaclMemoryHookNoteFailure("it threw an exception that is not a std::exception");
    }
}

}  // namespace detail

/**
 * Registers a hook as long as this object lives.
 *
 * The destructor waits for calls of the hook on other threads. If it runs inside a callback and the
 * wait could last forever (docs/callbacks.md), the hook is not called any more, the failure is
 * recorded (portaclNoteReleaseFailure), and a call that still runs uses the hook.
 */
class ScopedMemoryHook : public Owner<detail::MemoryHookKind> {
  public:
    /**
     * Registers a hook.
     *
     * @param hook the hook, which must outlive this object.
     * @param scope this thread or all threads.
     * @param where the source location of the call.
     */
    explicit ScopedMemoryHook(MemoryHook& hook, HookScope scope = HookScope::thread,
                              SourceLocation where = SourceLocation::current())
        : Owner(add(hook, scope, where)) {}

  protected:
    /** Owns a registration of the C API. @param id its id. */
    explicit ScopedMemoryHook(std::uint64_t id) noexcept : Owner(id) {}

    /** Converts a scope to the C API. @param scope the scope. @return the enumerator. */
    static portaclMemoryHookScope to_c(HookScope scope) noexcept { return static_cast<portaclMemoryHookScope>(scope); }

  private:
    static std::uint64_t add(MemoryHook& hook, HookScope scope, SourceLocation where) {
        portaclMemoryHook functions{};
        functions.structSize = sizeof functions;
        functions.name = hook.name();
        functions.userData = &hook;
        functions.beforeAlloc = &detail::before<&MemoryHook::before_alloc>;
        functions.afterAlloc = &detail::after<&MemoryHook::after_alloc>;
        functions.beforeMalloc = &detail::before<&MemoryHook::before_malloc>;
        functions.afterMalloc = &detail::after<&MemoryHook::after_malloc>;
        functions.beforeFree = &detail::before<&MemoryHook::before_free>;
        functions.afterFree = &detail::after<&MemoryHook::after_free>;
        std::uint64_t id = 0;
        check(portaclMemoryHookRegister(&functions, to_c(scope), &id), where);
        return id;
    }
};

/** A hook that prints a JSON line after each alloc, malloc and free, in the format of CuPy's
 * DebugPrintHook, to a stream of the program. (portaclMemoryHookRegisterDebugPrint prints to a
 * file.) */
class DebugPrintHook : public MemoryHook {
  public:
    /** @param to the stream, which must outlive this object and is written to under the hook's
     * lock. */
    explicit DebugPrintHook(std::ostream& to) : to_(to) {}

    /** Returns its name. @return "DebugPrintHook". */
    const char* name() const noexcept override { return "DebugPrintHook"; }
    /** Prints a line. @param event the event. */
    void after_alloc(const MemoryEvent& event) override { print(PORTACL_MEMORY_ALLOC, event); }
    /** Prints a line. @param event the event. */
    void after_malloc(const MemoryEvent& event) override { print(PORTACL_MEMORY_MALLOC, event); }
    /** Prints a line. @param event the event. */
    void after_free(const MemoryEvent& event) override { print(PORTACL_MEMORY_FREE, event); }

  private:
    void print(portaclMemoryMoment moment, const MemoryEvent& event) {
        char line[256];
        if (portaclMemoryEventToJson(moment, &event, line, sizeof line) == 0)
            detail::fail(ACL_ERROR_INVALID_PARAM, SourceLocation::current());
        const std::lock_guard<std::mutex> lock(mutex_);
        to_ << line << std::endl;
    }

    std::mutex mutex_;
    std::ostream& to_;
};

/** Registers the hook that logs all allocations to a file for a replay, as long as this object
 * lives. */
class LoggingHook : public ScopedMemoryHook {
  public:
    /**
     * Registers the hook.
     *
     * @param path the file, which is created or truncated.
     * @param scope this thread or all threads.
     * @param where the source location of the call.
     */
    explicit LoggingHook(const std::string& path, HookScope scope = HookScope::process,
                         SourceLocation where = SourceLocation::current())
        : ScopedMemoryHook(add(path, scope, where)) {}

  private:
    static std::uint64_t add(const std::string& path, HookScope scope, SourceLocation where) {
        std::uint64_t id = 0;
        check(portaclMemoryHookRegisterLogging(path.c_str(), to_c(scope), &id), where);
        return id;
    }
};

/** Registers the hook that refuses allocations beyond a budget, as long as this object lives. */
class LimitHook : public ScopedMemoryHook {
  public:
    /**
     * Registers the hook.
     *
     * @param most maximum bytes allocated at one time, counting allocations from now on.
     * @param scope this thread or all threads.
     * @param where the source location of the call.
     */
    explicit LimitHook(std::size_t most, HookScope scope = HookScope::process,
                       SourceLocation where = SourceLocation::current())
        : ScopedMemoryHook(add(most, scope, where)) {}

  private:
    static std::uint64_t add(std::size_t most, HookScope scope, SourceLocation where) {
        std::uint64_t id = 0;
        check(portaclMemoryHookRegisterLimit(most, to_c(scope), &id), where);
        return id;
    }
};

/** Registers the hook that sums memory by the place in the program that allocates it, as long as
 * this object lives. */
class LineProfileHook : public ScopedMemoryHook {
  public:
    /**
     * Registers the hook.
     *
     * @param max_depth levels of the report below its root; 0: all.
     * @param scope this thread or all threads.
     * @param where the source location of the call.
     */
    explicit LineProfileHook(std::size_t max_depth = 0, HookScope scope = HookScope::process,
                             SourceLocation where = SourceLocation::current())
        : ScopedMemoryHook(add(max_depth, scope, where)) {}

    /**
     * Returns the report so far, as portaclMemoryHookReport does.
     *
     * @param where the source location of the call.
     * @return a tree of lines.
     */
    std::string report(SourceLocation where = SourceLocation::current()) const {
        std::string text;
        std::size_t length = 0;
        check(portaclMemoryHookReport(get(), nullptr, 0, &length), where);
        // Other threads may extend it between the calls.
        do {
            text.resize(length + 1);
            check(portaclMemoryHookReport(get(), text.data(), text.size(), &length), where);
        } while (length >= text.size());
        text.resize(length);
        return text;
    }

    /** Prints report(). @param to where to. @param where the source location of the call. */
    void print_report(std::ostream& to, SourceLocation where = SourceLocation::current()) const { to << report(where); }

  private:
    static std::uint64_t add(std::size_t max_depth, HookScope scope, SourceLocation where) {
        std::uint64_t id = 0;
        check(portaclMemoryHookRegisterLineProfile(max_depth, to_c(scope), &id), where);
        return id;
    }
};

}  // namespace portacl

#endif /* PORTACL_MEMORY_HOOK_HPP */
