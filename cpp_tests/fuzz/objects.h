// What the calls of an input have created, and handles that are invalid on purpose.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "input.h"

namespace portacl_fuzz {

enum class HandleKind { kContext, kStream, kEvent, kPool, kGraph, kCount };

// A handle for a call, and whether the call must refuse it.
struct Choice {
    void* handle = nullptr;
    bool is_wrong = false;
};

class Objects {
  public:
    void Add(HandleKind kind, void* handle) { Of(live_, kind).push_back(handle); }

    // The handle was destroyed: from now on each call must refuse it.
    void Destroyed(HandleKind kind, void* handle) {
        auto& live = Of(live_, kind);
        for (size_t index = 0; index < live.size(); index++) {
            if (live[index] == handle) {
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(index));
                Of(dead_, kind).push_back(handle);
                return;
            }
        }
    }

    // A device was reset or a context destroyed; this does not know which objects that destroyed.
    void MayBeInvalid() {
        for (auto& live : live_) live.clear();
        for (auto& dead : dead_) dead.clear();
    }

    Choice Choose(HandleKind kind, Input& input) const {
        const uint8_t way = input.Byte();
        const uint8_t which = input.Byte();
        const auto& live = Of(live_, kind);
        const auto& dead = Of(dead_, kind);
        if (way < 16) return {nullptr, false};
        if (way < 24) return {reinterpret_cast<void*>(size_t{which} << 20 | 0xDEAD), true};
        if (way < 48 && !dead.empty()) return {dead[which % dead.size()], true};
        if (way < 56) {
            const auto other = static_cast<HandleKind>((static_cast<int>(kind) + 1 + which % 4) % 5);
            const auto& others = Of(live_, other);
            if (!others.empty()) return {others[which % others.size()], true};
        }
        if (live.empty()) return {nullptr, false};
        return {live[which % live.size()], false};
    }

    const std::vector<void*>& Live(HandleKind kind) const { return Of(live_, kind); }

  private:
    using Lists = std::array<std::vector<void*>, static_cast<size_t>(HandleKind::kCount)>;

    static std::vector<void*>& Of(Lists& lists, HandleKind kind) { return lists[static_cast<size_t>(kind)]; }
    static const std::vector<void*>& Of(const Lists& lists, HandleKind kind) {
        return lists[static_cast<size_t>(kind)];
    }

    Lists live_, dead_;
};

}  // namespace portacl_fuzz
