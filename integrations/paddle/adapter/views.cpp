#include "views.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace portacl_paddle {
namespace {

// A tensor's members, to change them together.
struct Members : phi::DenseTensor {
    static std::shared_ptr<phi::Allocation>& Holder(phi::DenseTensor& tensor) { return tensor.*(&Members::holder_); }
    static phi::DenseTensorMeta& Meta(phi::DenseTensor& tensor) { return tensor.*(&Members::meta_); }
};

// The bytes of its memory that a tensor uses.
std::pair<std::size_t, std::size_t> RangeOf(const phi::DenseTensor& tensor) {
    const phi::DenseTensorMeta& meta = tensor.meta();
    if (tensor.numel() <= 0 || meta.dtype == phi::DataType::UNDEFINED) return {0, 0};
    std::int64_t elements = 1;
    if (meta.strides.size() == meta.dims.size() && !meta.is_contiguous()) {
        for (int i = 0; i < meta.dims.size(); ++i) elements += (meta.dims[i] - 1) * meta.strides[i];
    } else {
        elements = tensor.numel();
    }
    return {meta.offset, meta.offset + static_cast<std::size_t>(elements) * phi::SizeOf(meta.dtype)};
}

bool IsOnDevice(const phi::DenseTensor& tensor) {
    return tensor.has_allocation() && tensor.Holder()->place().GetType() == phi::AllocationType::CUSTOM;
}

}  // namespace

Views::Views(const DeviceOfCall& device, std::deque<phi::DenseTensor>& tensors, phi::DataType half)
    : device_(device), half_(half), tensors_(tensors) {}

Views::~Views() {
    for (std::size_t i = 0; i < used_; ++i) Members::Holder(tensors_[i]).reset();
}

std::shared_ptr<HostView> Views::ViewOf(const std::shared_ptr<phi::Allocation>& memory) {
    for (const auto& view : memory_) {
        if (view->Origin() == memory) return view;
    }
    memory_.push_back(std::make_shared<HostView>(device_, memory));
    return memory_.back();
}

void Views::See(const phi::DenseTensor& tensor, phi::DenseTensor& view) {
    if (half_ != phi::DataType::UNDEFINED && IsHalf(tensor.dtype())) {
        const bool has_master = parameter_ != nullptr && tensor.Holder() == parameter_->Holder();
        return has_master ? See(*master_, view) : SeeWide(tensor, view);
    }
    Members::Meta(view) = tensor.meta();
    if (!IsOnDevice(tensor)) {
        Members::Holder(view) = tensor.Holder();
        return;
    }
    auto memory = ViewOf(tensor.Holder());
    if (!device_.IsOnHost()) {
        const auto [begin, end] = RangeOf(tensor);
        memory->Fetch(device_, begin, end);
    }
    Members::Holder(view) = std::move(memory);
}

void Views::SeeWide(const phi::DenseTensor& tensor, phi::DenseTensor& view) {
    phi::DenseTensorMeta& meta = Members::Meta(view) = tensor.meta();
    meta.dtype = kSingle;
    meta.offset = 0;
    Members::Holder(view) = nullptr;
    if (!tensor.has_allocation()) return;
    if (!tensor.meta().is_contiguous()) {
        throw std::runtime_error(std::string("portacl: ") + device_.Kernel() +
                                 ": an argument is a non-contiguous view of half precision; pass x.contiguous()");
    }
    // Gradients are passed some tensors without their memory.
    const auto [begin, past] = RangeOf(tensor);
    const std::size_t end = std::max(begin, std::min(past, tensor.Holder()->size()));
    const std::size_t count = (end - begin) / phi::SizeOf(tensor.dtype());
    for (const Widened& known : widened_) {
        if (known.origin != tensor.Holder() || known.offset != begin || known.memory->size() < count * sizeof(float)) {
            continue;
        }
        Members::Holder(view) = known.memory;
        return;
    }
    auto memory = std::make_shared<WideMemory>(count * sizeof(float));
    const void* elements = static_cast<const char*>(tensor.Holder()->ptr()) + begin;
    std::vector<char> copy;
    if (IsOnDevice(tensor)) {
        device_.WaitFor(tensor.Holder()->place());
        if (!device_.IsOnHost() && count != 0) {
            copy.resize(end - begin);
            device_.Read(copy.data(), *tensor.Holder(), begin, copy.size());
            elements = copy.data();
        }
    }
    Widen(tensor.dtype(), elements, count, static_cast<float*>(memory->ptr()));
    widened_.push_back({tensor.Holder(), begin, memory});
    Members::Holder(view) = std::move(memory);
}

phi::DenseTensor Views::Copy(const phi::DenseTensor& tensor) {
    phi::DenseTensor view;
    See(tensor, view);
    return view;
}

phi::TensorBase* Views::Make(const phi::TensorBase& tensor) {
    if (phi::DenseTensor::classof(&tensor)) {
        if (used_ == tensors_.size()) tensors_.emplace_back();
        phi::DenseTensor& view = tensors_[used_++];
        See(static_cast<const phi::DenseTensor&>(tensor), view);
        return &view;
    }
    if (phi::SelectedRows::classof(&tensor)) {
        const auto& rows = static_cast<const phi::SelectedRows&>(tensor);
        auto view = std::make_unique<phi::SelectedRows>(rows.rows(), rows.height());
        *view->mutable_value() = Copy(rows.value());
        others_.push_back(std::move(view));
    } else if (phi::SparseCooTensor::classof(&tensor)) {
        auto view = std::make_unique<phi::SparseCooTensor>(static_cast<const phi::SparseCooTensor&>(tensor));
        *view->mutable_indices() = Copy(view->indices());
        *view->mutable_values() = Copy(view->values());
        others_.push_back(std::move(view));
    } else if (phi::SparseCsrTensor::classof(&tensor)) {
        auto view = std::make_unique<phi::SparseCsrTensor>(static_cast<const phi::SparseCsrTensor&>(tensor));
        *view->mutable_crows() = Copy(view->crows());
        *view->mutable_cols() = Copy(view->cols());
        *view->mutable_values() = Copy(view->values());
        others_.push_back(std::move(view));
    } else if (phi::TensorArray::classof(&tensor)) {
        auto view = std::make_unique<phi::TensorArray>(static_cast<const phi::TensorArray&>(tensor));
        for (phi::DenseTensor& element : *view) element = Copy(element);
        others_.push_back(std::move(view));
    } else {
        throw std::runtime_error(std::string("portacl: ") + device_.Kernel() +
                                 ": the device does not support the type of an argument; pass dense tensors, or "
                                 "call the operator on the CPU: paddle.set_device('cpu')");
    }
    return others_.back().get();
}

phi::TensorBase* Views::View(const phi::TensorBase* tensor, bool is_output) {
    if (tensor == nullptr) return nullptr;
    for (Pair& pair : pairs_) {
        if (pair.given != tensor) continue;
        pair.is_output = pair.is_output || is_output;
        return pair.view;
    }
    phi::TensorBase* const view = Make(*tensor);
    pairs_.push_back({tensor, view, is_output});
    return view;
}

const phi::TensorBase* Views::Input(const phi::TensorBase* tensor) {
    return View(tensor, false);
}

phi::TensorBase* Views::Output(phi::TensorBase* tensor) {
    return View(tensor, true);
}

// The device's memory in the place of what a view has.
std::shared_ptr<phi::Allocation> Views::OriginOf(const phi::DenseTensor& view) {
    const std::shared_ptr<phi::Allocation>& memory = view.Holder();
    auto* const seen = dynamic_cast<const HostView*>(memory.get());
    if (seen != nullptr && device_.IsOnHost()) return seen->Origin();
    const auto [begin, end] = RangeOf(view);
    if (seen != nullptr) {
        seen->Store(device_, begin, end);
        return seen->Origin();
    }
    auto found = std::find_if(moved_.begin(), moved_.end(), [&](const auto& pair) { return pair.first == memory; });
    if (found == moved_.end()) {
        moved_.emplace_back(memory, device_.Allocate(memory->size()));
        found = std::prev(moved_.end());
    }
    if (begin < end) {
        device_.Write(*found->second, begin, static_cast<const char*>(memory->ptr()) + begin,
                      std::min(end, memory->size()) - begin);
    }
    return found->second;
}

// Into the memory that the tensor has, if the elements fit, as Paddle's own kernels do.
void Views::ReturnNarrow(const phi::DenseTensor& view, phi::DenseTensor& given) {
    const phi::DataType type = IsHalf(given.dtype()) ? given.dtype() : half_;
    const std::size_t offset = given.meta().offset;
    Members::Meta(given) = view.meta();
    given.set_type(type);
    std::shared_ptr<phi::Allocation>& holder = Members::Holder(given);
    if (!view.has_allocation()) {
        holder = nullptr;
        return;
    }
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(view.numel(), 0));
    const std::size_t bytes = count * phi::SizeOf(type);
    const bool fits = holder != nullptr && holder->size() >= offset + bytes;
    if (!fits) holder = device_.Allocate(bytes);
    const std::size_t begin = Members::Meta(given).offset = fits ? offset : 0;
    if (count == 0) return;
    const auto* const elements =
        reinterpret_cast<const float*>(static_cast<const char*>(view.Holder()->ptr()) + view.meta().offset);
    if (device_.IsOnHost() || !IsOnDevice(given)) {
        Narrow(type, elements, count, static_cast<char*>(holder->ptr()) + begin);
        return;
    }
    std::vector<char> narrow(bytes);
    Narrow(type, elements, count, narrow.data());
    device_.Write(*holder, begin, narrow.data(), bytes);
}

void Views::Return(const phi::DenseTensor& view, phi::DenseTensor& given) {
    const bool is_half = IsHalf(given.dtype()) || given.dtype() == phi::DataType::UNDEFINED;
    if (half_ != phi::DataType::UNDEFINED && is_half && view.dtype() == kSingle) return ReturnNarrow(view, given);
    // A tensor on the CPU that stayed there: the kernel was given the memory itself.
    const bool is_same = view.Holder() == given.Holder();
    Members::Meta(given) = view.meta();
    if (!is_same) Members::Holder(given) = view.has_allocation() ? OriginOf(view) : nullptr;
}

void Views::Return(phi::TensorBase& view, phi::TensorBase& given) {
    if (phi::DenseTensor::classof(&given)) {
        Return(static_cast<phi::DenseTensor&>(view), static_cast<phi::DenseTensor&>(given));
    } else if (phi::SelectedRows::classof(&given)) {
        const auto& seen = static_cast<phi::SelectedRows&>(view);
        auto& rows = static_cast<phi::SelectedRows&>(given);
        rows.set_rows(seen.rows());
        rows.set_height(seen.height());
        Return(seen.value(), *rows.mutable_value());
    } else if (phi::SparseCooTensor::classof(&given)) {
        auto& seen = static_cast<phi::SparseCooTensor&>(view);
        auto& sparse = static_cast<phi::SparseCooTensor&>(given);
        // With what else it has: the rulebooks of convolutions stay on the host, where the kernels use them.
        phi::DenseTensor indices = sparse.indices();
        phi::DenseTensor values = sparse.values();
        Return(seen.indices(), indices);
        Return(seen.values(), values);
        sparse = seen;
        *sparse.mutable_indices() = indices;
        *sparse.mutable_values() = values;
    } else if (phi::SparseCsrTensor::classof(&given)) {
        auto& seen = static_cast<phi::SparseCsrTensor&>(view);
        auto& sparse = static_cast<phi::SparseCsrTensor&>(given);
        phi::DenseTensor rows = sparse.crows();
        phi::DenseTensor columns = sparse.cols();
        phi::DenseTensor values = sparse.values();
        Return(seen.crows(), rows);
        Return(seen.cols(), columns);
        Return(seen.values(), values);
        sparse = seen;
        *sparse.mutable_crows() = rows;
        *sparse.mutable_cols() = columns;
        *sparse.mutable_values() = values;
    } else {
        auto& seen = static_cast<phi::TensorArray&>(view);
        auto& array = static_cast<phi::TensorArray&>(given);
        array.resize(seen.size());
        for (std::size_t i = 0; i < seen.size(); ++i) Return(seen.at(i), *(array.begin() + i));
    }
}

void Views::Return() {
    for (const Pair& pair : pairs_) {
        if (pair.is_output) Return(*pair.view, *const_cast<phi::TensorBase*>(pair.given));
    }
}

}  // namespace portacl_paddle
