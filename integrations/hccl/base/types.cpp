#include "base/types.h"

#include <iterator>

namespace hccl {

namespace {

struct Type {
    const char* name;
    size_t bytes;
};

// In the order of HcclDataType.
constexpr Type kTypes[] = {{"int8", 1},    {"int16", 2},    {"int32", 4},  {"float16", 2}, {"float32", 4},
                           {"int64", 8},   {"uint64", 8},   {"uint8", 1},  {"uint16", 2},  {"uint32", 4},
                           {"float64", 8}, {"bfloat16", 2}, {"int128", 16}};

// In the order of HcclReduceOp.
constexpr const char* kReductions[] = {"sum", "prod", "max", "min"};

}  // namespace

size_t BytesOf(HcclDataType type) {
    const auto index = static_cast<size_t>(type);
    return index < std::size(kTypes) ? kTypes[index].bytes : 0;
}

const char* NameOf(HcclDataType type) {
    const auto index = static_cast<size_t>(type);
    return index < std::size(kTypes) ? kTypes[index].name : nullptr;
}

const char* NameOf(HcclReduceOp reduction) {
    const auto index = static_cast<size_t>(reduction);
    return index < std::size(kReductions) ? kReductions[index] : nullptr;
}

}  // namespace hccl
