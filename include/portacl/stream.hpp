/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Streams and events as C++ objects.
 */

#ifndef PORTACL_STREAM_HPP
#define PORTACL_STREAM_HPP

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

#include "owner.hpp"

namespace portacl {

namespace detail {

struct EventKind {
    using Handle = aclrtEvent;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle event) noexcept { note("aclrtDestroyEvent", aclrtDestroyEvent(event)); }
};

struct StreamKind {
    using Handle = aclrtStream;
    static constexpr Handle none() noexcept { return nullptr; }
    static void destroy(Handle stream) noexcept { note("aclrtDestroyStream", aclrtDestroyStream(stream)); }
};

}  // namespace detail

/** What an event records in addition to its completion. */
enum class Timing : bool {
    /** Nothing: the cheaper kind of event. */
    off = false,
    /** The time of its completion. */
    on = true,
};

/** A point in a stream's work that streams and the host can wait for. */
class Event : public Owner<detail::EventKind> {
  public:
    /**
     * Creates an event of the calling thread's device. It is not recorded and counts as complete.
     *
     * @param timing whether it has a timestamp.
     * @param where the source location of the call.
     */
    explicit Event(Timing timing = Timing::off, SourceLocation where = SourceLocation::current())
        : Owner(create(timing, where)) {}

    /**
     * Takes ownership of an event of the C API.
     *
     * @param event the event; the owner destroys it.
     * @return its owner.
     */
    static Event adopt(aclrtEvent event) noexcept { return Event(event, detail::Adopted()); }

    /**
     * Returns whether the latest record is complete.
     *
     * @param where the source location of the call.
     * @return true if it is; also without a record, unless aclrtCreateEvent or
     * aclrtCreateEventWithFlag created the event.
     */
    bool is_complete(SourceLocation where = SourceLocation::current()) const {
        aclrtEventRecordedStatus status{};
        check(aclrtQueryEventStatus(get(), &status), where);
        return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
    }

    /**
     * Waits for the latest record.
     *
     * @param where the source location of the call.
     */
    void synchronize(SourceLocation where = SourceLocation::current()) const {
        check(aclrtSynchronizeEvent(get()), where);
    }

    /**
     * Waits for the latest record, with a timeout.
     *
     * @param longest the timeout; rounded up to milliseconds, 0 or less only queries.
     * @param where the source location of the call.
     * @return whether it is complete.
     */
    template <typename Rep, typename Period>
    bool synchronize_for(std::chrono::duration<Rep, Period> longest,
                         SourceLocation where = SourceLocation::current()) const {
        const int32_t timeout = detail::timeout<std::chrono::milliseconds>(longest);
        if (timeout == 0) return is_complete(where);
        const aclError code = aclrtSynchronizeEventWithTimeout(get(), timeout);
        return detail::in_time(code, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, where);
    }

    /**
     * Returns the time from another event's record to this one's. Both need Timing::on and a
     * complete record.
     *
     * @param start the other event.
     * @param where the source location of the call.
     * @return milliseconds.
     */
    std::chrono::duration<float, std::milli> since(const Event& start,
                                                   SourceLocation where = SourceLocation::current()) const {
        float milliseconds = 0;
        check(aclrtEventElapsedTime(&milliseconds, start.get(), get()), where);
        return std::chrono::duration<float, std::milli>(milliseconds);
    }

  private:
    Event(aclrtEvent event, detail::Adopted) noexcept : Owner(event) {}

    static aclrtEvent create(Timing timing, SourceLocation where) {
        aclrtEvent event = nullptr;
        const uint32_t flags = timing == Timing::on ? ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC;
        check(aclrtCreateEventExWithFlag(&event, flags), where);
        return event;
    }
};

/** A parameter of a call without ownership: a Stream, a handle of the C API, or null for the
 * default stream of the current context. Enqueues work and waits for it. */
class StreamRef {
  public:
    /** The default stream of the current context. */
    constexpr StreamRef(std::nullptr_t = nullptr) noexcept {}
    /** A stream of the C API. @param stream its handle. */
    constexpr StreamRef(aclrtStream stream) noexcept : handle_(stream) {}

    /** Returns the handle. @return the handle. */
    constexpr aclrtStream get() const noexcept { return handle_; }

    /**
     * Waits for all enqueued work.
     *
     * @param where the source location of the call.
     */
    void synchronize(SourceLocation where = SourceLocation::current()) const {
        check(aclrtSynchronizeStream(handle_), where);
    }

    /**
     * Waits for all enqueued work, with a timeout. Work that is not complete continues.
     *
     * @param longest the timeout; rounded up to milliseconds, 0 or less only queries.
     * @param where the source location of the call.
     * @return whether the work is complete.
     */
    template <typename Rep, typename Period>
    bool synchronize_for(std::chrono::duration<Rep, Period> longest,
                         SourceLocation where = SourceLocation::current()) const {
        const int32_t timeout = detail::timeout<std::chrono::milliseconds>(longest);
        if (timeout == 0) return is_idle(where);
        const aclError code = aclrtSynchronizeStreamWithTimeout(handle_, timeout);
        return detail::in_time(code, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, where);
    }

    /**
     * Returns whether all enqueued work is complete.
     *
     * @param where the source location of the call.
     * @return true if it is.
     */
    bool is_idle(SourceLocation where = SourceLocation::current()) const {
        aclrtStreamStatus status{};
        check(aclrtStreamQuery(handle_, &status), where);
        return status == ACL_STREAM_STATUS_COMPLETE;
    }

    /**
     * Records an event after all work enqueued so far.
     *
     * @param event the event, of the same device.
     * @param where the source location of the call.
     */
    void record(const Event& event, SourceLocation where = SourceLocation::current()) const {
        check(aclrtRecordEvent(event.get(), handle_), where);
    }

    /**
     * Makes later operations wait for an event's latest record.
     *
     * @param event the event, of any device.
     * @param where the source location of the call.
     */
    void wait(const Event& event, SourceLocation where = SourceLocation::current()) const {
        check(aclrtStreamWaitEvent(handle_, event.get()), where);
    }

    /**
     * As wait(), with a timeout, after which the stream continues and has failed.
     *
     * @param event the event, of any device.
     * @param longest the timeout, from when the stream reaches the wait; greater than 0, rounded up
     * to seconds.
     * @param where the source location of the call.
     */
    template <typename Rep, typename Period>
    void wait_for(const Event& event, std::chrono::duration<Rep, Period> longest,
                  SourceLocation where = SourceLocation::current()) const {
        // 0 would mean no timeout there; -1 is refused with a text.
        const int32_t seconds = detail::timeout<std::chrono::seconds>(longest);
        check(aclrtStreamWaitEventWithTimeout(handle_, event.get(), seconds == 0 ? -1 : seconds), where);
    }

    /**
     * Enqueues a call of user code. It runs on a thread of the library, or on the subscribed one
     * (aclrtSubscribeHostFunc), and may only query the library there. An exception that leaves it ends the program, as
     * in a std::thread. If the stream is aborted first, neither the callable nor its destructor is called. Not for
     * streams that are captured: each launch of the graph would call and destroy it again.
     *
     * @param callable called without arguments; it is moved or copied, and destroyed after the call
     * on that thread.
     * @param where the source location of the call.
     */
    template <typename Callable>
    void launch(Callable&& callable, SourceLocation where = SourceLocation::current()) const {
        using Function = std::decay_t<Callable>;
        static_assert(std::is_invocable_v<Function&>, "it has to be callable without arguments");
        auto function = std::make_unique<Function>(std::forward<Callable>(callable));
        check(aclrtLaunchHostFunc(handle_, &run<Function>, function.get()), where);
        (void)function.release();  // run() has it
    }

  private:
    template <typename Function>
    static void run(void* data) noexcept {
        const std::unique_ptr<Function> function(static_cast<Function*>(data));
        (*function)();
    }

    aclrtStream handle_ = nullptr;
};

/** A StreamRef with the source location of the call, for functions whose arguments end in a list. */
class StreamAt {
  public:
    /** Notes the location of the call that this is a parameter of. @param stream a Stream, a handle of the C API, or
     * null. @param where the source location of the call. */
    template <typename Handle, typename = std::enable_if_t<std::is_convertible_v<const Handle&, StreamRef>>>
    StreamAt(const Handle& stream, SourceLocation where = SourceLocation::current()) noexcept
        : stream_(stream), where_(where) {}

    /** Returns the stream. @return the stream. */
    StreamRef stream() const noexcept { return stream_; }
    /** Returns the source location of the call. @return the location. */
    SourceLocation where() const noexcept { return where_; }

  private:
    StreamRef stream_;
    SourceLocation where_;
};

/** An in-order queue of work. Its destructor waits for pending work. */
class Stream : public Owner<detail::StreamKind> {
  public:
    /**
     * Creates a stream of the calling thread's device.
     *
     * @param priority ignored, as in aclrtCreateStreamWithConfig.
     * @param flags ACL_STREAM_* of the C API.
     * @param where the source location of the call.
     */
    explicit Stream(uint32_t priority = 0, uint32_t flags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC,
                    SourceLocation where = SourceLocation::current())
        : Owner(create(priority, flags, where)) {}

    /**
     * Takes ownership of a stream of the C API.
     *
     * @param stream the stream; the owner destroys it.
     * @return its owner.
     */
    static Stream adopt(aclrtStream stream) noexcept { return Stream(stream, detail::Adopted()); }

    /** Returns a reference to this stream. @return the reference. */
    StreamRef ref() const noexcept { return StreamRef(get()); }
    /** As ref(). @return the reference. */
    operator StreamRef() const noexcept { return ref(); }

    /** StreamRef::synchronize. @param where the source location of the call. */
    void synchronize(SourceLocation where = SourceLocation::current()) const { ref().synchronize(where); }

    /**
     * StreamRef::synchronize_for.
     *
     * @param longest the timeout.
     * @param where the source location of the call.
     * @return whether all work is complete.
     */
    template <typename Rep, typename Period>
    bool synchronize_for(std::chrono::duration<Rep, Period> longest,
                         SourceLocation where = SourceLocation::current()) const {
        return ref().synchronize_for(longest, where);
    }

    /** StreamRef::is_idle. @param where the source location of the call. @return true if it is. */
    bool is_idle(SourceLocation where = SourceLocation::current()) const { return ref().is_idle(where); }

    /** StreamRef::record. @param event the event. @param where the source location of the call. */
    void record(const Event& event, SourceLocation where = SourceLocation::current()) const {
        ref().record(event, where);
    }

    /** StreamRef::wait. @param event the event. @param where the source location of the call. */
    void wait(const Event& event, SourceLocation where = SourceLocation::current()) const { ref().wait(event, where); }

    /**
     * StreamRef::wait_for.
     *
     * @param event the event.
     * @param longest the timeout.
     * @param where the source location of the call.
     */
    template <typename Rep, typename Period>
    void wait_for(const Event& event, std::chrono::duration<Rep, Period> longest,
                  SourceLocation where = SourceLocation::current()) const {
        ref().wait_for(event, longest, where);
    }

    /** StreamRef::launch. @param callable what to call. @param where the source location of the
     * call. */
    template <typename Callable>
    void launch(Callable&& callable, SourceLocation where = SourceLocation::current()) const {
        ref().launch(std::forward<Callable>(callable), where);
    }

  private:
    Stream(aclrtStream stream, detail::Adopted) noexcept : Owner(stream) {}

    static aclrtStream create(uint32_t priority, uint32_t flags, SourceLocation where) {
        aclrtStream stream = nullptr;
        check(aclrtCreateStreamWithConfig(&stream, priority, flags), where);
        return stream;
    }
};

}  // namespace portacl

#endif /* PORTACL_STREAM_HPP */
