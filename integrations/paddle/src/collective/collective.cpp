#include "collective/collective.h"

#include "base/callbacks.h"
#include "base/report.h"
#include "runtime/device.h"
#include "stream/stream.h"

namespace portacl_paddle {

// A complex number is two numbers.
std::optional<Elements> ElementsOf(C_DataType type) {
    switch (type) {
        case BOOL:
        case UINT8:
            return Elements{HCCL_DATA_TYPE_UINT8, 1};
        case UINT16:
            return Elements{HCCL_DATA_TYPE_UINT16, 1};
        case UINT32:
            return Elements{HCCL_DATA_TYPE_UINT32, 1};
        case UINT64:
            return Elements{HCCL_DATA_TYPE_UINT64, 1};
        case INT8:
            return Elements{HCCL_DATA_TYPE_INT8, 1};
        case INT16:
            return Elements{HCCL_DATA_TYPE_INT16, 1};
        case INT32:
            return Elements{HCCL_DATA_TYPE_INT32, 1};
        case INT64:
            return Elements{HCCL_DATA_TYPE_INT64, 1};
        case FLOAT16:
            return Elements{HCCL_DATA_TYPE_FP16, 1};
        case FLOAT32:
            return Elements{HCCL_DATA_TYPE_FP32, 1};
        case FLOAT64:
            return Elements{HCCL_DATA_TYPE_FP64, 1};
        case BFLOAT16:
            return Elements{HCCL_DATA_TYPE_BFP16, 1};
        case COMPLEX64:
            return Elements{HCCL_DATA_TYPE_FP32, 2};
        case COMPLEX128:
            return Elements{HCCL_DATA_TYPE_FP64, 2};
        default:
            return std::nullopt;
    }
}

aclError EnterDeviceOf(C_Stream stream) {
    C_Device_st device{DeviceOf(Handle(stream))};
    if (device.id < 0) get_device(&device);
    return Enter(&device);
}

C_Status Await(const char* callback, C_Stream stream) {
    return Answer(callback, aclrtSynchronizeStream(Handle(stream)));
}

C_Status AnswerOf(const char* callback, HcclResult result) {
    return Answer(callback, static_cast<aclError>(result));
}

}  // namespace portacl_paddle
