// Tasks of the host for tests: their functions are lambdas, and what becomes of them is counted.
#pragma once

#include <portacl/portacl.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/gate.h"
#include "support/objects.h"

namespace portacl_test {

// A buffer of a task.
inline portaclTaskBuffer Buffer(void* data, size_t size, portaclTaskAccess access) {
    return {data, size, access};
}
inline portaclTaskBuffer Reads(const DeviceMemory& memory) {
    return Buffer(memory.At(), memory.Size(), PORTACL_TASK_READ);
}
inline portaclTaskBuffer Writes(const DeviceMemory& memory) {
    return Buffer(memory.At(), memory.Size(), PORTACL_TASK_WRITE);
}
inline portaclTaskBuffer Changes(const DeviceMemory& memory) {
    return Buffer(memory.At(), memory.Size(), PORTACL_TASK_READ_WRITE);
}

// Options with the right size.
inline portaclTaskOptions Options(const char* name = nullptr, uint32_t flags = 0) {
    return {sizeof(portaclTaskOptions), name, flags, 0, nullptr, nullptr};
}

// A task. Its state outlives the test, so that a task that still runs accesses no freed memory.
class Task {
  public:
    using Body = std::function<aclError(portaclTask, void* const*)>;

    explicit Task(Body body) : state_(MakeImmortal<State>()) { state_->body = std::move(body); }
    ~Task() { Open(); }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

    aclError Launch(aclrtStream stream, std::vector<portaclTaskBuffer> buffers = {}, uint32_t flags = 0,
                    const char* name = "test") {
        portaclTaskOptions options = Options(name, flags);
        options.stop = &Task::Stop;
        options.release = &Task::Release;
        return portaclLaunchTask(stream, &Task::Run, state_, buffers.data(), buffers.size(), &options);
    }

    // Waits in the body until Open(), or, if `heeds` is greater than 0, until the state is at least that.
    void Block(int heeds = 0) {
        // The task may be destroyed while this waits.
        State* const state = state_;
        std::unique_lock<std::mutex> lock(state->mutex);
        state->blocked += 1;
        state->changed.notify_all();
        state->changed.wait(lock, [state, heeds] {
            return state->open || (heeds > 0 && !state->stops.empty() && state->stops.back() >= heeds);
        });
    }

    void Open() {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        state_->open = true;
        state_->changed.notify_all();
    }

    // Waits until the body has called Block().
    [[nodiscard]] bool AwaitBlocked(int count = 1) {
        return Await([this, count] { return state_->blocked >= count; });
    }
    [[nodiscard]] bool AwaitStops(size_t count) {
        return Await([this, count] { return state_->stops.size() >= count; });
    }
    // Waits until the user data was released: that may come after a wait for the stream.
    [[nodiscard]] bool AwaitReleased() {
        return Await([this] { return state_->released > 0; });
    }

    int Runs() { return Get(&State::runs); }
    int Released() { return Get(&State::released); }
    // The states that the task was notified of.
    std::vector<int> Stops() {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        return state_->stops;
    }

  private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        Body body;
        std::vector<int> stops;
        int runs = 0;
        int released = 0;
        int blocked = 0;
        bool open = false;
    };

    static aclError Run(portaclTask task, void* const* addresses, void* data) {
        auto* state = static_cast<State*>(data);
        {
            const std::lock_guard<std::mutex> lock(state->mutex);
            state->runs += 1;
        }
        return state->body(task, addresses);
    }
    static void Stop(void* data, portaclTaskState reason) {
        auto* state = static_cast<State*>(data);
        const std::lock_guard<std::mutex> lock(state->mutex);
        state->stops.push_back(reason);
        state->changed.notify_all();
    }
    static void Release(void* data) {
        auto* state = static_cast<State*>(data);
        const std::lock_guard<std::mutex> lock(state->mutex);
        state->released += 1;
        state->changed.notify_all();
    }

    template <typename Done>
    bool Await(Done done) {
        std::unique_lock<std::mutex> lock(state_->mutex);
        return state_->changed.wait_for(lock, kPatience, done);
    }
    int Get(int State::*member) {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        return state_->*member;
    }

    State* state_;
};

// Returns the state of a task, inside its function.
inline int StateOf(portaclTask task) {
    auto state = Poison<portaclTaskState>();
    ExpectOk("portaclTaskGetState", portaclTaskGetState(task, &state));
    return state;
}

}  // namespace portacl_test
