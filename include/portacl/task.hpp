/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Tasks: host code in stream order with access to device memory.
 */

#ifndef PORTACL_TASK_HPP
#define PORTACL_TASK_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#if __cplusplus >= 202002L
#include <version>
#endif
#ifdef __cpp_lib_jthread
#include <mutex>
#include <stop_token>
#endif

#include "span.hpp"
#include "stream.hpp"

namespace portacl {

/** A buffer of a task: reads(), writes() and updates() return it. @tparam T the type of its elements, const if the task
 * only reads them. @tparam Access PORTACL_TASK_* of the C API. */
template <typename T, portaclTaskAccess Access>
struct TaskBuffer {
    /** The first element. */
    T* data = nullptr;
    /** Number of elements. */
    std::size_t size = 0;
};

namespace detail {

// A buffer that a task may change.
template <portaclTaskAccess Access, typename Range>
auto changed(Range&& range) noexcept {
    const auto span = view(range);
    using T = std::remove_pointer_t<decltype(span.data())>;
    static_assert(!std::is_const_v<T>, "the range is read only");
    return TaskBuffer<T, Access>{span.data(), span.size()};
}

}  // namespace detail

/** A task reads a range. @param range a DeviceBuffer, AsyncBuffer, DeviceSpan or HostBuffer. @return the buffer, which
 * the task gets as Span<const T>. */
template <typename Range>
auto reads(const Range& range) noexcept {
    const auto span = view(range);
    using T = std::remove_pointer_t<decltype(span.data())>;
    return TaskBuffer<const T, PORTACL_TASK_READ>{span.data(), span.size()};
}

/** A task writes a range, and does not read what was there. @param range as for reads(). @return the buffer, which the
 * task gets as Span<T>. */
template <typename Range>
auto writes(Range&& range) noexcept {
    return detail::changed<PORTACL_TASK_WRITE>(range);
}

/** A task reads a range and changes any part of it. @param range as for reads(). @return the buffer, which the task
 * gets as Span<T>. */
template <typename Range>
auto updates(Range&& range) noexcept {
    return detail::changed<PORTACL_TASK_READ_WRITE>(range);
}

/** What happens with the stream of a task. */
enum class TaskState {
    /** The task may take any time. */
    runs = PORTACL_TASK_RUNS,
    /** A call destroys the stream, or resets its device, and waits for the task. */
    stream_ends = PORTACL_TASK_STREAM_ENDS,
    /** The stream was aborted; the result of the task is not used. */
    dropped = PORTACL_TASK_DROPPED,
};

/** A task whose function runs: valid until the function returns, in every thread. */
class Task {
  public:
    /** A task of the C API. @param task its handle. */
    explicit constexpr Task(portaclTask task) noexcept : task_(task) {}

    /** Returns the handle, for calls of the C API. @return the handle. */
    constexpr portaclTask get() const noexcept { return task_; }

    /** Returns whether the function should return. @param where the source location of the call. @return the state. */
    TaskState state(SourceLocation where = SourceLocation::current()) const {
        portaclTaskState state{};
        check(portaclTaskGetState(task_, &state), where);
        return static_cast<TaskState>(state);
    }

    /**
     * Makes the task fail: its stream fails when the function returns. The first failure counts. An exception that
     * leaves the function does the same.
     *
     * @param code what calls that wait for the stream return; not 0.
     * @param text what failed.
     * @param where the source location of the call.
     */
    void fail(aclError code, const std::string& text, SourceLocation where = SourceLocation::current()) const {
        check(portaclTaskFail(task_, code, text.c_str()), where);
    }

  private:
    portaclTask task_;
};

namespace detail {

// The callable of a task and the sizes of its buffers, from the launch to the release.
template <typename Function, typename... Buffers>
class TaskCall;

template <typename Function, typename... T, portaclTaskAccess... Access>
class TaskCall<Function, TaskBuffer<T, Access>...> {
  public:
    template <typename Callable>
    TaskCall(Callable&& callable, const TaskBuffer<T, Access>&... buffers)
        : function_(std::forward<Callable>(callable)), sizes_{buffers.size..., 0} {}

    // Whether the function wants addresses for the host, or those for the device. The first that fits counts: what
    // follows it is not tried, because a generic function might not even compile with it.
    static constexpr bool kOnHost =
        std::disjunction_v<std::is_invocable<Function&, Task, Span<T>...>, std::is_invocable<Function&, Span<T>...>>;
    static constexpr bool kOnDevice =
        std::disjunction_v<std::bool_constant<kOnHost>, std::is_invocable<Function&, Task, DeviceSpan<T>...>,
                           std::is_invocable<Function&, DeviceSpan<T>...>>;
    static_assert(
        kOnDevice,
        "it has to be callable with a Span (or DeviceSpan) for each buffer, and optionally a Task before them");

    // No exception passes the library: it becomes the failure of the stream.
    static aclError run(portaclTask task, void* const* addresses, void* data) noexcept {
        auto& self = *static_cast<TaskCall*>(data);
        try {
            self.call(Task(task), addresses, std::index_sequence_for<T...>());
            return ACL_SUCCESS;
        } catch (const Error& error) {
            return failed(task, error.code(), error.what());
        } catch (const std::exception& error) {
            return failed(task, ACL_ERROR_FAILURE, error.what());
        } catch (...) {
            return failed(task, ACL_ERROR_FAILURE, "the task threw an exception of an unknown type");
        }
    }

    static void stop(void* data, portaclTaskState) noexcept { static_cast<TaskCall*>(data)->function_.request_stop(); }

    static void release(void* data) noexcept { delete static_cast<TaskCall*>(data); }

  private:
    template <std::size_t... Index>
    void call(Task task, void* const* addresses, std::index_sequence<Index...>) {
        (void)addresses;
        if constexpr (std::is_invocable_v<Function&, Task, Span<T>...>) {
            function_(task, Span<T>(static_cast<T*>(addresses[Index]), sizes_[Index])...);
        } else if constexpr (kOnHost) {
            function_(Span<T>(static_cast<T*>(addresses[Index]), sizes_[Index])...);
        } else if constexpr (std::is_invocable_v<Function&, Task, DeviceSpan<T>...>) {
            function_(task, DeviceSpan<T>(static_cast<T*>(addresses[Index]), sizes_[Index])...);
        } else {
            function_(DeviceSpan<T>(static_cast<T*>(addresses[Index]), sizes_[Index])...);
        }
    }

    static aclError failed(portaclTask task, aclError code, const char* text) noexcept {
        const aclError shown = code != ACL_SUCCESS ? code : ACL_ERROR_FAILURE;
        (void)portaclTaskFail(task, shown, text);
        return shown;
    }

    Function function_;
    // One more than needed, for tasks without buffers.
    std::size_t sizes_[sizeof...(T) + 1];
};

template <typename Function, bool Stoppable, typename Callable, typename... T, portaclTaskAccess... Access>
void launch_task(StreamAt stream, const char* name, Callable&& callable, const TaskBuffer<T, Access>&... buffers) {
    static_assert((std::is_trivially_copyable_v<T> && ...), "the bytes of a buffer are copied");
    using Call = TaskCall<Function, TaskBuffer<T, Access>...>;
    auto call = std::make_unique<Call>(std::forward<Callable>(callable), buffers...);
    const portaclTaskBuffer passed[] = {
        {const_cast<std::remove_const_t<T>*>(buffers.data), buffers.size * sizeof(T), Access}..., {}};
    portaclTaskOptions options{};
    options.structSize = sizeof options;
    options.name = name;
    options.flags = Call::kOnHost ? 0 : PORTACL_TASK_DEVICE_ADDRESSES;
    if constexpr (Stoppable) options.stop = &Call::stop;
    options.release = &Call::release;
    check(portaclLaunchTask(stream.stream().get(), &Call::run, call.get(), passed, sizeof...(T), &options),
          stream.where());
    (void)call.release();  // release() has it
}

}  // namespace detail

/**
 * Enqueues a task: a call of a function on a stream, with access to memory of the device. It runs on a thread of the
 * library for tasks, and may block there. Later operations of the stream wait for it. Inside it, calls of this library
 * that allocate, free, wait, enqueue, create or destroy are refused. An exception that leaves it fails the stream: the
 * next wait for the stream throws an Error with its text, and with the code of an Error or ACL_ERROR_FAILURE.
 *
 * @param stream the stream; null: the default stream.
 * @param name its name for traces, texts and pictures of graphs.
 * @param function called with a Span for each buffer, and before them optionally with a Task. In C++20 it may take a
 * std::stop_token instead of the Task, which requests a stop when the stream ends or is aborted. A function that takes
 * a DeviceSpan for each buffer gets the addresses on the device, and nothing is copied. It is moved or copied, and
 * destroyed on any thread when the task will not run again; its destructor must not free memory of this library.
 * @param buffers reads(), writes() and updates(), for each range of memory that it uses.
 */
template <typename Function, typename... T, portaclTaskAccess... Access>
void launch_task(StreamAt stream, const char* name, Function&& function, const TaskBuffer<T, Access>&... buffers) {
    detail::launch_task<std::decay_t<Function>, false>(stream, name, std::forward<Function>(function), buffers...);
}

/** As launch_task() with a name. @param stream the stream. @param function the function. @param buffers the memory. */
template <typename Function, typename... T, portaclTaskAccess... Access>
void launch_task(StreamAt stream, Function&& function, const TaskBuffer<T, Access>&... buffers) {
    launch_task(stream, nullptr, std::forward<Function>(function), buffers...);
}

#ifdef __cpp_lib_jthread

namespace detail {

// Calls a function with a token of the current run: a task of a graph runs in each launch.
template <typename Function>
class WithStopToken {
  public:
    template <typename Callable>
    explicit WithStopToken(Callable&& callable) : function_(std::forward<Callable>(callable)) {}

    template <typename... Spans>
    requires std::is_invocable_v<Function&, std::stop_token, Spans...>
    void operator()(Task task, Spans... spans) { function_(begin(task), spans...); }

    // Outside of the lock: it calls functions of the program.
    void request_stop() noexcept {
        std::unique_lock<std::mutex> lock(mutex_);
        std::stop_source source = source_;
        lock.unlock();
        source.request_stop();
    }

  private:
    // The stop of a task that was still pending is requested before it runs, and stays.
    std::stop_token begin(Task task) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (source_.stop_requested() && task.state() == TaskState::runs) source_ = std::stop_source();
        return source_.get_token();
    }

    Function function_;
    std::mutex mutex_;
    std::stop_source source_;
};

// A function that also takes a Task, such as a generic one, gets that: it is the same in every version of C++.
template <typename Function, typename... T>
concept Stoppable = (!std::is_invocable_v<std::decay_t<Function>&, Task, Span<T>...>)&&(
    std::is_invocable_v<std::decay_t<Function>&, std::stop_token, Span<T>...> ||
    std::is_invocable_v<std::decay_t<Function>&, std::stop_token, DeviceSpan<T>...>);

}  // namespace detail

/** As launch_task() above, with a function that takes a std::stop_token. @param stream the stream. @param name the
 * name.
 * @param function the function. @param buffers the memory. */
template <typename Function, typename... T, portaclTaskAccess... Access>
requires detail::Stoppable<Function, T...>
void launch_task(StreamAt stream, const char* name, Function&& function, const TaskBuffer<T, Access>&... buffers) {
    using Held = detail::WithStopToken<std::decay_t<Function>>;
    detail::launch_task<Held, true>(stream, name, std::forward<Function>(function), buffers...);
}

/** As launch_task() with a name. @param stream the stream. @param function the function. @param buffers the memory. */
template <typename Function, typename... T, portaclTaskAccess... Access>
requires detail::Stoppable<Function, T...>
void launch_task(StreamAt stream, Function&& function, const TaskBuffer<T, Access>&... buffers) {
    launch_task(stream, nullptr, std::forward<Function>(function), buffers...);
}

#endif  // __cpp_lib_jthread

}  // namespace portacl

#endif /* PORTACL_TASK_HPP */
