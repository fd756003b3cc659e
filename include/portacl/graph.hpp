/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Graphs and captures as C++ objects. docs/graphs.md describes what can be captured.
 */

#ifndef PORTACL_GRAPH_HPP
#define PORTACL_GRAPH_HPP

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "owner.hpp"
#include "stream.hpp"

namespace portacl {

namespace detail {

struct GraphKind {
    using Handle = aclmdlRI;
    static constexpr Handle none() noexcept { return nullptr; }
    // Waits for pending launches. Nothing else would destroy the graph, and no call waits for one without taking the
    // failures of its stream.
    static void destroy(Handle graph) noexcept {
        aclError code = aclmdlRIDestroy(graph);
        for (auto pause = std::chrono::microseconds(20); code == ACL_ERROR_RT_MODEL_RUNNING;
             code = aclmdlRIDestroy(graph)) {
            aclGetRecentErrMsg();
            std::this_thread::sleep_for(pause);
            if (pause < std::chrono::milliseconds(1)) pause *= 2;
        }
        note("aclmdlRIDestroy", code);
    }
};

// Whether a capture that could not be ended as a graph has ended.
constexpr bool capture_is_over(aclError code) noexcept {
    return code == ACL_ERROR_RT_STREAM_UNJOINED || code == ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED ||
           code == ACL_ERROR_RT_DRV_INTERNAL_ERROR || code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

}  // namespace detail

/** Which threads a capture forbids calls on that cannot be captured. */
enum class CaptureMode {
    /** All threads. */
    global = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
    /** The thread that captures. */
    this_thread = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
    /** None. */
    relaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED,
};

/** Captured work, which can be launched any number of times. Its launches run one after the other. What it uses
 * (memory, events, kernels) must be kept while launches are pending. The destructor waits for pending launches. */
class Graph : public Owner<detail::GraphKind> {
  public:
    /** Creates an empty owner without a graph. */
    Graph() noexcept = default;

    /**
     * Takes ownership of a graph of the C API.
     *
     * @param graph the graph; the owner destroys it.
     * @return its owner.
     */
    static Graph adopt(aclmdlRI graph) noexcept { return Graph(graph); }

    /**
     * Enqueues a launch, as one operation of a stream. In a captured stream its tasks become a part of the other graph.
     *
     * @param stream a stream of its device; null: the default stream.
     * @param where the source location of the call.
     */
    void launch(StreamRef stream, SourceLocation where = SourceLocation::current()) const {
        check(aclmdlRIExecuteAsync(get(), stream.get()), where);
    }

    /**
     * Returns its name.
     *
     * @param where the source location of the call.
     * @return the name; empty if it has none.
     */
    std::string name(SourceLocation where = SourceLocation::current()) const {
        char text[513];
        check(aclmdlRIGetName(get(), sizeof text, text), where);
        return text;
    }

    /**
     * Sets its name, which traces and pictures show.
     *
     * @param name at most 512 bytes.
     * @param where the source location of the call.
     */
    void set_name(const std::string& name, SourceLocation where = SourceLocation::current()) const {
        check(aclmdlRISetName(get(), name.c_str()), where);
    }

    /**
     * Writes a picture for Graphviz (`dot -Tsvg FILE`).
     *
     * @param path the file, which is overwritten.
     * @param where the source location of the call.
     */
    void print_dot(const std::string& path, SourceLocation where = SourceLocation::current()) const {
        check(portaclGraphPrintDot(get(), path.c_str()), where);
    }

  private:
    explicit Graph(aclmdlRI graph) noexcept : Owner(graph) {}
};

/**
 * A scope in which the operations of a stream are recorded instead of run. end() returns them as a graph. If the scope
 * is left without it, also by an exception, the capture ends and what it recorded is dropped. The thread that created
 * it must end it, unless the mode is CaptureMode::relaxed.
 */
class Capture {
  public:
    /**
     * Begins to capture a stream.
     *
     * @param stream the stream, which must exist until the end; not a default stream.
     * @param mode which calls are forbidden meanwhile. A forbidden call makes the capture invalid.
     * @param where the source location of the call.
     */
    explicit Capture(StreamRef stream, CaptureMode mode = CaptureMode::global,
                     SourceLocation where = SourceLocation::current())
        : stream_(stream.get()) {
        check(aclmdlRICaptureBegin(stream_, static_cast<aclmdlRICaptureMode>(mode)), where);
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture() { drop(); }

    /** Returns whether the capture goes on: neither ended, nor made invalid by a forbidden call. @param where the
     * source location of the call. @return true if it does. */
    bool is_active(SourceLocation where = SourceLocation::current()) const {
        if (stream_ == nullptr) return false;
        aclmdlRICaptureStatus status{};
        aclmdlRI graph = nullptr;
        check(aclmdlRICaptureGetInfo(stream_, &status, &graph), where);
        return status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    }

    /**
     * Ends the capture. The stream runs its operations again, also if this fails because the capture is invalid, a
     * joined stream was not waited for, or the driver refuses the graph.
     *
     * @param where the source location of the call.
     * @return the graph.
     */
    [[nodiscard]] Graph end(SourceLocation where = SourceLocation::current()) {
        aclmdlRI graph = nullptr;
        const aclError code = aclmdlRICaptureEnd(stream_, &graph);
        if (code == ACL_SUCCESS || detail::capture_is_over(code)) stream_ = nullptr;
        check(code, where);
        return Graph::adopt(graph);
    }

  private:
    void drop() noexcept {
        if (stream_ == nullptr) return;
        aclmdlRI graph = nullptr;
        const aclError code = aclmdlRICaptureEnd(stream_, &graph);
        if (code == ACL_SUCCESS) {
            detail::GraphKind::destroy(graph);
        } else if (detail::capture_is_over(code)) {
            // What made it invalid was an error of its own. This text is about nothing that the program wants to know.
            aclGetRecentErrMsg();
        } else {
            detail::note("aclmdlRICaptureEnd", code);
        }
    }

    aclrtStream stream_;
};

/**
 * Captures what a function enqueues on a stream.
 *
 * @param stream the stream; not a default stream.
 * @param function called without arguments, once. An exception ends the capture and leaves this function.
 * @param where the source location of the call.
 * @return the graph.
 */
template <typename Function>
[[nodiscard]] Graph capture(StreamRef stream, Function&& function, SourceLocation where = SourceLocation::current()) {
    Capture scope(stream, CaptureMode::global, where);
    std::forward<Function>(function)();
    return scope.end(where);
}

/** A scope in which captures forbid fewer calls on this thread, for example to allocate and copy during a capture. */
class ScopedCaptureMode {
  public:
    /**
     * Exchanges the capture mode of this thread.
     *
     * @param mode global: captures of this thread and global captures of others forbid calls here; this_thread:
     * captures of this thread; relaxed: none.
     * @param where the source location of the call.
     */
    explicit ScopedCaptureMode(CaptureMode mode, SourceLocation where = SourceLocation::current())
        : mode_(static_cast<aclmdlRICaptureMode>(mode)) {
        check(aclmdlRICaptureThreadExchangeMode(&mode_), where);
    }
    ScopedCaptureMode(const ScopedCaptureMode&) = delete;
    ScopedCaptureMode& operator=(const ScopedCaptureMode&) = delete;
    ~ScopedCaptureMode() {
        detail::note("aclmdlRICaptureThreadExchangeMode", aclmdlRICaptureThreadExchangeMode(&mode_));
    }

  private:
    aclmdlRICaptureMode mode_;
};

}  // namespace portacl

#endif /* PORTACL_GRAPH_HPP */
