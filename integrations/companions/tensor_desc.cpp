// aclTensorDesc: the type, shape and format of a tensor, as data.
#include <acl/acl_base.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "objects.h"

namespace {

constexpr int kMostDimensions = 1 << 16;

using companions::CheckHandle;
using companions::Objects;
using companions::Refuse;

// Returns why a shape is invalid, or an empty text if it is valid.
std::string Objection(int count, const int64_t* sizes) {
    if (count < 0 || count > kMostDimensions)
        return "numDims is " + std::to_string(count) + "; allowed: 0 to " + std::to_string(kMostDimensions);
    return count > 0 && sizes == nullptr ? "dims is null" : "";
}

}  // namespace

struct aclTensorDesc {
    static constexpr const char* kNoun = "tensor descriptor";

    aclDataType type;
    aclFormat format;
    std::vector<int64_t> sizes;
    std::string name;
    aclFormat storage_format;
    std::vector<int64_t> storage_sizes;
    aclMemType place;
    const void* contents;
    size_t bytes;
};

extern "C" {

aclTensorDesc* aclCreateTensorDesc(aclDataType type, int numDims, const int64_t* dims, aclFormat format) {
    const std::string objection = Objection(numDims, dims);
    if (!objection.empty()) {
        Refuse(__func__, objection);
        return nullptr;
    }
    const aclTensorDesc desc{type, format, {dims, dims + numDims}, {}, format, {}, ACL_MEMTYPE_DEVICE, nullptr, 0};
    return Objects<aclTensorDesc>::Get().Add(std::make_unique<aclTensorDesc>(desc));
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
    Objects<aclTensorDesc>::Get().Destroy(__func__, "desc", desc);
}

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
    return CheckHandle(__func__, "desc", desc) ? ACL_DT_UNDEFINED : desc->type;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
    return CheckHandle(__func__, "desc", desc) ? ACL_FORMAT_UNDEFINED : desc->format;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
    return CheckHandle(__func__, "desc", desc) ? 0 : desc->sizes.size();
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
    REFUSE_DEAD(desc);
    REFUSE_NULL(dimSize);
    if (index >= desc->sizes.size())
        return Refuse(__func__, "index is " + std::to_string(index) +
                                    "; it must be less than the number of dimensions, " +
                                    std::to_string(desc->sizes.size()));
    *dimSize = desc->sizes[index];
    return ACL_SUCCESS;
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
    if (!CheckHandle(__func__, "desc", desc)) desc->name = name == nullptr ? "" : name;
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
    REFUSE_DEAD(desc);
    desc->storage_format = format;
    return ACL_SUCCESS;
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
    REFUSE_DEAD(desc);
    const std::string objection = Objection(numDims, dims);
    if (!objection.empty()) return Refuse(__func__, objection);
    desc->storage_sizes.assign(dims, dims + numDims);
    return ACL_SUCCESS;
}

aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length) {
    REFUSE_DEAD(desc);
    if (length > 0) REFUSE_NULL(dataBuffer);
    desc->contents = dataBuffer;
    desc->bytes = length;
    return ACL_SUCCESS;
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
    REFUSE_DEAD(desc);
    desc->place = memType;
    return ACL_SUCCESS;
}

}  // extern "C"
