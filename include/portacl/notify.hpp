/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Signals and counts that streams pass to each other, as C++ objects.
 */

#ifndef PORTACL_NOTIFY_HPP
#define PORTACL_NOTIFY_HPP

#include <chrono>
#include <cstdint>
#include <string>

#include "owner.hpp"
#include "stream.hpp"

namespace portacl {

namespace detail {

struct NotifyKind {
    using Handle = aclrtNotify;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle notify) noexcept { note("aclrtDestroyNotify", aclrtDestroyNotify(notify)); }
};

struct CountedNotifyKind {
    using Handle = aclrtCntNotify;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle notify) noexcept { note("aclrtCntNotifyDestroy", aclrtCntNotifyDestroy(notify)); }
};

// A timeout in seconds, which 0 would remove.
template <typename Rep, typename Period>
uint32_t notify_timeout(std::chrono::duration<Rep, Period> longest, const char* call, SourceLocation where) {
    const int32_t seconds = timeout<std::chrono::seconds>(longest);
    if (seconds == 0) {
        throw Error(
            ACL_ERROR_INVALID_PARAM,
            std::string(call) + ": longest is 0 or less; allowed: more than 0. Call wait() to wait without a timeout",
            where);
    }
    return static_cast<uint32_t>(seconds);
}

}  // namespace detail

/** A signal: each record lets one wait continue, whichever of both is enqueued first. Records before a wait count as
 * one. Destroying it does not wait: pending records and waits keep what they need. */
class Notify : public Owner<detail::NotifyKind> {
  public:
    /**
     * Creates a notify of the calling thread's device, without a signal.
     *
     * @param where the source location of the call.
     */
    explicit Notify(SourceLocation where = SourceLocation::current()) : Owner(create(where)) {}

    /**
     * Takes ownership of a notify of the C API.
     *
     * @param notify the notify; the owner destroys it.
     * @return its owner.
     */
    static Notify adopt(aclrtNotify notify) noexcept { return Notify(notify, detail::Adopted()); }

    /**
     * Enqueues the signal, after all work enqueued so far.
     *
     * @param stream the stream; null: the default stream.
     * @param where the source location of the call.
     */
    void record(StreamRef stream, SourceLocation where = SourceLocation::current()) const {
        check(aclrtRecordNotify(get(), stream.get()), where);
    }

    /**
     * Makes later operations of a stream wait for a signal, and consumes it.
     *
     * @param stream the stream; null: the default stream.
     * @param where the source location of the call.
     */
    void wait(StreamRef stream, SourceLocation where = SourceLocation::current()) const {
        check(aclrtWaitAndResetNotify(get(), stream.get(), 0), where);
    }

    /**
     * As wait(), with a timeout, after which the stream continues and has failed; the signal stays for other waits.
     *
     * @param stream the stream; null: the default stream.
     * @param longest the timeout, from when the stream reaches the wait; greater than 0, rounded up to seconds.
     * @param where the source location of the call.
     */
    template <typename Rep, typename Period>
    void wait_for(StreamRef stream, std::chrono::duration<Rep, Period> longest,
                  SourceLocation where = SourceLocation::current()) const {
        const uint32_t seconds = detail::notify_timeout(longest, "portacl::Notify::wait_for", where);
        check(aclrtWaitAndResetNotify(get(), stream.get(), seconds), where);
    }

    /**
     * Removes a signal that no wait has consumed, at once and without stream order.
     *
     * @param where the source location of the call.
     */
    void clear(SourceLocation where = SourceLocation::current()) const {
        aclrtNotify notify = get();
        check(aclrtNotifyBatchReset(&notify, 1), where);
    }

  private:
    Notify(aclrtNotify notify, detail::Adopted) noexcept : Owner(notify) {}

    static aclrtNotify create(SourceLocation where) {
        aclrtNotify notify = nullptr;
        check(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), where);
        return notify;
    }
};

/** The condition on a count that ends a wait. */
enum class CountIs {
    /** It is less than the value. */
    less = ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE,
    /** It is the value. */
    equal = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE,
    /** It is greater than the value. */
    greater = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE,
    /** It is not less than the value. */
    at_least = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE,
    /** All bits of the value are set. */
    with_bits = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE,
};

/** What the end of a wait does with the count. */
enum class AfterWait : bool {
    /** Nothing. */
    keep = false,
    /** Sets it to 0, atomically: no other wait sees the same count. */
    clear = true,
};

/** A number of 32 bits that streams change and wait for, initially 0. */
class CountedNotify : public Owner<detail::CountedNotifyKind> {
  public:
    /**
     * Creates a counted notify of the calling thread's device.
     *
     * @param where the source location of the call.
     */
    explicit CountedNotify(SourceLocation where = SourceLocation::current()) : Owner(create(where)) {}

    /**
     * Takes ownership of a counted notify of the C API.
     *
     * @param notify the notify; the owner destroys it.
     * @return its owner.
     */
    static CountedNotify adopt(aclrtCntNotify notify) noexcept { return CountedNotify(notify, detail::Adopted()); }

    /** Enqueues an assignment. @param stream the stream. @param value the count. @param where the source location of
     * the call. */
    void set(StreamRef stream, uint32_t value, SourceLocation where = SourceLocation::current()) const {
        change(stream, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, value, where);
    }

    /** Enqueues an addition, modulo 2^32. @param stream the stream. @param value the summand. @param where the source
     * location of the call. */
    void add(StreamRef stream, uint32_t value, SourceLocation where = SourceLocation::current()) const {
        change(stream, ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, value, where);
    }

    /** Enqueues count |= bits. @param stream the stream. @param bits the bits to set. @param where the source location
     * of the call. */
    void set_bits(StreamRef stream, uint32_t bits, SourceLocation where = SourceLocation::current()) const {
        change(stream, ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, bits, where);
    }

    /** Enqueues count &= bits. @param stream the stream. @param bits the bits to keep. @param where the source location
     * of the call. */
    void keep_bits(StreamRef stream, uint32_t bits, SourceLocation where = SourceLocation::current()) const {
        change(stream, ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, bits, where);
    }

    /**
     * Makes later operations of a stream wait until the count meets a condition.
     *
     * @param stream the stream; null: the default stream.
     * @param condition the comparison.
     * @param value what the count is compared with, unsigned.
     * @param after what the end of the wait does with the count.
     * @param where the source location of the call.
     */
    void wait(StreamRef stream, CountIs condition, uint32_t value, AfterWait after = AfterWait::keep,
              SourceLocation where = SourceLocation::current()) const {
        wait_seconds(stream, condition, value, after, 0, where);
    }

    /**
     * As wait(), with a timeout, after which the stream continues and has failed.
     *
     * @param stream the stream; null: the default stream.
     * @param condition the comparison.
     * @param value what the count is compared with, unsigned.
     * @param longest the timeout, from when the stream reaches the wait; greater than 0, rounded up to seconds.
     * @param after what the end of the wait does with the count.
     * @param where the source location of the call.
     */
    template <typename Rep, typename Period>
    void wait_for(StreamRef stream, CountIs condition, uint32_t value, std::chrono::duration<Rep, Period> longest,
                  AfterWait after = AfterWait::keep, SourceLocation where = SourceLocation::current()) const {
        const uint32_t seconds = detail::notify_timeout(longest, "portacl::CountedNotify::wait_for", where);
        wait_seconds(stream, condition, value, after, seconds, where);
    }

  private:
    CountedNotify(aclrtCntNotify notify, detail::Adopted) noexcept : Owner(notify) {}

    static aclrtCntNotify create(SourceLocation where) {
        aclrtCntNotify notify = nullptr;
        check(aclrtCntNotifyCreate(&notify, ACL_NOTIFY_DEFAULT), where);
        return notify;
    }

    void change(StreamRef stream, aclrtCntNotifyRecordMode mode, uint32_t value, SourceLocation where) const {
        aclrtCntNotifyRecordInfo info{};
        info.mode = mode;
        info.value = value;
        check(aclrtCntNotifyRecord(get(), stream.get(), &info), where);
    }

    void wait_seconds(StreamRef stream, CountIs condition, uint32_t value, AfterWait after, uint32_t seconds,
                      SourceLocation where) const {
        aclrtCntNotifyWaitInfo info{};
        info.mode = static_cast<aclrtCntNotifyWaitMode>(condition);
        info.value = value;
        info.timeout = seconds;
        info.isClear = after == AfterWait::clear ? 1 : 0;
        check(aclrtCntNotifyWaitWithTimeout(get(), stream.get(), &info), where);
    }
};

}  // namespace portacl

#endif /* PORTACL_NOTIFY_HPP */
