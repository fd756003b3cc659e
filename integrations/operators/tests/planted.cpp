// Programs with one planted fault each, and their corrected twins: what PORTACL_CHECK has to report about operators,
// and what not. usage: planted NAME faulty|fixed; without arguments it lists name and report. planted.py runs them.
#include <aclnnop/all.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"

namespace {

#define OK(call)                                                       \
    do {                                                               \
        const int code = call;                                         \
        if (code != ACL_SUCCESS) {                                     \
            const char* text = aclGetRecentErrMsg();                   \
            std::printf("%s: %d %s\n", #call, code, text ? text : ""); \
            std::exit(3);                                              \
        }                                                              \
    } while (false)

// Runs two phases in one call.
#define RUN(NAME, STREAM, ...)                                            \
    do {                                                                  \
        uint64_t size = 0;                                                \
        aclOpExecutor* executor = nullptr;                                \
        OK(aclnn##NAME##GetWorkspaceSize(__VA_ARGS__, &size, &executor)); \
        OK(aclnn##NAME(nullptr, size, executor, STREAM));                 \
    } while (false)

constexpr int64_t kRows = 8, kColumns = 16, kCount = kRows * kColumns;

// A matrix of floats in an allocation with as much room after it.
struct Matrix {
    void* memory = nullptr;

    explicit Matrix(int64_t rows_with_contents = 2 * kRows) {
        const size_t bytes = 2 * kCount * sizeof(float);
        OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
        const size_t filled = static_cast<size_t>(rows_with_contents * kColumns) * sizeof(float);
        if (filled > 0) OK(aclrtMemset(memory, bytes, 0, filled));
    }
    // Creates a view of some of its elements. The memory stays until the process ends.
    aclTensor* View(std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t offset = 0) const {
        const int64_t storage = 2 * kCount;
        aclTensor* made = aclCreateTensor(sizes.data(), sizes.size(), ACL_FLOAT, strides.data(), offset, ACL_FORMAT_ND,
                                          &storage, 1, memory);
        if (made == nullptr) std::exit(3);
        return made;
    }
    aclTensor* All() const { return View({kRows, kColumns}, {kColumns, 1}); }
    aclTensor* Columns(int64_t first, int64_t count) const { return View({kRows, count}, {kColumns, 1}, first); }
    aclTensor* Tail(int64_t first, int64_t count) const { return View({count}, {1}, first); }
};

struct Fixture {
    aclrtStream first = nullptr, second = nullptr;
    aclScalar* one = nullptr;

    Fixture() {
        OK(aclInit(nullptr));
        OK(aclrtSetDevice(0));
        OK(aclrtCreateStream(&first));
        OK(aclrtCreateStream(&second));
        float value = 1;
        one = aclCreateScalar(&value, ACL_FLOAT);
    }
    void Add(const aclTensor* a, const aclTensor* b, const aclTensor* out, aclrtStream stream) const {
        RUN(Add, stream, a, b, one, out);
    }
    void Fill(const aclTensor* tensor, aclrtStream stream) const { RUN(InplaceFillScalar, stream, tensor, one); }
    void Order() const {
        aclrtEvent event = nullptr;
        OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        OK(aclrtRecordEvent(event, first));
        OK(aclrtStreamWaitEvent(second, event));
    }
};

// Lets the second stream write the last element that the first one reads, or the one after it.
void LastElement(const Fixture& world, bool is_fixed) {
    const Matrix x, sum;
    world.Add(x.All(), x.All(), sum.All(), world.first);
    world.Fill(x.Tail(kCount - (is_fixed ? 0 : 1), 1), world.second);
}

void WithoutOrder(const Fixture& world, bool is_fixed) {
    const Matrix x, y, z;
    world.Add(x.All(), x.All(), y.All(), world.first);
    if (is_fixed) world.Order();
    world.Add(y.All(), x.All(), z.All(), world.second);
}

// Lets both streams read the same matrix. Their results are the same matrix, or two.
void SharedInput(const Fixture& world, bool is_fixed) {
    const Matrix x, y, z;
    world.Add(x.All(), x.All(), y.All(), world.first);
    world.Add(x.All(), x.All(), (is_fixed ? z : y).All(), world.second);
}

// Lets each stream write columns of one matrix.
void Columns(const Fixture& world, bool is_fixed) {
    const Matrix x, y;
    world.Add(x.Columns(0, 8), x.Columns(8, 8), y.Columns(0, 8), world.first);
    world.Add(x.Columns(0, 8), x.Columns(8, 8), y.Columns(is_fixed ? 8 : 7, 8), world.second);
}

void InPlace(const Fixture& world, bool is_fixed) {
    const Matrix x, y;
    RUN(InplaceAdd, world.first, x.All(), x.All(), world.one);
    if (is_fixed) world.Order();
    world.Add(x.All(), x.All(), y.All(), world.second);
}

void ListOfOutputs(const Fixture& world, bool is_fixed) {
    const Matrix x, y, z;
    const int64_t counts[] = {8, 8};
    aclIntArray* sizes = aclCreateIntArray(counts, 2);
    const aclTensor* parts[] = {y.Columns(0, 8), y.Columns(8, 8)};
    const aclTensorList* list = aclCreateTensorList(parts, 2);
    RUN(SplitWithSize, world.first, x.All(), sizes, 1, list);
    if (is_fixed) world.Order();
    world.Add(y.Columns(8, 8), x.Columns(0, 8), z.Columns(0, 8), world.second);
}

// Reads a matrix whose last row has no contents.
void RowWithoutContents(const Fixture& world, bool is_fixed) {
    const Matrix x(is_fixed ? kRows : kRows - 1), sum;
    world.Add(x.All(), x.All(), sum.All(), world.first);
}

// Selects rows: the operator reads some rows of its matrix, and all of its indices.
void Selection(const Fixture& world, bool is_fixed) {
    const Matrix x(1), indices(is_fixed ? 1 : 0), rows;
    const int64_t storage = 2, sizes[] = {2}, strides[] = {1};
    aclTensor* index = aclCreateTensor(sizes, 1, ACL_INT64, strides, 0, ACL_FORMAT_ND, &storage, 1, indices.memory);
    RUN(IndexSelect, world.first, x.All(), 0, index, rows.View({2, kColumns}, {kColumns, 1}));
}

// Reads after an output: an operator gives contents to its output, and not to the rest of the allocation.
void BehindTheOutput(const Fixture& world, bool is_fixed) {
    const Matrix x, sum(0);
    world.Add(x.All(), x.All(), sum.All(), world.first);
    OK(aclrtSynchronizeStream(world.first));
    const size_t bytes = kCount * sizeof(float) + (is_fixed ? 0 : 1);
    std::vector<char> host(bytes);
    OK(aclrtMemcpy(host.data(), bytes, sum.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

struct PlantedError {
    const char* name;
    void (*run)(const Fixture& world, bool is_fixed);
    // The beginning of the report.
    const char* report;
};

constexpr PlantedError kPrograms[] = {
    {"last_element", LastElement, "race: aclnnInplaceFillScalar writes memory that aclnnAdd reads"},
    {"without_order", WithoutOrder, "race: aclnnAdd reads memory that aclnnAdd writes"},
    {"shared_input", SharedInput, "race: aclnnAdd writes memory that aclnnAdd writes"},
    {"columns", Columns, "race: aclnnAdd writes memory that aclnnAdd writes"},
    {"in_place", InPlace, "race: aclnnAdd reads memory that aclnnInplaceAdd writes"},
    {"list_of_outputs", ListOfOutputs, "race: aclnnAdd reads memory that aclnnSplitWithSize writes"},
    {"row_without_contents", RowWithoutContents,
     "init: aclnnAdd reads 64 bytes that nothing wrote since aclrtMalloc allocated them"},
    {"selection", Selection,
     "init: aclnnIndexSelect reads 16 bytes that nothing wrote since aclrtMalloc allocated them"},
    {"behind_the_output", BehindTheOutput,
     "init: aclrtMemcpy reads 1 byte that nothing wrote since aclrtMalloc allocated it"},
};

}  // namespace

int main(int count, char** arguments) {
    for (const PlantedError& program : kPrograms) {
        if (count < 3) {
            std::printf("%s|%s\n", program.name, program.report);
        } else if (std::strcmp(program.name, arguments[1]) == 0) {
            const Fixture world;
            program.run(world, std::strcmp(arguments[2], "fixed") == 0);
            OK(aclrtSynchronizeDevice());
            return 0;
        }
    }
    return count < 3 ? 0 : 4;
}
