// The objects that programs create for operators. Each keeps its values in ATen's terms.
#pragma once

#include <aclnn/acl_meta.h>

#include <memory>
#include <vector>

#include "run/aten.h"

struct aclTensor {
    at::Tensor view;
    aclDataType type;
    aclFormat format;
    std::vector<int64_t> storage_sizes;
};

struct aclScalar {
    at::Scalar value;
};

struct aclIntArray {
    c10::SmallVector<int64_t, 6> values;
};

struct aclFloatArray {
    std::vector<double> values;
};

struct aclBoolArray {
    c10::SmallVector<bool, 6> values;
};

struct aclTensorList {
    std::vector<std::unique_ptr<const aclTensor>> values;
};

struct aclScalarList {
    std::vector<std::unique_ptr<const aclScalar>> values;
};
