#include "worker.h"

#include <paddle/phi/backends/context_pool.h>
#include <paddle/phi/core/generator.h>

#include <mutex>
#include <vector>

namespace portacl_paddle {

struct Worker::Kept {
    explicit Kept(bool is_on_host);

    phi::CPUContext context{phi::CPUPlace()};
    ViewAllocator allocator{false};
    ViewAllocator zero_allocator{true};
    std::deque<phi::DenseTensor> tensors;
    int generator_of = -1;  // device
};

Worker::Kept::Kept(bool is_on_host) {
    const auto& host = *phi::DeviceContextPool::Instance().Get(phi::CPUPlace());
    context.SetAllocator(is_on_host ? &allocator : &host.GetAllocator());
    context.SetZeroAllocator(is_on_host ? &zero_allocator : &host.GetZeroAllocator());
    context.SetHostAllocator(&host.GetHostAllocator());
    context.SetHostZeroAllocator(&host.GetHostZeroAllocator());
}

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
    if (kept_ == nullptr) kept_ = std::make_unique<Kept>(device.IsOnHost());
    kept_->allocator.Use(&device);
    kept_->zero_allocator.Use(&device);
    if (kept_->generator_of == device.Number()) return;
    // The device's random numbers: paddle.seed and paddle.set_rng_state of the device count.
    phi::Generator* const generator = phi::DefaultCustomDeviceGenerator(device.Context().GetPlace()).get();
    kept_->context.SetGenerator(generator);
    kept_->context.SetHostGenerator(generator);
    kept_->generator_of = device.Number();
}

Worker::~Worker() {
    const std::lock_guard<std::mutex> held(idle_lock);
    Idle<Kept>().push_back(std::move(kept_));
}

phi::CPUContext& Worker::Context() {
    return kept_->context;
}

std::deque<phi::DenseTensor>& Worker::Tensors() {
    return kept_->tensors;
}

}  // namespace portacl_paddle
