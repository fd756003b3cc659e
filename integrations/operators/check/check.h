// Finds in the first phase what depends on shapes, types and arguments: the operator runs on tensors without memory
// (ATen's device "meta"). What depends on data, and what ATen cannot determine without data, fails in the stream.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "run/argument.h"

namespace operators {

// What a check depends on: the operator, and of its arguments shapes, types and values. Calls with the same key
// are checked once.
class CheckKey {
  public:
    explicit CheckKey(const char* name) { Add(reinterpret_cast<uintptr_t>(name)); }

    void Add(uint64_t word) {
        hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
        hash_ ^= hash_ >> 32;
    }
    // Whether a check has accepted this key. A forgotten one is checked again. Two signatures with one hash share
    // the result: the arguments of the second one then fail in the stream.
    bool IsKnown() const { return Place().load(std::memory_order_relaxed) == hash_; }
    void Remember() const { Place().store(hash_, std::memory_order_relaxed); }

  private:
    static constexpr size_t kPlaces = 1 << 13;
    std::atomic<uint64_t>& Place() const { return known_[hash_ % kPlaces]; }

    uint64_t hash_ = 0x706f'7274'6163'6c00;
    static std::atomic<uint64_t> known_[kPlaces];
};

template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
void Enter(CheckKey& key, T value) {
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    key.Add(word);
}
inline void Enter(CheckKey& key, at::ScalarType type) {
    key.Add(static_cast<uint64_t>(type));
}
inline void Enter(CheckKey&, Seed) {}
inline void Enter(CheckKey& key, const AnyValue& number) {
    Enter(key, number.type());
}
inline void Enter(CheckKey& key, const at::Scalar& number) {
    Enter(key, number.type());
    const auto value = number.toComplexDouble();
    Enter(key, value.real());
    Enter(key, value.imag());
    // Larger numbers are of type uint64.
    if (number.type() == at::kLong) Enter(key, number.toLong());
}
inline void Enter(CheckKey& key, const std::string& text) {
    key.Add(text.size());
    for (const char each : text) Enter(key, each);
}
inline void Enter(CheckKey& key, const Held& held) {
    const c10::TensorImpl& view = *held.view.unsafeGetTensorImpl();
    const at::IntArrayRef sizes = view.sizes(), strides = view.strides();
    key.Add(sizes.size() << 8 | static_cast<uint64_t>(held.view.scalar_type()));
    for (size_t i = 0; i < sizes.size(); ++i) {
        key.Add(static_cast<uint64_t>(sizes[i]));
        key.Add(static_cast<uint64_t>(strides[i]));
    }
}
template <typename T>
void Enter(CheckKey& key, const Optional<T>& value);
// Arrays and lists.
template <typename List, typename = typename List::value_type, typename = void>
void Enter(CheckKey& key, const List& values) {
    key.Add(values.size());
    for (const auto& each : values) Enter(key, each);
}
template <typename T>
void Enter(CheckKey& key, const Optional<T>& value) {
    key.Add(value ? 1 : 0);
    if (value) Enter(key, *value);
}

// Throws a Refusal if ATen refuses the arguments. Remembers the key if not.
void CheckOnMeta(Work& work, const CheckKey& key);

}  // namespace operators
