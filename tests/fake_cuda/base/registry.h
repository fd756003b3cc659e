// Handles that are looked up and never dereferenced.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace fake {

enum class HandleKind : uint64_t {
    kContext = 1,
    kStream,
    kEvent,
    kModule,
    kFunction,
    kPhysical,
    kPool,
    kGraph,
    kGraphExec
};

// Issues handles of one kind and looks them up. A handle is never reused, so every use after
// destruction is found. Its upper bits make it an address that no x86-64 or aarch64 process can
// have, so dereferencing it faults.
template <typename T>
class Registry {
  public:
    explicit Registry(HandleKind kind) : base_((uint64_t{0x5AFE} << 48) | (static_cast<uint64_t>(kind) << 40)) {}

    uint64_t add(std::shared_ptr<T> object) {
        const uint64_t handle = base_ + ++issued_ * 16;
        live_.emplace(handle, std::move(object));
        return handle;
    }

    // Returns the object of a handle, or null if the handle is invalid.
    std::shared_ptr<T> find(uint64_t handle) const {
        const auto found = live_.find(handle);
        return found == live_.end() ? nullptr : found->second;
    }

    void remove(uint64_t handle) { live_.erase(handle); }

    // Whether the handle was issued, and its object does not exist any more.
    bool was_destroyed(uint64_t handle) const {
        const bool issued = handle > base_ && handle <= base_ + issued_ * 16 && (handle - base_) % 16 == 0;
        return issued && find(handle) == nullptr;
    }

    // Returns the reason why `find` returned null, for a person to read.
    const char* why_not(uint64_t handle) const {
        if (handle == 0) return "is null";
        return was_destroyed(handle) ? "was destroyed already" : "was never issued as such a handle";
    }

    const std::map<uint64_t, std::shared_ptr<T>>& live() const { return live_; }

  private:
    const uint64_t base_;
    uint64_t issued_ = 0;
    std::map<uint64_t, std::shared_ptr<T>> live_;
};

template <typename Handle>
uint64_t number_of(Handle handle) {
    return reinterpret_cast<uint64_t>(handle);
}

}  // namespace fake
