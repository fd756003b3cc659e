#include "properties.h"

#include <set>

namespace properties {

namespace {

constexpr double kUntouched = 77;

std::string Text() {
    const char* text = aclGetRecentErrMsg();
    return text != nullptr ? text : "";
}

// A session that begins with the first call, and ends with the process.
struct Session {
    aclrtStream stream = nullptr;
    Session() {
        EXPECT_EQ(ACL_SUCCESS, aclInit(nullptr));
        EXPECT_EQ(ACL_SUCCESS, aclrtSetDevice(0));
        EXPECT_EQ(ACL_SUCCESS, aclrtCreateStream(&stream));
    }
};

template <typename T>
T* Made(T* handle) {
    EXPECT_NE(handle, nullptr) << Text();
    return handle;
}

std::string Describe(const Tensors& tensors) {
    std::ostringstream text;
    for (const at::Tensor& tensor : tensors) text << ' ' << tensor.sizes() << " with strides " << tensor.strides();
    return text.str();
}

// Outputs of one shape whose elements are those of a larger storage in three orders.
struct Output {
    at::Tensor storage;
    at::Tensor view;
};
constexpr int kLayouts = 3;
Output MakeOutput(at::IntArrayRef sizes, at::ScalarType type, int layout) {
    if (layout == 0 || (layout == 2 && sizes.size() < 2)) {
        const at::Tensor whole = at::full(sizes, kUntouched, type);
        return {whole, whole};
    }
    if (layout == 1) {
        std::vector<int64_t> twice = sizes.vec();
        twice.push_back(2);
        const at::Tensor storage = at::full(twice, kUntouched, type);
        return {storage, storage.select(-1, 1)};
    }
    std::vector<int64_t> other = sizes.vec();
    std::swap(other.front(), other.back());
    const at::Tensor storage = at::full(other, kUntouched, type);
    return {storage, storage.transpose(0, -1)};
}

void ExpectSame(const at::Tensor& want, const at::Tensor& got) {
    ASSERT_EQ(want.sizes(), got.sizes());
    ASSERT_EQ(want.scalar_type(), got.scalar_type());
    const bool is_exact = !at::isFloatingType(want.scalar_type());
    EXPECT_TRUE(is_exact ? at::equal(want, got) : at::allclose(want, got, 1e-5, 1e-6, true)) << "wanted\n"
                                                                                             << want << "\ngot\n"
                                                                                             << got;
}

// Checks the elements of the storage that are not the view's.
void ExpectRestUntouched(const Output& output) {
    const at::Tensor rest = output.storage.clone();
    rest.as_strided(output.view.sizes(), output.view.strides(), output.view.storage_offset()).fill_(kUntouched);
    EXPECT_TRUE(at::equal(rest, at::full_like(rest, kUntouched))) << "elements beside the output changed:\n" << rest;
}

// Operators whose failures the stream may find: those with an input whose data can be wrong, an index or a class, and
// those whose function ATen cannot run without data, or whose library for CPUs refuses what ATen's shapes allow.
bool MayFailLate(const std::string& name) {
    static const std::set<std::string> names{
        "aclnnNLLLoss",           "aclnnNLLLossBackward", "aclnnEmbedding",    "aclnnEmbeddingDenseBackward",
        "aclnnIndexSelect",       "aclnnGather",          "aclnnIndexPutImpl", "aclnnLayerNormBackward",
        "aclnnBatchNormBackward", "aclnnGeluBackward"};
    return names.count(name) > 0;
}

// Checks that an operator in the same stream computes.
void ExpectAlive() {
    const at::Tensor one = at::ones({2}), sum = at::zeros({2});
    const Outcome outcome = Call(aclnnAddGetWorkspaceSize, aclnnAdd, one, one, Scalar(1), sum);
    EXPECT_EQ(ACL_SUCCESS, outcome.code) << outcome.text;
    EXPECT_TRUE(at::equal(sum, at::full({2}, 2.0))) << sum;
}

void ExpectFailure(const std::string& name, const Outcome& outcome) {
    if (!MayFailLate(name)) {
        EXPECT_TRUE(outcome.is_of_first_phase) << "found in the stream: " << outcome.text;
        EXPECT_EQ(ACLNN_ERR_PARAM_INVALID, outcome.code) << outcome.text;
    }
    ExpectAlive();
    EXPECT_NE(ACL_SUCCESS, outcome.code);
    EXPECT_NE(outcome.text.find(name), std::string::npos) << outcome.text;
    EXPECT_EQ(outcome.text.find("Exception raised from"), std::string::npos) << outcome.text;
}

// Returns what ATen computes, or nothing if it rejects the inputs.
std::optional<Tensors> Wanted(const Reference& want, const Tensors& x) {
    try {
        return want(x);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void CheckOneOutput(const Tensors& x, const Tensors& wanted, int layout, const Operator& run) {
    std::vector<Output> outputs;
    Tensors out;
    for (const at::Tensor& each : wanted) {
        outputs.push_back(MakeOutput(each.sizes(), each.scalar_type(), layout));
        out.push_back(outputs.back().view);
    }
    const Outcome outcome = run(x, out);
    ASSERT_EQ(ACL_SUCCESS, outcome.code) << outcome.text;
    for (size_t i = 0; i < wanted.size(); ++i) {
        ExpectSame(wanted[i], out[i]);
        ExpectRestUntouched(outputs[i]);
    }
}

// Checks a first output of another shape.
void CheckWrongOutput(const std::string& name, const Tensors& x, const Tensors& wanted, const Operator& run) {
    Tensors out;
    for (const at::Tensor& each : wanted) out.push_back(at::full(each.sizes(), kUntouched, each.scalar_type()));
    out[0] = at::full({11, 13, 3}, kUntouched, out[0].scalar_type());
    ExpectFailure(name, run(x, out));
    EXPECT_TRUE(at::equal(out[0], at::full_like(out[0], kUntouched)));
}

void CheckNull(const std::string& name, Tensors x, const Tensors& out, const Operator& run) {
    if (x.empty()) return;
    x[0] = at::Tensor();
    const Outcome outcome = run(x, out);
    EXPECT_EQ(ACLNN_ERR_PARAM_NULLPTR, outcome.code);
    EXPECT_NE(outcome.text.find(name), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find("is null"), std::string::npos) << outcome.text;
}

}  // namespace

aclrtStream Stream() {
    static const Session session;
    return session.stream;
}

aclDataType TypeOf(at::ScalarType type) {
    static const std::map<at::ScalarType, aclDataType> types{
        {at::kFloat, ACL_FLOAT}, {at::kHalf, ACL_FLOAT16}, {at::kBFloat16, ACL_BF16}, {at::kDouble, ACL_DOUBLE},
        {at::kInt, ACL_INT32},   {at::kLong, ACL_INT64},   {at::kBool, ACL_BOOL},     {at::kByte, ACL_UINT8}};
    return types.at(type);
}

Arguments::~Arguments() {
    for (const auto& destroy : destroy_) destroy();
    for (const auto& [key, copy] : copies_) aclrtFree(copy.memory);
}

void* Arguments::Memory(const at::Tensor& tensor) {
    Stream();
    const size_t bytes = tensor.storage().nbytes();
    // A storage without bytes has no address.
    const void* const key = bytes > 0 ? tensor.storage().data() : tensor.unsafeGetTensorImpl();
    const auto found = copies_.find(key);
    if (found != copies_.end()) return found->second.memory;
    void* memory = nullptr;
    EXPECT_EQ(ACL_SUCCESS, aclrtMalloc(&memory, bytes + 1, ACL_MEM_MALLOC_NORMAL_ONLY));
    if (bytes > 0) {
        const int code = aclrtMemcpy(memory, bytes, tensor.storage().data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
        EXPECT_EQ(ACL_SUCCESS, code) << Text();
    }
    copies_[key] = {memory, tensor};
    return memory;
}

void Arguments::Return() {
    for (const auto& [key, copy] : copies_) {
        const size_t bytes = copy.owner.storage().nbytes();
        if (bytes == 0) continue;
        void* const data = copy.owner.storage().data_ptr().get();
        EXPECT_EQ(ACL_SUCCESS, aclrtMemcpy(data, bytes, copy.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST)) << Text();
    }
}

aclTensor* Arguments::Pass(const at::Tensor& tensor) {
    if (!tensor.defined()) return nullptr;
    const auto elements = static_cast<int64_t>(tensor.storage().nbytes() / tensor.element_size());
    aclTensor* made = Made(aclCreateTensor(tensor.sizes().data(), tensor.sizes().size(), TypeOf(tensor.scalar_type()),
                                           tensor.strides().data(), tensor.storage_offset(), ACL_FORMAT_ND, &elements,
                                           1, Memory(tensor)));
    destroy_.emplace_back([made] { aclDestroyTensor(made); });
    return made;
}

aclScalar* Arguments::Pass(const at::Scalar& number) {
    auto real = number.isFloatingPoint() ? number.toDouble() : 0;
    auto integer = number.isFloatingPoint() ? 0 : number.toLong();
    aclScalar* made =
        Made(number.isFloatingPoint() ? aclCreateScalar(&real, ACL_DOUBLE) : aclCreateScalar(&integer, ACL_INT64));
    destroy_.emplace_back([made] { aclDestroyScalar(made); });
    return made;
}

aclIntArray* Arguments::Pass(const Ints& values) {
    aclIntArray* made = Made(aclCreateIntArray(values.data(), values.size()));
    destroy_.emplace_back([made] { aclDestroyIntArray(made); });
    return made;
}

aclBoolArray* Arguments::Pass(const Flags& values) {
    aclBoolArray* made = Made(aclCreateBoolArray(values.data(), values.size()));
    destroy_.emplace_back([made] { aclDestroyBoolArray(made); });
    return made;
}

aclTensorList* Arguments::Pass(const Tensors& tensors) {
    std::vector<aclTensor*> elements;
    for (const at::Tensor& tensor : tensors) elements.push_back(Pass(tensor));
    // The list owns them.
    for (const at::Tensor& tensor : tensors)
        if (tensor.defined()) destroy_.pop_back();
    aclTensorList* made = Made(aclCreateTensorList(elements.data(), elements.size()));
    destroy_.emplace_back([made] { aclDestroyTensorList(made); });
    return made;
}

Outcome Finish(int code) {
    const int later = code == ACL_SUCCESS ? aclrtSynchronizeStream(Stream()) : code;
    return {later, later == ACL_SUCCESS ? "" : Text()};
}

void CheckOutputs(const std::string& name, const std::vector<Tensors>& inputs, const Operator& run,
                  const Reference& want) {
    bool is_first = true;
    for (const Tensors& x : inputs) {
        SCOPED_TRACE(name + Describe(x));
        const std::optional<Tensors> wanted = Wanted(want, x);
        if (!wanted) {
            ExpectFailure(name, run(x, Tensors(3, at::full({3, 4}, kUntouched))));
            continue;
        }
        for (int layout = 0; layout < kLayouts; ++layout) CheckOneOutput(x, *wanted, layout, run);
        if (std::exchange(is_first, false)) {
            CheckWrongOutput(name, x, *wanted, run);
            CheckNull(name, x, *wanted, run);
        }
    }
    EXPECT_FALSE(is_first) << "no input is one that ATen takes";
}

void CheckInPlace(const std::string& name, const std::vector<Tensors>& inputs, const Operator& run,
                  const Reference& want) {
    bool is_first = true;
    for (const Tensors& x : inputs) {
        SCOPED_TRACE(name + Describe(x));
        const std::optional<Tensors> wanted = Wanted(want, x);
        const bool fits = wanted && (*wanted)[0].sizes() == x[0].sizes();
        for (int layout = 0; layout < kLayouts; ++layout) {
            const Output self = MakeOutput(x[0].sizes(), x[0].scalar_type(), layout);
            self.view.copy_(x[0]);
            Tensors changed = x;
            changed[0] = self.view;
            const Outcome outcome = run(changed, {});
            if (!fits) {
                ExpectFailure(name, outcome);
                ExpectSame(x[0], self.view);
                continue;
            }
            ASSERT_EQ(ACL_SUCCESS, outcome.code) << outcome.text;
            ExpectSame((*wanted)[0].to(x[0].scalar_type()), self.view);
            ExpectRestUntouched(self);
        }
        if (fits && std::exchange(is_first, false)) CheckNull(name, x, {}, run);
    }
    EXPECT_FALSE(is_first) << "no input is one that ATen takes";
}

at::Tensor Random(at::IntArrayRef sizes) {
    return at::rand(sizes) + 0.1;
}

std::vector<Tensors> Singles() {
    return {
        {Random({3, 4})},
        {Random({4, 3}).t()},
        {Random({6, 9}).slice(0, 1, 6, 2).slice(1, 2, 9, 3)},
        {Random({1, 4}).expand({3, 4})},
        {Random({0, 4})},
        {Random({})},
        {Random({2, 3, 4}).permute({2, 0, 1})},
        {Random({129, 257})},
    };
}

std::vector<Tensors> Pairs() {
    return {
        {Random({3, 4}), Random({3, 4})},
        {Random({3, 4}), Random({4, 3}).t()},
        {Random({3, 4}), Random({4})},
        {Random({3, 1}), Random({1, 4})},
        {Random({}), Random({3, 4})},
        {Random({3, 4}), Random({})},
        {Random({}), Random({})},
        {Random({0, 4}), Random({4})},
        {Random({2, 3, 4}).permute({2, 0, 1}), Random({2, 1})},
        {Random({129, 257}), Random({257})},
        {Random({3, 4}), Random({3, 5})},
    };
}

std::vector<Tensors> Triples() {
    std::vector<Tensors> inputs = Pairs();
    for (Tensors& x : inputs) x.push_back(Random({1}));
    inputs.push_back({Random({3, 4}), Random({4, 3}).t(), Random({3, 1})});
    inputs.push_back({Random({3, 4}), Random({3, 4}), Random({2, 4})});
    return inputs;
}

}  // namespace properties
