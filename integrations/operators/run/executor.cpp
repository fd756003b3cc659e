#include "run/executor.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_set>

#include "run/launch.h"
#include "run/status.h"

// An executor. It is never released, so that a used or dropped executor is recognized.
struct aclOpExecutor {
    operators::WorkPointer work;
    bool is_repeatable = false;
    // The number of operators that it served. It shows whether an entry of the queue below is outdated.
    uint64_t uses = 0;
};

namespace operators {

namespace {

// Programs that run the second phase on another thread run ahead of it: torch_npu by thousands of operators, on each
// device, before it waits.
constexpr size_t kMostWaiting = 65536;
// The number of outdated entries that the queue may have besides as many as it has others.
constexpr size_t kMostOutdated = 4096;
// The number of executors that must be free before one is used again, so that a handle that is used too late is
// recognized.
constexpr size_t kLeastFree = 4096;

// The executors that are prepared and not launched. Operators prepare and launch on several threads.
class Pool {
  public:
    aclOpExecutor* Add(WorkPointer work) {
        WorkPointer dropped;
        const std::lock_guard<std::mutex> lock(mutex_);
        aclOpExecutor& executor = Unused();
        executor.work = std::move(work);
        waiting_.emplace_back(&executor, ++executor.uses);
        if (++count_ > kMostWaiting) dropped = DropOldest();
        if (waiting_.size() > 2 * count_ + kMostOutdated) DropOutdated();
        return &executor;
    }

    // Takes the work that the second phase runs.
    WorkPointer Use(const char* name, aclOpExecutor* executor) {
        const std::lock_guard<std::mutex> lock(mutex_);
        aclOpExecutor& used = Find(executor);
        if (std::strcmp(used.work->name, name) != 0)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "executor is for ", used.work->name, "; pass one that ", name,
                          "GetWorkspaceSize returned");
        return used.is_repeatable ? Retain(*used.work) : Free(used);
    }

    void Repeat(aclOpExecutor* executor) {
        const std::lock_guard<std::mutex> lock(mutex_);
        aclOpExecutor& found = Find(executor);
        if (!found.is_repeatable) StopWaiting(found);
        found.is_repeatable = true;
    }

    WorkPointer Destroy(aclOpExecutor* executor) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return Free(Find(executor));
    }

    void Move(aclOpExecutor* executor, size_t index, void* address) {
        const std::lock_guard<std::mutex> lock(mutex_);
        aclOpExecutor& found = Find(executor);
        if (!found.is_repeatable)
            throw Refusal(ACLNN_ERR_PARAM_INVALID,
                          "executor serves one call only; call aclSetAclOpExecutorRepeatable first");
        auto& storages = found.work->storages;
        if (index >= storages.size())
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "index is ", index, "; it must be less than the number of tensors, ",
                          storages.size());
        storages[index] = address;
    }

  private:
    aclOpExecutor& Find(aclOpExecutor* executor) {
        NotNull("executor", executor);
        if (known_.count(executor) == 0 || executor->work == nullptr)
            throw Refusal(
                ACLNN_ERR_PARAM_INVALID,
                "executor is not valid: it was used by an earlier call, was destroyed, was dropped because ",
                kMostWaiting,
                " newer ones waited, or was never created; an executor serves one call and is then released, unless "
                "aclSetAclOpExecutorRepeatable was called before; for another call, call the GetWorkspaceSize function "
                "of the operator again");
        return *executor;
    }

    aclOpExecutor& Unused() {
        if (free_.size() <= kLeastFree) {
            aclOpExecutor& made = all_.emplace_back();
            known_.insert(&made);
            return made;
        }
        aclOpExecutor& executor = *free_.front();
        free_.pop_front();
        return executor;
    }

    WorkPointer Free(aclOpExecutor& executor) {
        if (!executor.is_repeatable) StopWaiting(executor);
        executor.is_repeatable = false;
        free_.push_back(&executor);
        return std::move(executor.work);
    }

    void StopWaiting(aclOpExecutor& executor) {
        ++executor.uses;
        --count_;
    }

    static bool IsOutdated(const std::pair<aclOpExecutor*, uint64_t>& entry) {
        return entry.first->uses != entry.second;
    }

    void DropOutdated() {
        waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), IsOutdated), waiting_.end());
    }

    WorkPointer DropOldest() {
        while (IsOutdated(waiting_.front())) waiting_.pop_front();
        aclOpExecutor& oldest = *waiting_.front().first;
        waiting_.pop_front();
        return Free(oldest);
    }

    std::mutex mutex_;
    std::deque<aclOpExecutor> all_;
    std::unordered_set<aclOpExecutor*> known_;
    std::deque<aclOpExecutor*> free_;
    // The executors that wait, in the order of their first phase, with their uses then. An entry is outdated if that
    // number has changed.
    std::deque<std::pair<aclOpExecutor*, uint64_t>> waiting_;
    // The number of entries that are not outdated.
    size_t count_ = 0;
};

// Returns the pool, which is never destroyed: threads of the process can outlive its static objects.
Pool& Executors() {
    static auto* const pool = new Pool;
    return *pool;
}

}  // namespace

aclOpExecutor* MakeExecutor(WorkPointer work) {
    finished.ReleaseAll();
    return Executors().Add(std::move(work));
}

aclnnStatus Launch(const char* name, aclOpExecutor* executor, aclrtStream stream) noexcept {
    return Guarded(name, [&] { LaunchWork(Executors().Use(name, executor), stream); });
}

}  // namespace operators

extern "C" {

aclnnStatus aclnnInit(const char*) {
    return ACL_SUCCESS;
}

aclnnStatus aclnnFinalize() {
    return ACL_SUCCESS;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    return operators::Guarded(__func__, [&] { operators::Executors().Repeat(executor); });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    return operators::Guarded(__func__, [&] { operators::Executors().Destroy(executor); });
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor*, void* addr) {
    return operators::Guarded(__func__, [&] { operators::Executors().Move(executor, index, addr); });
}

}  // extern "C"
