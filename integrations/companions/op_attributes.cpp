// aclopAttr: the named attributes of an operator, as data.
#include <acl/acl_op.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "check.h"
#include "objects.h"

namespace {

template <typename T>
using List = std::vector<T>;
using Value = std::variant<bool, int64_t, float, std::string, aclDataType, List<uint8_t>, List<int64_t>, List<float>,
                           List<List<int64_t>>>;

}  // namespace

struct aclopAttr {
    static constexpr const char* kNoun = "list of attributes";

    std::map<std::string, Value> values;
};

namespace {

aclError Set(const char* call, aclopAttr* attr, const char* name, Value value) {
    if (const aclError code = companions::CheckHandle(call, "attr", attr); code) return code;
    if (name == nullptr) return companions::RefuseNull(call, "attrName");
    attr->values[name] = std::move(value);
    return ACL_SUCCESS;
}

template <typename T>
aclError SetList(const char* call, aclopAttr* attr, const char* name, int count, const T* values) {
    if (count < 0)
        return companions::Refuse(call, "numValues is " + std::to_string(count) + "; it must not be negative");
    if (count > 0 && values == nullptr) return companions::RefuseNull(call, "values");
    return Set(call, attr, name, List<T>(values, values + count));
}

}  // namespace

extern "C" {

aclopAttr* aclopCreateAttr() {
    return companions::Objects<aclopAttr>::Get().Add(std::make_unique<aclopAttr>());
}

void aclopDestroyAttr(const aclopAttr* attr) {
    companions::Objects<aclopAttr>::Get().Destroy(__func__, "attr", attr);
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* name, uint8_t value) {
    return Set(__func__, attr, name, value != 0);
}

aclError aclopSetAttrInt(aclopAttr* attr, const char* name, int64_t value) {
    return Set(__func__, attr, name, value);
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char* name, float value) {
    return Set(__func__, attr, name, value);
}

aclError aclopSetAttrString(aclopAttr* attr, const char* name, const char* attrValue) {
    REFUSE_NULL(attrValue);
    return Set(__func__, attr, name, std::string(attrValue));
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char* name, aclDataType value) {
    return Set(__func__, attr, name, value);
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char* name, int count, const uint8_t* values) {
    return SetList(__func__, attr, name, count, values);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char* name, int count, const int64_t* values) {
    return SetList(__func__, attr, name, count, values);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char* name, int count, const float* values) {
    return SetList(__func__, attr, name, count, values);
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char* name, int count, const int* counts,
                                 const int64_t* const values[]) {
    if (count < 0)
        return companions::Refuse(__func__, "numLists is " + std::to_string(count) + "; it must not be negative");
    if (count > 0 && counts == nullptr) return companions::RefuseNull(__func__, "numValues");
    if (count > 0 && values == nullptr) return companions::RefuseNull(__func__, "values");
    List<List<int64_t>> lists;
    for (int i = 0; i < count; ++i) {
        const std::string index = "[" + std::to_string(i) + "]";
        if (counts[i] < 0)
            return companions::Refuse(
                __func__, "numValues" + index + " is " + std::to_string(counts[i]) + "; it must not be negative");
        if (counts[i] > 0 && values[i] == nullptr) return companions::Refuse(__func__, "values" + index + " is null");
        lists.emplace_back(values[i], values[i] + counts[i]);
    }
    return Set(__func__, attr, name, std::move(lists));
}

}  // extern "C"
