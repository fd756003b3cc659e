// The division of an average. libhccl has no such reduction.
#include <portacl/portacl.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

#include "collective/collective.h"

namespace portacl_paddle {
namespace {

struct Float16 {
    aclFloat16 bits;

    explicit operator float() const { return aclFloat16ToFloat(bits); }
    explicit Float16(float value) : bits(aclFloatToFloat16(value)) {}
};

struct BFloat16 {
    std::uint16_t bits;

    explicit operator float() const {
        const std::uint32_t whole = static_cast<std::uint32_t>(bits) << 16;
        float value = 0;
        std::memcpy(&value, &whole, sizeof value);
        return value;
    }
    explicit BFloat16(float value) {
        std::uint32_t whole = 0;
        std::memcpy(&whole, &value, sizeof whole);
        constexpr std::uint16_t kNan = 0x7fc0;
        bits = std::isnan(value) ? kNan : static_cast<std::uint16_t>((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
    }
};

struct Division {
    std::size_t count;
    HcclDataType type;
    std::uint32_t by;
};

template <typename Number, typename Computed = Number>
void DivideAll(void* memory, const Division& division) {
    auto* const numbers = static_cast<Number*>(memory);
    const auto by = static_cast<Computed>(division.by);
    for (std::size_t index = 0; index < division.count; ++index) {
        numbers[index] = static_cast<Number>(static_cast<Computed>(numbers[index]) / by);
    }
}

struct TypeDivision {
    std::size_t bytes;
    void (*divide)(void* memory, const Division& division);
};

// In the order of HcclDataType.
constexpr TypeDivision kTypes[] = {{1, DivideAll<std::int8_t, std::int64_t>},
                                   {2, DivideAll<std::int16_t, std::int64_t>},
                                   {4, DivideAll<std::int32_t, std::int64_t>},
                                   {2, DivideAll<Float16, float>},
                                   {4, DivideAll<float>},
                                   {8, DivideAll<std::int64_t>},
                                   {8, DivideAll<std::uint64_t>},
                                   {1, DivideAll<std::uint8_t, std::uint64_t>},
                                   {2, DivideAll<std::uint16_t, std::uint64_t>},
                                   {4, DivideAll<std::uint32_t, std::uint64_t>},
                                   {8, DivideAll<double>},
                                   {2, DivideAll<BFloat16, float>}};
static_assert(std::size(kTypes) == HCCL_DATA_TYPE_INT128);

aclError Run(portaclTask, void* const* addresses, void* argument) {
    const auto& division = *static_cast<const Division*>(argument);
    kTypes[division.type].divide(addresses[0], division);
    return ACL_SUCCESS;
}

}  // namespace

aclError Divide(void* memory, std::size_t count, HcclDataType type, std::uint32_t by, aclrtStream stream) {
    if (by == 1 || count == 0) return ACL_SUCCESS;
    std::unique_ptr<Division> division(new (std::nothrow) Division{count, type, by});
    if (division == nullptr) return ACL_ERROR_BAD_ALLOC;
    const portaclTaskBuffer buffer = {memory, count * kTypes[type].bytes, PORTACL_TASK_READ_WRITE};
    portaclTaskOptions options = {};
    options.structSize = sizeof options;
    options.name = "division of an average";
    options.release = [](void* argument) { delete static_cast<Division*>(argument); };
    const aclError code = portaclLaunchTask(stream, Run, division.get(), &buffer, 1, &options);
    // The task owns it.
    if (code == ACL_SUCCESS) static_cast<void>(division.release());
    return code;
}

}  // namespace portacl_paddle
