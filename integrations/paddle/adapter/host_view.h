// Device memory as Paddle's CPU kernels see it: allocations on the CPU's place. Where the host can touch device memory,
// they are that memory; without that access they are copies, which are written back.
#pragma once

#include <paddle/phi/backends/custom/custom_context.h>
#include <paddle/phi/core/allocator.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "device_memory.h"

namespace portacl_paddle {

// The CPU's place, which Paddle makes by looking a name up.
const phi::Place& Host();

// A stream of the device, and its memory. Throws std::runtime_error if a call of the library fails.
class DeviceOfCall {
  public:
    DeviceOfCall(const DeviceMemory& memory, const phi::CustomContext& context, const char* kernel)
        : memory_(memory),
          context_(context),
          device_(context.GetPlace().GetDeviceId()),
          stream_(context.stream()),
          kernel_(kernel) {}

    bool IsOnHost() const { return memory_.is_on_host; }
    const phi::CustomContext& Context() const { return context_; }
    int Number() const { return device_; }
    const char* Kernel() const { return kernel_; }
    void Wait() const { Demand(memory_.wait(device_, stream_)); }
    // Memory of another device is ordered with all work of that device.
    void WaitFor(const phi::Place& place) const {
        if (place.GetDeviceId() != device_) Demand(memory_.wait_for_device(place.GetDeviceId()));
    }
    void Read(void* host, const phi::Allocation& from, std::size_t begin, std::size_t bytes) const {
        const int device = from.place().GetDeviceId();
        Demand(memory_.read(device, StreamOf(device), host, static_cast<const char*>(from.ptr()) + begin, bytes));
    }
    void Write(const phi::Allocation& to, std::size_t begin, const void* host, std::size_t bytes) const {
        const int device = to.place().GetDeviceId();
        Demand(memory_.write(device, StreamOf(device), static_cast<char*>(to.ptr()) + begin, host, bytes));
    }
    std::shared_ptr<phi::Allocation> Allocate(std::size_t bytes) const;

  private:
    void* StreamOf(int device) const { return device == device_ ? stream_ : nullptr; }
    void Demand(int code) const {
        if (code != 0) Fail(code);
    }
    [[noreturn]] void Fail(int code) const;

    const DeviceMemory& memory_;
    const phi::CustomContext& context_;
    int device_;
    void* stream_;
    const char* kernel_;
};

// An allocation on the device, seen by the host.
class HostView final : public phi::Allocation {
  public:
    HostView(const DeviceOfCall& device, std::shared_ptr<phi::Allocation> origin);
    ~HostView() override;

    const std::shared_ptr<phi::Allocation>& Origin() const { return origin_; }
    // Makes the contents of a part visible to the host. `end` may be past the allocation.
    void Fetch(const DeviceOfCall& device, std::size_t begin, std::size_t end);
    // Makes what the host has written to a part visible on the device.
    void Store(const DeviceOfCall& device, std::size_t begin, std::size_t end) const;

  private:
    std::shared_ptr<phi::Allocation> origin_;
    void* copy_ = nullptr;
    std::vector<std::pair<std::size_t, std::size_t>> fetched_;
};

// What a CPU kernel allocates with: device memory that the host can touch.
class ViewAllocator final : public phi::Allocator {
  public:
    explicit ViewAllocator(bool is_for_zero) : is_for_zero_(is_for_zero) {}
    void Use(const DeviceOfCall* device) { device_ = device; }
    AllocationPtr Allocate(std::size_t bytes) override;
    bool IsAllocThreadSafe() const override { return true; }

  private:
    bool is_for_zero_;
    const DeviceOfCall* device_ = nullptr;
};

}  // namespace portacl_paddle
