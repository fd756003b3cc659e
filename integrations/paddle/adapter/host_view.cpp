#include "host_view.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

namespace portacl_paddle {

void DeviceOfCall::Fail(int code) const {
    const char* const text = memory_.failure();
    throw std::runtime_error(std::string("portacl: ") + kernel_ + ": " +
                             (text != nullptr ? std::string(text) : "error " + std::to_string(code)));
}

std::shared_ptr<phi::Allocation> DeviceOfCall::Allocate(std::size_t bytes) const {
    const phi::Allocator& allocator = bytes == 0 ? context_.GetZeroAllocator() : context_.GetAllocator();
    return const_cast<phi::Allocator&>(allocator).Allocate(bytes);
}

const phi::Place& Host() {
    static const phi::Place host = phi::CPUPlace();
    return host;
}

HostView::HostView(const DeviceOfCall& device, std::shared_ptr<phi::Allocation> origin)
    : phi::Allocation(origin->ptr(), origin->size(), Host()), origin_(std::move(origin)) {
    device.WaitFor(origin_->place());
    if (device.IsOnHost() || size_ == 0) return;
    constexpr std::size_t kAlignment = 64;
    copy_ = std::aligned_alloc(kAlignment, (size_ + kAlignment - 1) / kAlignment * kAlignment);
    if (copy_ == nullptr) throw std::bad_alloc();
    ptr_ = copy_;
}

HostView::~HostView() {
    std::free(copy_);
}

void HostView::Fetch(const DeviceOfCall& device, std::size_t begin, std::size_t end) {
    if (copy_ == nullptr) return;
    end = std::min(end, size_);
    if (begin >= end) return;
    for (const auto& [first, last] : fetched_) {
        if (first <= begin && end <= last) return;
    }
    device.Read(static_cast<char*>(copy_) + begin, *origin_, begin, end - begin);
    fetched_.emplace_back(begin, end);
}

void HostView::Store(const DeviceOfCall& device, std::size_t begin, std::size_t end) const {
    if (copy_ == nullptr) return;
    end = std::min(end, size_);
    if (begin >= end) return;
    device.Write(*origin_, begin, static_cast<const char*>(copy_) + begin, end - begin);
}

phi::Allocator::AllocationPtr ViewAllocator::Allocate(std::size_t bytes) {
    return AllocationPtr(new HostView(*device_, device_->Allocate(is_for_zero_ ? 0 : bytes)),
                         [](phi::Allocation* view) { delete view; });
}

}  // namespace portacl_paddle
