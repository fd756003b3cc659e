// The kernel `full`, as Paddle calls it.
#include <cmath>
#include <limits>
#include <stdexcept>

#include "paddle_double.h"

using namespace paddle_test;

namespace {

class Full : public WithTwoDevices {
  protected:
    // Fills `count` elements of a device's memory, in both of Paddle's ways, and compares them.
    template <typename T>
    void Expect(C_DataType type, Scalar value, T expected, std::int64_t count, int id = 0) {
        SCOPED_TRACE(testing::Message() << "type " << type << ", " << count << " elements");
        const auto found = Kernels().find({"full", type});
        ASSERT_NE(found, Kernels().end());
        const std::size_t size = static_cast<std::size_t>(count) * sizeof(T);
        PluginStream stream(id);
        Context context{stream};
        for (const bool directly : {false, true}) {
            const Memory memory(id, size + 64, 0xcd);
            Tensor out{memory.At(), count, false};
            if (directly) {
                found->second.run_directly(&context, nullptr, &value, 0, &out);
            } else {
                KernelContext arguments{&context, &value, &out};
                found->second.run(&arguments);
            }
            EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
            const auto bytes = memory.Read();
            for (std::int64_t at = 0; at < count; ++at) {
                ASSERT_EQ(std::memcmp(bytes.data() + at * sizeof(T), &expected, sizeof(T)), 0) << at;
            }
            for (std::size_t at = size; at < bytes.size(); ++at) {
                ASSERT_EQ(bytes[at], 0xcd) << "written past the end";
            }
        }
    }
};

TEST_F(Full, IsRegisteredForThisDevice) {
    Plugin();
    for (int type = BOOL; type <= COMPLEX128; ++type) {
        const auto found = Kernels().find({"full", static_cast<C_DataType>(type)});
        ASSERT_NE(found, Kernels().end()) << type;
        EXPECT_EQ(found->second.backend, "portacl");
        EXPECT_EQ(found->second.attributes, (std::vector<int>{11, 10, 12}));
        EXPECT_EQ(found->second.outputs, (std::vector<int>{1}));
    }
}

TEST_F(Full, IsRegisteredForNoTypeThatTheReleaseDoesNotSurvive) {
    Plugin();
    auto& kernels = Kernels();
    const auto kept = kernels;
    for (int column = 0; column < kColumns; ++column) {
        SCOPED_TRACE(kReleases[column].versions);
        kernels.clear();
        Table(column).Init();
        const bool all = column == kColumns - 1;
        EXPECT_EQ(kernels.size(), all ? 15u : 12u);
        for (const C_DataType type : {UINT16, UINT32, UINT64}) {
            EXPECT_EQ(kernels.count({"full", type}), all ? 1u : 0u) << type;
        }
    }
    kernels = kept;
}

TEST_F(Full, EveryType) {
    Expect<bool>(BOOL, {1}, true, 33);
    Expect<std::uint8_t>(UINT8, {200}, 200, 33);
    Expect<std::uint16_t>(UINT16, {60000}, 60000, 33);
    Expect<std::uint32_t>(UINT32, {4e9}, 4000000000u, 33);
    Expect<std::uint64_t>(UINT64, {18e18}, 18000000000000000000u, 33);
    Expect<std::int8_t>(INT8, {-3}, -3, 33);
    Expect<std::int16_t>(INT16, {-300}, -300, 33);
    Expect<std::int32_t>(INT32, {-70000}, -70000, 33);
    Expect<std::int64_t>(INT64, {-1e15}, -1000000000000000, 33);
    Expect<float>(FLOAT32, {0.1}, 0.1f, 33);
    Expect<double>(FLOAT64, {0.1}, 0.1, 33);
}

TEST_F(Full, ComplexNumbersFromComplexAndFromRealOnes) {
    using Single = std::complex<float>;
    using Double = std::complex<double>;
    for (const std::int64_t count : {1, 33, 256, 70000}) {
        Expect<Single>(COMPLEX64, Single(0.1f, -2.0f), {0.1f, -2.0f}, count);
        Expect<Single>(COMPLEX64, Double(0.1, -2.0), {0.1f, -2.0f}, count);
        Expect<Single>(COMPLEX64, 3.0, {3.0f, 0.0f}, count);
        Expect<Double>(COMPLEX128, Double(0.1, -2.0), {0.1, -2.0}, count, 1);
        Expect<Double>(COMPLEX128, Single(0.5f, -2.0f), {0.5, -2.0}, count);
        Expect<Double>(COMPLEX128, 0.0, {0.0, 0.0}, count);
    }
}

TEST_F(Full, HalfPrecisionIsRounded) {
    Expect<std::uint16_t>(FLOAT16, {1.5}, 0x3e00, 9);
    Expect<std::uint16_t>(FLOAT16, {-2}, 0xc000, 9);
    Expect<std::uint16_t>(BFLOAT16, {1.5}, 0x3fc0, 9);
    Expect<std::uint16_t>(BFLOAT16, {1.00390625}, 0x3f80, 9);  // half way, to the even one
    Expect<std::uint16_t>(BFLOAT16, {1.01171875}, 0x3f82, 9);  // half way, to the even one
    Expect<std::uint16_t>(BFLOAT16, {1e39}, 0x7f80, 9);
    Expect<std::uint16_t>(BFLOAT16, {std::numeric_limits<double>::quiet_NaN()}, 0x7fc0, 9);
}

TEST_F(Full, AnySizeOnAnyDevice) {
    for (const std::int64_t count : {1, 1023, 1024, 1025, 5000, 300000}) {
        Expect<float>(FLOAT32, {0.0}, 0.0f, count);
        Expect<float>(FLOAT32, {-2.25}, -2.25f, count, 1);
    }
    Expect<double>(FLOAT64, {3.0}, 3.0, 513);
}

TEST_F(Full, IsInOrderWithItsStream) {
    Plugin();
    const Memory memory(0, 4096, 1);
    PluginStream stream(0);
    Context context{stream};
    Gate gate;
    ASSERT_EQ(gate.Close(device(), stream), C_SUCCESS);
    Scalar value{0};
    Tensor out{memory.At(), 1024, false};
    Kernels()[{"full", FLOAT32}].run_directly(&context, nullptr, &value, 0, &out);
    EXPECT_TRUE(memory.Holds(1)) << "it has not had its turn";
    gate.Open();
    EXPECT_EQ(stream.Synchronize(), C_SUCCESS);
    EXPECT_TRUE(memory.Holds(0));
}

TEST_F(Full, NoElementsAreNoWork) {
    Plugin();
    Context context;
    Scalar value{1};
    Tensor out{nullptr, 0, false};
    Kernels()[{"full", FLOAT32}].run_directly(&context, nullptr, &value, 0, &out);
}

TEST_F(Full, FailuresAreExceptionsWithWords) {
    Plugin();
    PluginStream stream(0);
    Context context{stream};
    Scalar value{1};
    std::vector<float> host(16, 3);
    for (Tensor out : {Tensor{nullptr, 16, true}, Tensor{host.data(), 16, false}}) {
        try {
            Kernels()[{"full", FLOAT32}].run_directly(&context, nullptr, &value, 0, &out);
            ADD_FAILURE() << "no exception";
        } catch (const std::runtime_error& what) {
            EXPECT_NE(std::string(what.what()).find("portacl: full"), std::string::npos);
        }
    }
    EXPECT_EQ(host, std::vector<float>(16, 3));
}

}  // namespace
