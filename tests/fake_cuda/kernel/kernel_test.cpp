// Tests the reduction kernels: the committed PTX as the test double runs it, and the CUDA source compiled for the host,
// compared with each other and with explicit results.

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>

#include "fixture.h"
#include "kernel/host_kernels.h"

namespace {

using Bytes = std::vector<uint8_t>;

const char* const kOps[] = {"sum", "max", "min"};

std::string read_file(const char* path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <typename T>
std::vector<T> values_of(const Bytes& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

class Kernels : public FakeCuda {
  protected:
    void SetUp() override {
        FakeCuda::SetUp();
        const std::string ptx = read_file(REDUCE_PTX);
        ASSERT_FALSE(ptx.empty()) << REDUCE_PTX;
        OK(cuModuleLoadData(&module, ptx.c_str()));
    }

    void TearDown() override {
        if (module != nullptr && !reset) {
            EXPECT_EQ(CUDA_SUCCESS, cuModuleUnload(module));
        }
        FakeCuda::TearDown();
    }

    CUresult launch(const std::string& name, CUdeviceptr dst, CUdeviceptr src, unsigned long long count,
                    unsigned grid = 2, unsigned block = 64) {
        CUfunction function = nullptr;
        EXPECT_EQ(CUDA_SUCCESS, cuModuleGetFunction(&function, module, name.c_str())) << name;
        void* parameters[] = {&dst, &src, &count};
        return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, parameters, nullptr);
    }

    // Returns the content of dst after the kernel. `offset` is the offset of both buffers from a 16-byte boundary.
    Bytes run(const std::string& name, const Bytes& dst, const Bytes& src, size_t element, size_t offset = 0,
              unsigned grid = 2, unsigned block = 64) {
        const CUdeviceptr a = allocate(dst.size() + offset);
        const CUdeviceptr b = allocate(src.size() + offset);
        EXPECT_EQ(CUDA_SUCCESS, cuMemcpyHtoDAsync_v2(a + offset, dst.data(), dst.size(), stream));
        EXPECT_EQ(CUDA_SUCCESS, cuMemcpyHtoDAsync_v2(b + offset, src.data(), src.size(), stream));
        EXPECT_EQ(CUDA_SUCCESS, launch(name, a + offset, b + offset, dst.size() / element, grid, block));
        EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream));
        Bytes result = read(a + offset, dst.size());
        EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(a));
        EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(b));
        return result;
    }

    template <typename T>
    std::vector<T> reduce(const std::string& name, const std::vector<T>& dst, const std::vector<T>& src) {
        return values_of<T>(run("portacl_reduce_" + name, bytes_of(dst), bytes_of(src), sizeof(T)));
    }

    // Runs all operations on all pairs of `left` and `right`, on the test double and with the CUDA
    // source, and compares bit for bit; all NaNs are equal.
    template <typename T>
    void compare(const std::string& element, const std::vector<T>& left, const std::vector<T>& right,
                 const std::function<bool(T)>& is_nan) {
        std::vector<T> dst;
        std::vector<T> src;
        for (const T b : right) {
            dst.insert(dst.end(), left.begin(), left.end());
            src.insert(src.end(), left.size(), b);
        }
        for (const char* op : kOps) {
            const std::string name = std::string("portacl_reduce_") + op + "_" + element;
            const auto here = values_of<T>(run(name, bytes_of(dst), bytes_of(src), sizeof(T)));
            const auto there = values_of<T>(run_source(name, bytes_of(dst), bytes_of(src), sizeof(T), 0, 3, 32));
            ASSERT_EQ(here.size(), there.size());
            for (size_t i = 0; i < here.size(); ++i) {
                const bool same = here[i] == there[i] || (is_nan(here[i]) && is_nan(there[i]));
                ASSERT_TRUE(same) << name << " of " << std::hex << +dst[i] << " and " << +src[i] << ": " << +here[i]
                                  << ", the source gives " << +there[i];
            }
        }
    }

    CUmodule module = nullptr;
};

bool never(uint64_t) {
    return false;
}
bool half_is_nan(uint16_t bits) {
    return (bits & 0x7FFF) > 0x7C00;
}
bool bfloat_is_nan(uint16_t bits) {
    return (bits & 0x7FFF) > 0x7F80;
}
bool float_is_nan(uint32_t bits) {
    return (bits & 0x7FFFFFFF) > 0x7F800000;
}

std::vector<uint16_t> all_16_bit_patterns() {
    std::vector<uint16_t> all(65536);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
    return all;
}

TEST_F(Kernels, IntegersWrap) {
    using I8 = std::vector<int8_t>;
    using I16 = std::vector<int16_t>;
    using I32 = std::vector<int32_t>;
    EXPECT_EQ((I8{-128, 127, 3}), reduce<int8_t>("sum_i8", {127, -128, 1}, {1, -1, 2}));
    EXPECT_EQ((I8{127, -1}), reduce<int8_t>("max_i8", {127, -128}, {1, -1}));
    EXPECT_EQ((I8{1, -128}), reduce<int8_t>("min_i8", {127, -128}, {1, -1}));
    EXPECT_EQ((I16{-32768, 7}), reduce<int16_t>("sum_i16", {32767, 3}, {1, 4}));
    EXPECT_EQ((I16{5}), reduce<int16_t>("max_i16", {-6}, {5}));
    EXPECT_EQ((I16{-6}), reduce<int16_t>("min_i16", {-6}, {5}));
    EXPECT_EQ((I32{INT32_MIN, 7}), reduce<int32_t>("sum_i32", {INT32_MAX, 3}, {1, 4}));
    EXPECT_EQ((I32{5}), reduce<int32_t>("max_i32", {-6}, {5}));
    EXPECT_EQ((I32{-6}), reduce<int32_t>("min_i32", {-6}, {5}));
}

TEST_F(Kernels, SinglePrecisionZerosAndNaNs) {
    const float nan = std::nanf("");
    const auto largest = reduce<float>("max_f32", {nan, 1, -0.0f, 0.0f, nan}, {2, nan, 0, -0.0f, nan});
    EXPECT_EQ(2, largest[0]);
    EXPECT_EQ(1, largest[1]);
    EXPECT_FALSE(std::signbit(largest[2]));
    EXPECT_FALSE(std::signbit(largest[3]));
    EXPECT_TRUE(std::isnan(largest[4]));
    const auto least = reduce<float>("min_f32", {nan, 1, -0.0f, 0.0f, nan}, {2, nan, 0, -0.0f, nan});
    EXPECT_EQ(2, least[0]);
    EXPECT_EQ(1, least[1]);
    EXPECT_TRUE(std::signbit(least[2]));
    EXPECT_TRUE(std::signbit(least[3]));
    EXPECT_TRUE(std::isnan(least[4]));
    const auto sum = reduce<float>("sum_f32", {nan, 1.5f, INFINITY}, {2, 2, -INFINITY});
    EXPECT_TRUE(std::isnan(sum[0]));
    EXPECT_EQ(3.5f, sum[1]);
    EXPECT_TRUE(std::isnan(sum[2]));
}

TEST_F(Kernels, HalfPrecisionRoundsToNearestEven) {
    using U16 = std::vector<uint16_t>;
    // 1 + 2^-11 is half way and rounds down to 1; 1 + 2^-10 + 2^-11 rounds up. 65504 + 16 is half
    // way to 65536, which would be infinity. 65504 + 8 rounds down. The smallest subnormals add
    // exactly, and the largest subnormal plus the smallest is the smallest normal number.
    EXPECT_EQ((U16{0x3C00, 0x3C02, 0x7C00, 0x7BFF, 0x0002, 0x0400}),
              reduce<uint16_t>("sum_f16", {0x3C00, 0x3C01, 0x7BFF, 0x7BFF, 0x0001, 0x03FF},
                               {0x1000, 0x1000, 0x4C00, 0x4800, 0x0001, 0x0001}));
    EXPECT_EQ((U16{0x3C00, 0x0000, 0x3C00}),
              reduce<uint16_t>("max_f16", {0x7E00, 0x8000, 0x3C00}, {0x3C00, 0x0000, 0xBC00}));
    EXPECT_EQ((U16{0x3C00, 0x8000, 0xBC00}),
              reduce<uint16_t>("min_f16", {0x7E00, 0x8000, 0x3C00}, {0x3C00, 0x0000, 0xBC00}));
    // The same for bfloat16: 1 + 2^-8, 1 + 2^-7 + 2^-8, overflow.
    EXPECT_EQ((U16{0x3F80, 0x3F82, 0x7F80}),
              reduce<uint16_t>("sum_bf16", {0x3F80, 0x3F81, 0x7F7F}, {0x3B80, 0x3B80, 0x7F7F}));
    EXPECT_EQ((U16{0x3F80, 0x8000}), reduce<uint16_t>("min_bf16", {0x7FC0, 0x0000}, {0x3F80, 0x8000}));
}

TEST_F(Kernels, TheCudaSourceMatchesForIntegers) {
    std::vector<uint8_t> bytes(256);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
    compare<uint8_t>("i8", bytes, bytes, never);
    compare<uint16_t>("i16", all_16_bit_patterns(), {0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x1234}, never);
    const std::vector<uint32_t> words{0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678};
    compare<uint32_t>("i32", words, words, never);
}

TEST_F(Kernels, TheCudaSourceMatchesForFloatingPoint) {
    // Zeros, smallest and largest subnormal, smallest normal, one, its neighbours, largest,
    // infinity, NaN.
    const std::vector<uint16_t> halves{0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x3C00, 0xBC01,
                                       0x1000, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFC01};
    compare<uint16_t>("f16", all_16_bit_patterns(), halves, half_is_nan);
    const std::vector<uint16_t> bfloats{0x0000, 0x8000, 0x0001, 0x807F, 0x0080, 0x3F80, 0xBF81,
                                        0x3B80, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0xFF81};
    compare<uint16_t>("bf16", all_16_bit_patterns(), bfloats, bfloat_is_nan);
    std::vector<uint32_t> floats{0,          0x80000000, 1,          0x807FFFFF, 0x3F800000, 0xBF800001,
                                 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001};
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) floats.push_back(static_cast<uint32_t>(random()));
    compare<uint32_t>("f32", floats, floats, float_is_nan);
}

TEST_F(Kernels, EveryGridLengthAndAlignmentDoesAllElementsOnce) {
    for (const unsigned grid : {1u, 3u}) {
        for (const unsigned block : {1u, 32u, 1024u}) {
            for (const size_t count : {size_t{1}, size_t{15}, size_t{16}, size_t{1000}}) {
                for (const size_t offset : {size_t{0}, size_t{1}}) {
                    const Bytes ones(count, 1);
                    const std::string name = "portacl_reduce_sum_i8";
                    EXPECT_EQ(Bytes(count, 2), run(name, ones, ones, 1, offset, grid, block));
                    EXPECT_EQ(Bytes(count, 2), run_source(name, ones, ones, 1, offset, grid, block));
                }
            }
        }
    }
}

TEST_F(Kernels, AllKernelsAreInTheModule) {
    const auto before = fakeCudaLaunchCount(nullptr);
    const CUdeviceptr memory = allocate(8);
    for (const char* op : kOps) {
        for (const char* element : {"i8", "i16", "i32", "f16", "bf16", "f32"}) {
            const std::string name = std::string("portacl_reduce_") + op + "_" + element;
            const auto mine = fakeCudaLaunchCount(name.c_str());
            OK(launch(name, memory, memory, 1));
            EXPECT_EQ(mine + 1, fakeCudaLaunchCount(name.c_str()));
        }
    }
    EXPECT_EQ(before + 18, fakeCudaLaunchCount(nullptr));
    CUfunction function = nullptr;
    EXPECT_EQ(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "no_such_kernel"));
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree_v2(memory));
}

// A kernel of the tests, with both forms of passing arguments.
TEST_F(Kernels, ArgumentsComeOneByOneOrInABlock) {
    CUmodule tests = nullptr;
    CUfunction mark = nullptr;
    OK(cuModuleLoadData(&tests, read_file(TESTS_PTX).c_str()));
    OK(cuModuleGetFunction(&mark, tests, "mark"));
    int most = 0;
    OK(cuFuncGetAttribute(&most, 0, mark));
    EXPECT_EQ(256, most);
    size_t offset = 99;
    size_t size = 99;
    OK(cuFuncGetParamInfo(mark, 1, &offset, &size));
    EXPECT_EQ(8u, offset);
    EXPECT_EQ(4u, size);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(mark, 2, &offset, &size));

    struct {
        CUdeviceptr words;
        uint32_t number;
    } block{allocate(24), 5};
    OK(cuMemsetD8Async(block.words, 0, 24, stream));
    void* each[] = {&block.words, &block.number};
    OK(cuLaunchKernel(mark, 1, 1, 3, 1, 2, 1, 0, stream, each, nullptr));
    size_t length = 12;
    void* extra[] = {reinterpret_cast<void*>(1), &block, reinterpret_cast<void*>(2), &length, nullptr};
    OK(cuLaunchKernel(mark, 6, 1, 1, 1, 1, 1, 0, stream, nullptr, extra));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(std::vector<uint32_t>(6, 10), values_of<uint32_t>(read(block.words, 24)));

    length = 11;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(mark, 6, 1, 1, 1, 1, 1, 0, stream, nullptr, extra));
    each[1] = nullptr;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(mark, 6, 1, 1, 1, 1, 1, 0, stream, each, nullptr));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(mark, 1, 1, 1, 257, 1, 1, 0, stream, each, nullptr));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(mark, 1, 1, 1, 1, 1, 1, 49153, stream, each, nullptr));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(mark, 8, 1 << 20));
    expected_misuses = 5;
    each[1] = &block.number;
    OK(cuFuncSetAttribute(mark, 8, 65536));
    OK(cuLaunchKernel(mark, 6, 1, 1, 1, 1, 1, 65536, stream, each, nullptr));
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree_v2(block.words));
    OK(cuModuleUnload(tests));
}

TEST_F(Kernels, VariablesAreMemoryUntilTheirModuleIsUnloaded) {
    CUmodule tests = nullptr;
    CUfunction add_step = nullptr;
    OK(cuModuleLoadData(&tests, read_file(TESTS_PTX).c_str()));
    CUdeviceptr step = 0, table = 0;
    size_t size = 0;
    OK(cuModuleGetGlobal_v2(&table, &size, tests, "kernel_table"));
    EXPECT_EQ(64u, size);
    EXPECT_EQ(Bytes(64, 0), read(table, 64));
    CUdeviceptr text = 0;
    OK(cuModuleGetGlobal_v2(&text, &size, tests, "portacl_entry_7"));
    EXPECT_EQ(bytes_of<char>({'m', 'a', 'r', 'k', 0}), read(text, size));
    OK(cuModuleGetGlobal_v2(&step, nullptr, tests, "kernel_step"));
    EXPECT_EQ(std::vector<uint32_t>{5}, values_of<uint32_t>(read(step, 4)));
    EXPECT_EQ(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2(&step, &size, tests, "mark"));

    // A kernel reads what was written.
    OK(cuMemsetD32Async(step, 7, 1, stream));
    OK(cuModuleGetFunction(&add_step, tests, "add_step"));
    CUdeviceptr words = allocate(8);
    OK(cuMemsetD8Async(words, 0, 8, stream));
    void* each[] = {&words};
    OK(cuLaunchKernel(add_step, 2, 1, 1, 1, 1, 1, 0, stream, each, nullptr));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(std::vector<uint32_t>(2, 7), values_of<uint32_t>(read(words, 8)));

    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(step));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal_v2(&step, &size, tests, nullptr));
    OK(cuModuleUnload(tests));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuModuleGetGlobal_v2(&step, &size, tests, "kernel_step"));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD32Async(step, 7, 1, stream));
    expected_misuses = 4;
    OK(cuMemFree_v2(words));
}

TEST_F(Kernels, WrongLaunchesAreRefused) {
    const CUdeviceptr memory = allocate(64);
    const std::string name = "portacl_reduce_sum_i32";
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, launch(name, memory, memory, 1, 0, 1));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, launch(name, memory, memory, 1, 1, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, launch(name, memory, memory, 1, 1, 1025));
    CUfunction function = nullptr;
    OK(cuModuleGetFunction(&function, module, name.c_str()));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE,
              cuLaunchKernel(reinterpret_cast<CUfunction>(module), 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
    OK(cuModuleUnload(module));
    module = nullptr;
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
    expected_misuses = 6;
    OK(cuMemFree_v2(memory));
}

TEST_F(Kernels, ABadPointerFailsTheDevice) {
    const CUdeviceptr memory = allocate(64);
    OK(launch("portacl_reduce_sum_i32", memory, memory, 17)) << "one more than there are";
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    expected_misuses = 1;
    OK(cuDevicePrimaryCtxReset_v2(0));
    reset = true;
}

// Releasing a failed context returns the failure again, and there is no other one until the process ends.
TEST_F(Kernels, AFailedContextIsReleased) {
    const CUdeviceptr memory = allocate(64);
    OK(launch("portacl_reduce_sum_i32", memory, memory, 17)) << "one more than there are";
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuDevicePrimaryCtxRelease_v2(0));
    unsigned flags = 0;
    int active = 1;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(0, active);
    CUcontext another = nullptr;
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuDevicePrimaryCtxRetain(&another, 0));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxCreate_v2(&another, 0, 0));
    expected_misuses = 1;
    reset = released = true;
}

TEST_F(Kernels, AMisalignedPointerFailsTheDevice) {
    const CUdeviceptr memory = allocate(64);
    OK(launch("portacl_reduce_sum_i32", memory + 2, memory, 1));
    EXPECT_EQ(CUDA_ERROR_MISALIGNED_ADDRESS, cuStreamSynchronize(stream));
    expected_misuses = 1;
    OK(cuDevicePrimaryCtxReset_v2(0));
    reset = true;
}

TEST_F(Kernels, OnlyPtxThatTheDriverReadsIsLoaded) {
    CUmodule other = nullptr;
    const std::string rest = "\n.target sm_52\n.address_size 64\n";
    OK(cuModuleLoadData(&other, (".version 9.0" + rest).c_str()));
    OK(cuModuleUnload(other));
    EXPECT_EQ(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuModuleLoadData(&other, (".version 9.1" + rest).c_str()));
    EXPECT_EQ(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&other, "nonsense"));
    EXPECT_EQ(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&other, ".version 7.0\n"));
    expected_misuses = 2;
}

// Drivers of CUDA 10.1 and devices of 2014 can load it, and so can all later ones.
TEST(Ptx, DeclaresAnOldVersionAndTarget) {
    const std::string ptx = read_file(REDUCE_PTX);
    EXPECT_NE(std::string::npos, ptx.find("\n.version 6.4\n"));
    EXPECT_NE(std::string::npos, ptx.find("\n.target sm_52\n"));
}

}  // namespace
