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

/** What is told of allocations, and asked whether they may be: to be derived from. A function that
 * is not overridden does nothing. They are called on the thread that allocates or frees. An
 * exception that leaves a before function refuses: the call returns the code of a portacl::Error
 * and ACL_ERROR_FAILURE for all else, with the exception's text in its own. One that leaves an
 * after function is counted and named by portaclMemoryHookList; what it was told of stands. */
class MemoryHook {
  public:
    virtual ~MemoryHook() = default;

    /** By which people know it; unique among the hooks that one thread calls. @return the name. */
    virtual const char* name() const noexcept = 0;

    /** Memory is about to be taken from the device or the system. @param event what is known. */
    virtual void before_alloc(const MemoryEvent& event) { (void)event; }
    /** Memory was taken from the device or the system, or could not be. @param event what is known.
     */
    virtual void after_alloc(const MemoryEvent& event) { (void)event; }
    /** Memory is about to be handed to the program. @param event what is known. */
    virtual void before_malloc(const MemoryEvent& event) { (void)event; }
    /** Memory was handed to the program, or could not be. @param event what is known. */
    virtual void after_malloc(const MemoryEvent& event) { (void)event; }
    /** Memory is about to be given back. @param event what is known. */
    virtual void before_free(const MemoryEvent& event) { (void)event; }
    /** Memory was given back, or could not be. @param event what is known. */
    virtual void after_free(const MemoryEvent& event) { (void)event; }
};

/** Whose allocations a hook is about. */
enum class HookScope : int {
    /** Those of the thread that registers it. */
    thread = PORTACL_MEMORY_HOOK_THREAD,
    /** Those of all threads. */
    process = PORTACL_MEMORY_HOOK_PROCESS,
};

namespace detail {

struct MemoryHookKind {
    using Handle = std::uint64_t;
    static constexpr Handle none() noexcept { return 0; }
    static void destroy(Handle id) noexcept {
        note("portaclMemoryHookUnregister", portaclMemoryHookUnregister(id));
    }
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
        portaclMemoryHookGiveReason("an exception of an unknown type");
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
        portaclMemoryHookNoteFailure("an exception of an unknown type");
    }
}

}  // namespace detail

/**
 * A hook while it is registered: from the beginning of this object to its end.
 *
 * The end waits for calls of the hook on other threads. Where it is inside a callback and this
 * could be for ever (docs/callbacks.md), the hook is not called any more, the failure is noted
 * (portaclNoteReleaseFailure), and the call that still runs uses the hook.
 */
class ScopedMemoryHook : public Owner<detail::MemoryHookKind> {
  public:
    /**
     * Registers a hook.
     *
     * @param hook the hook, which outlives this.
     * @param scope for this thread or for all.
     * @param where the place of the call.
     */
    explicit ScopedMemoryHook(MemoryHook& hook, HookScope scope = HookScope::thread,
                              SourceLocation where = SourceLocation::current())
        : Owner(add(hook, scope, where)) {}

  protected:
    /** Owns what a function of the C API has registered. @param id its number. */
    explicit ScopedMemoryHook(std::uint64_t id) noexcept : Owner(id) {}

    /** The scope as the C API has it. @param scope the scope. @return the same. */
    static portaclMemoryHookScope to_c(HookScope scope) noexcept {
        return static_cast<portaclMemoryHookScope>(scope);
    }

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

/** A hook that prints a line of JSON after each alloc, malloc and free, in the format of CuPy's
 * DebugPrintHook, to a stream of the program. (portaclMemoryHookRegisterDebugPrint prints to a
 * file.) */
class DebugPrintHook : public MemoryHook {
  public:
    /** @param to where to; it outlives this, and is written to under a lock of this. */
    explicit DebugPrintHook(std::ostream& to) : to_(to) {}

    /** Its name. @return "DebugPrintHook". */
    const char* name() const noexcept override { return "DebugPrintHook"; }
    /** Prints a line. @param event what it tells. */
    void after_alloc(const MemoryEvent& event) override { print(PORTACL_MEMORY_ALLOC, event); }
    /** Prints a line. @param event what it tells. */
    void after_malloc(const MemoryEvent& event) override { print(PORTACL_MEMORY_MALLOC, event); }
    /** Prints a line. @param event what it tells. */
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

/** The hook that logs all allocations to a file, to be replayed, while this lives. */
class LoggingHook : public ScopedMemoryHook {
  public:
    /**
     * Registers it.
     *
     * @param path the file, which is made anew.
     * @param scope for this thread or for all.
     * @param where the place of the call.
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

/** The hook that refuses what goes beyond a budget, while this lives. */
class LimitHook : public ScopedMemoryHook {
  public:
    /**
     * Registers it.
     *
     * @param most bytes that may be allocated at one time, of those that are allocated from now on.
     * @param scope for this thread or for all.
     * @param where the place of the call.
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

/** The hook that adds up memory by the place in the program that asks for it, while this lives. */
class LineProfileHook : public ScopedMemoryHook {
  public:
    /**
     * Registers it.
     *
     * @param max_depth levels of the report below its root; 0: all.
     * @param scope for this thread or for all.
     * @param where the place of the call.
     */
    explicit LineProfileHook(std::size_t max_depth = 0, HookScope scope = HookScope::process,
                             SourceLocation where = SourceLocation::current())
        : ScopedMemoryHook(add(max_depth, scope, where)) {}

    /**
     * What was found out so far, as portaclMemoryHookReport tells it.
     *
     * @param where the place of the call.
     * @return a tree of lines.
     */
    std::string report(SourceLocation where = SourceLocation::current()) const {
        std::string text;
        std::size_t length = 0;
        check(portaclMemoryHookReport(get(), nullptr, 0, &length), where);
        // Other threads may add to it meanwhile.
        do {
            text.resize(length + 1);
            check(portaclMemoryHookReport(get(), text.data(), text.size(), &length), where);
        } while (length >= text.size());
        text.resize(length);
        return text;
    }

    /** Prints report(). @param to where to. @param where the place of the call. */
    void print_report(std::ostream& to, SourceLocation where = SourceLocation::current()) const {
        to << report(where);
    }

  private:
    static std::uint64_t add(std::size_t max_depth, HookScope scope, SourceLocation where) {
        std::uint64_t id = 0;
        check(portaclMemoryHookRegisterLineProfile(max_depth, to_c(scope), &id), where);
        return id;
    }
};

}  // namespace portacl

#endif /* PORTACL_MEMORY_HOOK_HPP */
