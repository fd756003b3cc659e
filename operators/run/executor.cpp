#include "run/executor.h"

#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <unordered_set>

#include "run/launch.h"
#include "run/status.h"

// Never released, so that a used or dropped executor is recognized.
struct aclOpExecutor {
    operators::WorkPointer work;
    bool is_repeatable = false;
    // Counts the operators that it served, so that an entry of the queue below can be outdated.
    uint64_t uses = 0;
};

namespace operators {

namespace {

constexpr size_t kMostWaiting = 1024;

// Prepared and not launched. Operators prepare and launch on several threads.
class Pool {
  public:
    aclOpExecutor* Add(WorkPointer work) {
        WorkPointer dropped;
        const std::lock_guard<std::mutex> lock(mutex_);
        aclOpExecutor* executor = nullptr;
        if (free_.empty()) {
            executor = &all_.emplace_back();
            known_.insert(executor);
        } else {
            executor = free_.back();
            free_.pop_back();
        }
        executor->work = std::move(work);
        waiting_.emplace_back(executor, ++executor->uses);
        if (waiting_.size() > kMostWaiting) dropped = DropOldest();
        return executor;
    }

    // What the second phase runs.
    WorkPointer Use(const char* name, aclOpExecutor* executor) {
        const std::lock_guard<std::mutex> lock(mutex_);
        aclOpExecutor& used = Find(executor);
        if (std::strcmp(used.work->name, name) != 0)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "executor is one of ", used.work->name);
        return used.is_repeatable ? Retain(*used.work) : Free(used);
    }

    void Repeat(aclOpExecutor* executor) {
        const std::lock_guard<std::mutex> lock(mutex_);
        aclOpExecutor& found = Find(executor);
        found.is_repeatable = true;
        ++found.uses;  // It is not dropped any more.
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
                          "executor is for one call; call aclSetAclOpExecutorRepeatable first");
        auto& storages = found.work->storages;
        if (index >= storages.size())
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "index is ", index, "; the operator has ", storages.size(),
                          " tensors");
        storages[index] = address;
    }

  private:
    aclOpExecutor& Find(aclOpExecutor* executor) {
        NotNull("executor", executor);
        if (known_.count(executor) == 0 || executor->work == nullptr)
            throw Refusal(ACLNN_ERR_PARAM_INVALID,
                          "executor is not prepared: it was used by an earlier call, destroyed, "
                          "or dropped because ",
                          kMostWaiting, " newer ones waited; call the first phase again");
        return *executor;
    }

    WorkPointer Free(aclOpExecutor& executor) {
        executor.is_repeatable = false;
        ++executor.uses;
        free_.push_back(&executor);
        if (waiting_.size() > 2 * free_.size()) DropOutdated();
        return std::move(executor.work);
    }

    void DropOutdated() {
        while (!waiting_.empty() && waiting_.front().first->uses != waiting_.front().second) waiting_.pop_front();
    }

    WorkPointer DropOldest() {
        DropOutdated();
        if (waiting_.size() <= kMostWaiting) return nullptr;
        aclOpExecutor& oldest = *waiting_.front().first;
        waiting_.pop_front();
        return Free(oldest);
    }

    std::mutex mutex_;
    std::deque<aclOpExecutor> all_;
    std::unordered_set<aclOpExecutor*> known_;
    std::vector<aclOpExecutor*> free_;
    // In order of their first phase, with their uses then: an entry is outdated if that has changed.
    std::deque<std::pair<aclOpExecutor*, uint64_t>> waiting_;
};

// Threads of the process can outlive its static objects.
Pool& Executors() {
    static auto* const pool = new Pool;
    return *pool;
}

}  // namespace

aclOpExecutor* MakeExecutor(WorkPointer work) {
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
