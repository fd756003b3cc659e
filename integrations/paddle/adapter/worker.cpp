#include "worker.h"

#include <paddle/phi/backends/context_pool.h>
#include <paddle/phi/core/generator.h>

#include <mutex>
#include <vector>

namespace portacl_paddle {

struct Worker::Kept {
    phi::CPUContext context{phi::CPUPlace()};
    ViewAllocator allocator{false};
    ViewAllocator zero_allocator{true};
};

namespace {

std::mutex idle_lock;
template <typename Kept>
std::vector<std::unique_ptr<Kept>>& Idle() {
    // Never destroyed: kernels may run while the process ends.
    static auto* const idle = new std::vector<std::unique_ptr<Kept>>;
    return *idle;
}

}  // namespace

Worker::Worker(const DeviceOfCall& device) {
    {
        const std::lock_guard<std::mutex> held(idle_lock);
        auto& idle = Idle<Kept>();
        if (!idle.empty()) {
            kept_ = std::move(idle.back());
            idle.pop_back();
        }
    }
    if (kept_ == nullptr) kept_ = std::make_unique<Kept>();
    phi::CPUContext& context = kept_->context;
    const auto& host = *phi::DeviceContextPool::Instance().Get(phi::CPUPlace());
    if (device.IsOnHost()) {
        kept_->allocator.Use(&device);
        kept_->zero_allocator.Use(&device);
        context.SetAllocator(&kept_->allocator);
        context.SetZeroAllocator(&kept_->zero_allocator);
    } else {
        context.SetAllocator(&host.GetAllocator());
        context.SetZeroAllocator(&host.GetZeroAllocator());
    }
    context.SetHostAllocator(&host.GetHostAllocator());
    context.SetHostZeroAllocator(&host.GetHostZeroAllocator());
    // The device's random numbers: paddle.seed and paddle.set_rng_state of the device count.
    phi::Generator* const generator = phi::DefaultCustomDeviceGenerator(device.Context().GetPlace()).get();
    context.SetGenerator(generator);
    context.SetHostGenerator(generator);
}

Worker::~Worker() {
    const std::lock_guard<std::mutex> held(idle_lock);
    Idle<Kept>().push_back(std::move(kept_));
}

phi::CPUContext& Worker::Context() {
    return kept_->context;
}

}  // namespace portacl_paddle
