// The arguments of one call of a kernel, as tensors on the CPU, and what comes back from them.
#pragma once

#include <paddle/phi/core/dense_tensor.h>
#include <paddle/phi/core/selected_rows.h>
#include <paddle/phi/core/sparse_coo_tensor.h>
#include <paddle/phi/core/sparse_csr_tensor.h>
#include <paddle/phi/core/tensor_array.h>
#include <paddle/utils/small_vector.h>

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "half.h"
#include "host_view.h"

namespace portacl_paddle {

class Views {
  public:
    // `tensors` is a place for views, which keeps tensors from call to call. `half` is UNDEFINED, or the type of half
    // precision that a kernel of single precision serves.
    Views(const DeviceOfCall& device, std::deque<phi::DenseTensor>& tensors, phi::DataType half);
    ~Views();
    Views(const Views&) = delete;
    Views& operator=(const Views&) = delete;

    // A tensor and its view have the same type. A tensor that is passed twice, as by operators in place, has one view.
    const phi::TensorBase* Input(const phi::TensorBase* tensor);
    phi::TensorBase* Output(phi::TensorBase* tensor);
    // The kernel gets `master`, of single precision, where it was given `parameter`, of half precision.
    void UseMaster(const phi::DenseTensor& parameter, const phi::DenseTensor& master) {
        parameter_ = &parameter;
        master_ = &master;
    }
    // For tensors that a container of the caller holds.
    phi::DenseTensor Copy(const phi::DenseTensor& tensor);

    // Hands the outputs back: their contents, shapes and memory.
    void Return();

  private:
    struct Pair {
        const phi::TensorBase* given;
        phi::TensorBase* view;
        bool is_output;
    };

    phi::TensorBase* View(const phi::TensorBase* tensor, bool is_output);
    phi::TensorBase* Make(const phi::TensorBase& tensor);
    void See(const phi::DenseTensor& tensor, phi::DenseTensor& view);
    void SeeWide(const phi::DenseTensor& tensor, phi::DenseTensor& view);
    void Return(const phi::DenseTensor& view, phi::DenseTensor& given);
    void ReturnNarrow(const phi::DenseTensor& view, phi::DenseTensor& given);
    void Return(phi::TensorBase& view, phi::TensorBase& given);
    std::shared_ptr<HostView> ViewOf(const std::shared_ptr<phi::Allocation>& memory);
    std::shared_ptr<phi::Allocation> OriginOf(const phi::DenseTensor& view);

    const DeviceOfCall& device_;
    const phi::DataType half_;
    const phi::DenseTensor* parameter_ = nullptr;
    const phi::DenseTensor* master_ = nullptr;
    paddle::small_vector<Pair, 8> pairs_;
    std::deque<phi::DenseTensor>& tensors_;
    std::size_t used_ = 0;
    std::vector<std::unique_ptr<phi::TensorBase>> others_;
    paddle::small_vector<std::shared_ptr<HostView>, 8> memory_;
    // Memory of half precision, from an offset, and its elements in single precision.
    struct Widened {
        std::shared_ptr<phi::Allocation> origin;
        std::size_t offset;
        std::shared_ptr<WideMemory> memory;
    };
    std::vector<Widened> widened_;
    // Memory that a kernel has allocated by itself on the host, and the device's memory in its place.
    std::vector<std::pair<std::shared_ptr<phi::Allocation>, std::shared_ptr<phi::Allocation>>> moved_;
};

}  // namespace portacl_paddle
