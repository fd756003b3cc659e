// Code that the tests of the two phases share.
#pragma once

#include <acl/acl.h>
#include <aclnnop/aclnn_add.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace protocol {

using Floats = std::vector<float>;

inline std::string Text() {
    const char* text = aclGetRecentErrMsg();
    return text != nullptr ? text : "";
}

inline void ExpectText(int wanted, int got, const std::string& words) {
    const std::string text = Text();
    EXPECT_EQ(wanted, got) << text;
    EXPECT_NE(text.find(words), std::string::npos) << text;
}

// Device memory with a tensor over it.
class Tensor {
  public:
    Tensor(std::vector<int64_t> sizes, const Floats& values) : sizes_(std::move(sizes)), count_(values.size()) {
        EXPECT_EQ(ACL_SUCCESS, aclrtMalloc(&memory_, Bytes() + 1, ACL_MEM_MALLOC_NORMAL_ONLY));
        Set(values);
        handle_ = Make(sizes_, nullptr, 0);
        EXPECT_NE(handle_, nullptr) << Text();
    }
    ~Tensor() {
        Destroy();
        aclrtFree(memory_);
    }
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;

    operator aclTensor*() const { return handle_; }
    void* Memory() const { return memory_; }
    aclTensor* Make(const std::vector<int64_t>& sizes, const int64_t* strides, int64_t offset,
                    aclFormat format = ACL_FORMAT_ND) const {
        const auto length = static_cast<int64_t>(count_);
        return aclCreateTensor(sizes.data(), sizes.size(), ACL_FLOAT, strides, offset, format, &length, 1, memory_);
    }
    // Destroys the tensor. The memory stays.
    void Destroy() {
        aclDestroyTensor(handle_);
        handle_ = nullptr;
    }
    void Set(const Floats& values) {
        EXPECT_EQ(ACL_SUCCESS, aclrtMemcpy(memory_, Bytes(), values.data(), Bytes(), ACL_MEMCPY_HOST_TO_DEVICE));
    }
    Floats Get() const {
        Floats values(count_);
        EXPECT_EQ(ACL_SUCCESS, aclrtMemcpy(values.data(), Bytes(), memory_, Bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
        return values;
    }

  private:
    size_t Bytes() const { return count_ * sizeof(float); }
    std::vector<int64_t> sizes_;
    size_t count_;
    void* memory_ = nullptr;
    aclTensor* handle_ = nullptr;
};

class Protocol : public testing::Test {
  protected:
    void SetUp() override { Begin(); }
    void TearDown() override { End(); }
    void Begin() {
        ASSERT_EQ(ACL_SUCCESS, aclInit(nullptr));
        ASSERT_EQ(ACL_SUCCESS, aclrtSetDevice(0));
        ASSERT_EQ(ACL_SUCCESS, aclrtCreateStream(&stream_));
        float one = 1;
        one_ = aclCreateScalar(&one, ACL_FLOAT);
        ASSERT_NE(one_, nullptr);
    }
    void End() {
        aclDestroyScalar(one_);
        aclrtDestroyStream(stream_);
        EXPECT_EQ(ACL_SUCCESS, aclFinalize());
    }
    aclOpExecutor* PrepareAdd(const aclTensor* a, const aclTensor* b, const aclTensor* out) {
        aclOpExecutor* executor = nullptr;
        uint64_t size = 1;
        EXPECT_EQ(ACL_SUCCESS, aclnnAddGetWorkspaceSize(a, b, one_, out, &size, &executor)) << Text();
        EXPECT_EQ(0u, size);
        return executor;
    }
    int Run(aclOpExecutor* executor) { return aclnnAdd(nullptr, 0, executor, stream_); }
    int Wait() { return aclrtSynchronizeStream(stream_); }

    aclrtStream stream_ = nullptr;
    aclScalar* one_ = nullptr;
};

}  // namespace protocol
