#include "engine/meshed.h"

#include <portacl/portacl.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>

#include "base/environment.h"
#include "engine/buffers.h"
#include "engine/call_of.h"

namespace hccl {

namespace {

// How long a failed operation waits for the hub to say which rank is the cause.
constexpr std::chrono::seconds kCauseTime(2);

// Whether operations of the stream go into a graph, which has an order of its own.
bool IsCaptured(aclrtStream stream) {
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    aclmdlRI graph = nullptr;
    return aclmdlRICaptureGetInfo(stream, &status, &graph) == ACL_SUCCESS && status != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
}

// The source line of the call, if PORTACL_CHECK_STACKS does not leave it out.
std::string PlaceOfCall() {
    if (!RecordsStacks()) return "";
    char place[512] = "";
    portaclCallSite(place, sizeof place);
    return place;
}

// A flag that is set while this lives.
class Flag {
  public:
    explicit Flag(std::atomic<bool>& flag) : flag_(flag) { flag_.store(true); }
    ~Flag() { flag_.store(false); }
    Flag(const Flag&) = delete;
    Flag& operator=(const Flag&) = delete;

  private:
    std::atomic<bool>& flag_;
};

class MeshedEngine : public Engine, public std::enable_shared_from_this<MeshedEngine> {
  public:
    MeshedEngine(std::unique_ptr<Mover> mover, std::unique_ptr<Member> member, std::string who, std::string about)
        : mover_(std::move(mover)), who_(std::move(who)), about_(std::move(about)), member_(std::move(member)) {}
    ~MeshedEngine() override;

    // The hub's messages come from now on.
    void Begin();
    void Enqueue(Operation operation, aclrtStream stream) override;
    std::shared_ptr<Engine> NewGroup(uint32_t rank, uint32_t size) override;
    std::string Share(GroupCall call, Clock::time_point deadline) override;
    void Destroy(const Failure& failure) noexcept override;
    HcclResult failure() const override { return failed_.load(); }

    // Runs an operation on host addresses, on a thread of its task. Throws the cause of a failure.
    void Run(const Operation& operation);
    void Leave() { member_->Leave(); }
    // Ends the communicator because of this rank, if it has not ended. From any thread.
    void Fail(const Failure& cause) noexcept;

  private:
    // PORTACL_CHECK=collectives: waits until the other ranks call what fits.
    void AwaitFit(const Operation& operation);
    void OrderBehindLast(aclrtStream stream);
    void Remember(aclrtStream stream);
    // Records why the communicator ends, and closes the connections. The first cause counts.
    void End(const Failure& cause);
    // The halves of End. Returns whether it is the first cause.
    bool Record(const Failure& cause);
    void EndRunning();
    std::optional<Failure> Cause() const;
    // Returns the cause of a failed operation: what the hub says of other ranks, else the failure itself.
    Failure CauseOf(const Failure& failure);

    const std::unique_ptr<Mover> mover_;
    const std::string who_;
    const std::string about_;
    // Held by the operation that runs.
    std::mutex running_;
    uint64_t number_ = 0;
    std::atomic<bool> is_running_{false};
    std::atomic<HcclResult> failed_{HCCL_SUCCESS};

    mutable std::mutex lock_;
    std::condition_variable changed_;
    std::optional<Failure> cause_;

    // Held while an operation is enqueued, so that the order is that of the calls.
    std::mutex enqueuing_;
    aclrtStream last_ = nullptr;
    // Recorded behind the last operation. Null before the first one.
    aclrtEvent order_ = nullptr;

    // The last member: its thread uses the others until it is destroyed.
    const std::unique_ptr<Member> member_;
};

// The user data of a task.
struct Pending {
    std::shared_ptr<MeshedEngine> engine;
    Operation operation;
    std::vector<portaclTaskBuffer> buffers;
    // In a graph it runs at each launch, or never.
    bool is_captured;
    bool has_run = false;
};

aclError RunTask(portaclTask task, void* const* addresses, void* user_data) {
    auto& pending = *static_cast<Pending*>(user_data);
    pending.has_run = true;
    try {
        pending.engine->Run(OnHost(pending.operation, pending.buffers, addresses));
        return ACL_SUCCESS;
    } catch (const Failure& failure) {
        const std::string text = std::string(pending.operation.call) + ": " + failure.what();
        portaclTaskFail(task, static_cast<aclError>(failure.code()), text.c_str());
        return static_cast<aclError>(failure.code());
    } catch (const std::exception& error) {
        // The ranks do not have the same operations any more.
        pending.engine->Fail(Failure(HCCL_E_INTERNAL, error.what()));
        portaclTaskFail(task, HCCL_E_INTERNAL, error.what());
        return HCCL_E_INTERNAL;
    }
}

void StopTask(void* user_data, portaclTaskState state) {
    if (state != PORTACL_TASK_DROPPED) return;
    const auto& pending = *static_cast<Pending*>(user_data);
    pending.engine->Fail(Failure(HCCL_E_INTERNAL, std::string("the stream was aborted or destroyed, or stopped "
                                                              "by a failure, while ") +
                                                      pending.operation.call + " ran; create another communicator"));
}

// The other ranks run the operation that a stream has dropped, so that later ones would not match.
void ReleaseTask(void* user_data) {
    const std::unique_ptr<Pending> pending(static_cast<Pending*>(user_data));
    if (pending->has_run || pending->is_captured) return;
    pending->engine->Fail(Failure(HCCL_E_INTERNAL, std::string(pending->operation.call) +
                                                       " was dropped before it ran, because its stream was aborted or "
                                                       "destroyed, or stopped by a failure; create another "
                                                       "communicator"));
}

// The engines of this process. A process that ends is no failure of its rank.
struct LiveEngines {
    std::mutex lock;
    std::set<MeshedEngine*> live;
};

LiveEngines& Engines() {
    static auto* const engines = new LiveEngines;
    return *engines;
}

void LeaveAll() {
    LiveEngines& engines = Engines();
    const std::lock_guard<std::mutex> held(engines.lock);
    for (MeshedEngine* engine : engines.live) engine->Leave();
}

MeshedEngine::~MeshedEngine() {
    {
        const std::lock_guard<std::mutex> held(Engines().lock);
        Engines().live.erase(this);
    }
}

void MeshedEngine::Begin() {
    static std::once_flag once;
    std::call_once(once, [] { std::atexit(LeaveAll); });
    {
        const std::lock_guard<std::mutex> held(Engines().lock);
        Engines().live.insert(this);
    }
    member_->Listen([this](const Failure& failure) { End(Failure(failure.code(), failure.what() + about_)); });
}

void MeshedEngine::Enqueue(Operation operation, aclrtStream stream) {
    const std::lock_guard<std::mutex> held(enqueuing_);
    if (const auto cause = Cause()) throw *cause;
    if (member_->compares_calls()) operation.place = PlaceOfCall();
    const bool is_captured = IsCaptured(stream);
    if (!is_captured) OrderBehindLast(stream);
    std::vector<portaclTaskBuffer> buffers = BuffersOf(operation);
    const std::string name = std::string(operation.call) + ", " + who_;
    portaclTaskOptions options = {};
    options.structSize = sizeof options;
    options.name = name.c_str();
    options.stop = StopTask;
    options.release = ReleaseTask;
    auto pending =
        std::make_unique<Pending>(Pending{shared_from_this(), std::move(operation), std::move(buffers), is_captured});
    const auto& given = pending->buffers;
    Succeed("portaclLaunchTask",
            portaclLaunchTask(stream, RunTask, pending.get(), given.data(), given.size(), &options));
    // The task owns it.
    static_cast<void>(pending.release());
    if (!is_captured) Remember(stream);
}

void MeshedEngine::OrderBehindLast(aclrtStream stream) {
    // A null stream is another one in each context.
    if (order_ == nullptr || (last_ == stream && stream != nullptr)) return;
    Succeed("aclrtStreamWaitEvent", aclrtStreamWaitEvent(stream, order_));
}

void MeshedEngine::Remember(aclrtStream stream) {
    if (order_ == nullptr) {
        Succeed("aclrtCreateEventExWithFlag", aclrtCreateEventExWithFlag(&order_, ACL_EVENT_SYNC));
    }
    Succeed("aclrtRecordEvent", aclrtRecordEvent(order_, stream));
    last_ = stream;
}

std::shared_ptr<Engine> MeshedEngine::NewGroup(uint32_t, uint32_t size) {
    if (const auto cause = Cause()) throw *cause;
    return size == 1 ? NewAloneEngine() : nullptr;
}

std::string MeshedEngine::Share(GroupCall call, Clock::time_point deadline) {
    call.place = PlaceOfCall();
    try {
        return member_->Share(call, deadline);
    } catch (const Failure&) {
        const auto cause = Cause();
        if (cause && !member_->has_left()) throw *cause;
        throw;
    }
}

void MeshedEngine::Run(const Operation& operation) {
    const std::lock_guard<std::mutex> held(running_);
    // An end of the communicator that comes later sees that this operation runs.
    const Flag running(is_running_);
    try {
        if (const auto cause = Cause()) throw *cause;
        if (member_->compares_calls()) AwaitFit(operation);
        mover_->Run(operation);
    } catch (const Failure& failure) {
        const Failure cause = CauseOf(failure);
        failed_.store(cause.code());
        throw cause;
    }
}

void MeshedEngine::AwaitFit(const Operation& operation) {
    Call call = CallOf(operation);
    call.number = ++number_;
    member_->AwaitFit(call);
    if (const auto cause = Cause()) throw *cause;
}

Failure MeshedEngine::CauseOf(const Failure& failure) {
    std::unique_lock<std::mutex> held(lock_);
    // The others wait as long for what this rank reports.
    const bool may_be_told = failure.code() == HCCL_E_REMOTE && !failure.is_overdue();
    if (may_be_told) changed_.wait_for(held, kCauseTime, [&] { return cause_.has_value(); });
    if (cause_) return *cause_;
    held.unlock();
    const std::string text = failure.what() + member_->Left();
    member_->ReportFailure(Failure(failure.code(), text));
    const Failure cause(failure.code(), text + about_);
    End(cause);
    return cause;
}

std::optional<Failure> MeshedEngine::Cause() const {
    const std::lock_guard<std::mutex> held(lock_);
    return cause_;
}

void MeshedEngine::End(const Failure& cause) {
    if (Record(cause)) EndRunning();
}

bool MeshedEngine::Record(const Failure& cause) {
    {
        const std::lock_guard<std::mutex> held(lock_);
        if (cause_) return false;
        cause_ = cause;
    }
    changed_.notify_all();
    return true;
}

void MeshedEngine::EndRunning() {
    member_->EndWaits();
    // Connections of which no operation needs anything are closed with the last reference: other ranks may still read.
    if (is_running_.load()) mover_->Close();
}

void MeshedEngine::Fail(const Failure& cause) noexcept {
    try {
        if (Cause()) return;
        member_->ReportFailure(cause);
        End(cause);
    } catch (const std::exception&) {
        // No memory for the text.
    }
}

void MeshedEngine::Destroy(const Failure& failure) noexcept {
    try {
        // The other ranks wait in the same operation.
        if (is_running_.load()) member_->ReportFailure(failure);
        // A wait that ends as this rank leaves finds the cause.
        const bool is_first = Record(failure);
        member_->Leave();
        if (is_first) EndRunning();
    } catch (const std::exception&) {
        // No memory for the text.
    }
    const std::lock_guard<std::mutex> held(enqueuing_);
    if (order_ != nullptr) aclrtDestroyEvent(order_);
    order_ = nullptr;
}

}  // namespace

std::shared_ptr<Engine> NewMeshedEngine(std::unique_ptr<Mover> mover, std::unique_ptr<Member> member, std::string who,
                                        std::string about) {
    auto engine = std::make_shared<MeshedEngine>(std::move(mover), std::move(member), std::move(who), std::move(about));
    engine->Begin();
    return engine;
}

}  // namespace hccl
