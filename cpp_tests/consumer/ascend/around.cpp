// A program that includes everything around the runtime, asks for what portacl does not have, and goes on.
#include <acl/acl.h>
#include <acl/acl_op_compiler.h>
#include <acl/ops/acl_dvpp.h>
#include <hccl/hccl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#define REQUIRE(CONDITION)                                                                \
    do {                                                                                  \
        if (!(CONDITION)) {                                                               \
            const char* text = aclGetRecentErrMsg();                                      \
            std::fprintf(stderr, "%d: " #CONDITION ": %s\n", __LINE__, text ? text : ""); \
            return 1;                                                                     \
        }                                                                                 \
    } while (false)

// A call with a handle that is destroyed, of the other kind, or no handle, does nothing.
static int Handles() {
    aclopAttr* const attr = aclopCreateAttr();
    aclTensorDesc* const desc = aclCreateTensorDesc(ACL_FLOAT, 0, nullptr, ACL_FORMAT_ND);
    REQUIRE(attr != nullptr && desc != nullptr);
    aclopDestroyAttr(nullptr);
    aclDestroyTensorDesc(nullptr);
    aclopDestroyAttr(reinterpret_cast<aclopAttr*>(desc));
    REQUIRE(std::strstr(aclGetRecentErrMsg(), "attr is not a live list of attributes") != nullptr);
    aclDestroyTensorDesc(reinterpret_cast<aclTensorDesc*>(attr));
    REQUIRE(std::strstr(aclGetRecentErrMsg(), "desc is not a live tensor descriptor") != nullptr);
    REQUIRE(aclopSetAttrInt(attr, "axis", 1) == ACL_SUCCESS);
    REQUIRE(aclGetTensorDescType(desc) == ACL_FLOAT);
    for (int round = 0; round < 2; ++round) {
        aclopDestroyAttr(attr);
        aclDestroyTensorDesc(desc);
    }
    int garbage = 0;
    int64_t size = 0;
    for (aclTensorDesc* const none : {desc, reinterpret_cast<aclTensorDesc*>(&garbage)}) {
        REQUIRE(aclGetTensorDescType(none) == ACL_DT_UNDEFINED && aclGetTensorDescFormat(none) == ACL_FORMAT_UNDEFINED);
        REQUIRE(aclGetTensorDescNumDims(none) == 0);
        REQUIRE(aclGetTensorDescDimV2(none, 0, &size) == ACL_ERROR_INVALID_PARAM);
        REQUIRE(aclSetTensorFormat(none, ACL_FORMAT_ND) == ACL_ERROR_INVALID_PARAM);
        REQUIRE(aclSetTensorShape(none, 0, nullptr) == ACL_ERROR_INVALID_PARAM);
        REQUIRE(aclSetTensorConst(none, &garbage, sizeof garbage) == ACL_ERROR_INVALID_PARAM);
        REQUIRE(aclSetTensorPlaceMent(none, ACL_MEMTYPE_HOST) == ACL_ERROR_INVALID_PARAM);
        aclSetTensorDescName(none, "name");
    }
    REQUIRE(aclopSetAttrInt(attr, "axis", 1) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclopSetAttrInt(reinterpret_cast<aclopAttr*>(&garbage), "axis", 1) == ACL_ERROR_INVALID_PARAM);
    return 0;
}

// Operators' attributes and descriptions of tensors are data.
static int Data() {
    aclopAttr* const attr = aclopCreateAttr();
    const uint8_t flags[] = {0, 1};
    const int64_t sizes[] = {2, 3};
    const float factors[] = {0.5f};
    const int counts[] = {2, 1};
    const int64_t* const lists[] = {sizes, sizes};
    REQUIRE(aclopSetAttrBool(attr, "flag", 1) == ACL_SUCCESS && aclopSetAttrInt(attr, "axis", -1) == ACL_SUCCESS &&
            aclopSetAttrFloat(attr, "epsilon", 1e-5f) == ACL_SUCCESS &&
            aclopSetAttrString(attr, "mode", "same") == ACL_SUCCESS &&
            aclopSetAttrDataType(attr, "type", ACL_FLOAT16) == ACL_SUCCESS &&
            aclopSetAttrListBool(attr, "flags", 2, flags) == ACL_SUCCESS &&
            aclopSetAttrListInt(attr, "sizes", 2, sizes) == ACL_SUCCESS &&
            aclopSetAttrListFloat(attr, "factors", 1, factors) == ACL_SUCCESS &&
            aclopSetAttrListListInt(attr, "lists", 2, counts, lists) == ACL_SUCCESS);
    REQUIRE(aclopSetAttrInt(nullptr, "axis", 0) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclopSetAttrString(attr, "mode", nullptr) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclopSetAttrListInt(attr, "sizes", -1, sizes) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(std::strstr(aclGetRecentErrMsg(), "numValues is -1") != nullptr);
    const int fewer[] = {2, -1};
    const int64_t* const missing[] = {sizes, nullptr};
    REQUIRE(aclopSetAttrListListInt(attr, "lists", 2, fewer, lists) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(std::strstr(aclGetRecentErrMsg(), "numValues[1] is -1") != nullptr);
    REQUIRE(aclopSetAttrListListInt(attr, "lists", 2, counts, missing) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(std::strstr(aclGetRecentErrMsg(), "values[1] is null") != nullptr);

    aclTensorDesc* const desc = aclCreateTensorDesc(ACL_FLOAT, 2, sizes, ACL_FORMAT_ND);
    int64_t size = 0;
    REQUIRE(aclGetTensorDescType(desc) == ACL_FLOAT && aclGetTensorDescFormat(desc) == ACL_FORMAT_ND &&
            aclGetTensorDescNumDims(desc) == 2);
    REQUIRE(aclGetTensorDescDimV2(desc, 1, &size) == ACL_SUCCESS && size == 3);
    REQUIRE(aclGetTensorDescDimV2(desc, 2, &size) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclSetTensorConst(desc, &size, sizeof size) == ACL_SUCCESS &&
            aclSetTensorConst(desc, nullptr, 0) == ACL_SUCCESS);
    REQUIRE(aclSetTensorConst(desc, nullptr, 1) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(std::strstr(aclGetRecentErrMsg(), "dataBuffer is null") != nullptr);
    REQUIRE(aclCreateTensorDesc(ACL_FLOAT, -1, sizes, ACL_FORMAT_ND) == nullptr);

    const aclTensorDesc* const descs[] = {desc};
    REQUIRE(aclopCompileAndExecute("Frobnicate", 1, descs, nullptr, 0, nullptr, nullptr, attr, ACL_ENGINE_SYS,
                                   ACL_COMPILE_SYS, nullptr, nullptr) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    REQUIRE(std::strstr(aclGetRecentErrMsg(), "no operator runs by its name, so Frobnicate does not") != nullptr);
    aclDestroyTensorDesc(desc);
    aclopDestroyAttr(attr);
    return Handles();
}

static int Options() {
    char value[16] = "";
    REQUIRE(aclSetCompileopt(ACL_PRECISION_MODE, "allow_mix_precision") == ACL_SUCCESS);
    REQUIRE(aclGetCompileoptSize(ACL_PRECISION_MODE) == sizeof "allow_mix_precision");
    REQUIRE(aclGetCompileopt(ACL_PRECISION_MODE, value, sizeof value) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, sizeof value) == ACL_SUCCESS);
    REQUIRE(std::strcmp(value, "disable") == 0);
    return 0;
}

// One rank needs no engine. Several need one, and the other rank.
static int Collectives(void* memory) {
    HcclRootInfo root;
    HcclComm alone = nullptr;
    HcclComm pair = nullptr;
    REQUIRE(HcclGetRootInfo(&root) == HCCL_SUCCESS);
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    const HcclResult refused = HcclCommInitRootInfo(2, &root, 0, &pair);
    const char* const text = aclGetRecentErrMsg();
    std::printf("%s: %s\n", HcclGetErrorString(refused), text);
    REQUIRE(pair == nullptr);
    REQUIRE(refused == HCCL_E_NOT_SUPPORT ? std::strstr(text, "install Debian's libgloo0") != nullptr
                                          : std::strstr(text, "ranks have not joined in time: 1;") != nullptr);
    REQUIRE(HcclCommInitRootInfo(1, &root, 0, &alone) == HCCL_SUCCESS);
    REQUIRE(HcclAllReduce(memory, memory, 16, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, alone, nullptr) == HCCL_SUCCESS);
    REQUIRE(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
    REQUIRE(HcclCommDestroy(alone) == HCCL_SUCCESS);
    return 0;
}

int main() {
    if (Data() != 0 || Options() != 0) return 1;
    uint32_t model = 0;
    const aclError loaded = aclmdlLoadFromFile("model.om", &model);
    std::printf("%d: %s\n", loaded, aclGetRecentErrMsg());
    REQUIRE(loaded == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    REQUIRE(acldvppCreateChannelDesc() == nullptr);
    // It goes on with what there is.
    void* memory = nullptr;
    REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
    REQUIRE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    if (Collectives(memory) != 0) return 1;
    REQUIRE(aclrtFree(memory) == ACL_SUCCESS && aclrtResetDevice(0) == ACL_SUCCESS);
    return 0;
}
