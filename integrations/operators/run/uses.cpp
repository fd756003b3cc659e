#include "run/uses.h"

#include <algorithm>

#include "run/view.h"
#include "run/work.h"

namespace operators {

namespace {

// The maximum number of ranges. A view with more is described by its first byte.
constexpr size_t kMostRanges = 1024;

// A dimension that is not dense: its number of steps, and the bytes of each.
struct Steps {
    size_t count;
    size_t bytes;
};

// The elements of a view: equal ranges of memory, at the steps of each dimension.
struct Ranges {
    size_t bytes = 0;
    size_t count = 1;
    c10::SmallVector<Steps, 6> steps;

    explicit Ranges(const c10::TensorImpl& view) : bytes(view.itemsize()) {
        for (int64_t i = 0; i < view.dim(); ++i) {
            const auto size = static_cast<size_t>(view.sizes()[i]);
            const size_t step = static_cast<size_t>(view.strides()[i]) * view.itemsize();
            if (size == 0) count = 0;
            if (size > 1 && step > 0) steps.push_back({size, step});
        }
        std::sort(steps.begin(), steps.end(), [](const Steps& a, const Steps& b) { return a.bytes < b.bytes; });
        size_t dense = 0;
        while (dense < steps.size() && steps[dense].bytes <= bytes) {
            bytes += (steps[dense].count - 1) * steps[dense].bytes;
            ++dense;
        }
        steps.erase(steps.begin(), steps.begin() + dense);
        for (const Steps& each : steps) count = std::min(count * each.count, kMostRanges + 1);
    }

    // Returns the beginning of the range with this number.
    size_t Offset(size_t number) const {
        size_t offset = 0;
        for (const Steps& each : steps) {
            offset += number % each.count * each.bytes;
            number /= each.count;
        }
        return offset;
    }
};

uint32_t FlagsOf(Does does) {
    switch (does) {
        case Does::kRead:
            return 0;
        case Does::kMayRead:
            return PORTACL_USE_PARTLY;
        default:
            return PORTACL_PARAMETER_WRITTEN;
    }
}

// Adds the bytes of a view of ACL_INT4. With gaps between elements, some bytes are used in part or not at all.
template <typename Add>
void AddInt4(const c10::TensorImpl& view, Does does, const char* base, Add add) {
    if (view.numel() == 0) return;
    const int64_t first = view.storage_offset() / 2;
    const bool is_dense = Ranges(view).steps.empty();
    add(base + first, static_cast<size_t>(LastOf(view) / 2 - first + 1), is_dense ? does : Does::kMayRead);
}

}  // namespace

size_t UsesOf(uintptr_t address, void* const* storages, portaclUse* uses, size_t capacity) {
    const auto& work = *reinterpret_cast<const Work*>(address);
    size_t found = 0;
    const auto add = [&](const char* from, size_t bytes, Does does) {
        if (found < capacity) uses[found] = {from, bytes, FlagsOf(does)};
        ++found;
    };
    for (size_t i = 0; i < work.used.size(); ++i) {
        const auto* const view = work.used[i].view;
        const Does does = work.used[i].does;
        const auto* base = static_cast<const char*>(storages[i]);
        // The sizes of this tensor change while the operator runs.
        if (does == Does::kWriteStorage) {
            if (view->storage().nbytes() > 0) add(base, view->storage().nbytes(), does);
            continue;
        }
        if (c10::typeMetaToScalarType(view->dtype()) == kInt4) {
            AddInt4(*view, does, base, add);
            continue;
        }
        const char* first = base + static_cast<size_t>(view->storage_offset()) * view->itemsize();
        const Ranges ranges(*view);
        if (ranges.count > kMostRanges) {
            add(first, 0, does);
            continue;
        }
        for (size_t number = 0; number < ranges.count; ++number) add(first + ranges.Offset(number), ranges.bytes, does);
    }
    return found;
}

}  // namespace operators
