// Tests operators on the CUDA backend, with a libtorch that finds no CUDA.
#include <acl/acl.h>
#include <aclnnop/aclnn_neg.h>
#include <gtest/gtest.h>

#include <string>

namespace {

TEST(OperatorsOnCuda, NeedALibtorchThatHasCuda) {
    ASSERT_EQ(ACL_SUCCESS, aclInit(nullptr));
    ASSERT_EQ(ACL_SUCCESS, aclrtSetDevice(0));
    void* memory = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_NORMAL_ONLY));
    const int64_t length = 4;
    aclTensor* tensor = aclCreateTensor(&length, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &length, 1, memory);
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(ACL_SUCCESS, aclnnNegGetWorkspaceSize(tensor, tensor, &workspace, &executor));
    EXPECT_EQ(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclnnNeg(nullptr, 0, executor, nullptr));
    const char* text = aclGetRecentErrMsg();
    ASSERT_NE(text, nullptr);
    EXPECT_NE(std::string(text).find("aclnnNeg: on CUDA, operators need a libtorch with CUDA support"),
              std::string::npos)
        << text;
    EXPECT_NE(std::string(text).find("PORTACL_BACKEND=cpu"), std::string::npos) << text;
    // The executor is used up.
    EXPECT_EQ(ACLNN_ERR_PARAM_INVALID, aclnnNeg(nullptr, 0, executor, nullptr));
    aclDestroyTensor(tensor);
    EXPECT_EQ(ACL_SUCCESS, aclrtFree(memory));
    EXPECT_EQ(ACL_SUCCESS, aclrtResetDevice(0));
    EXPECT_EQ(ACL_SUCCESS, aclFinalize());
}

}  // namespace
