#include "watch/member.h"

#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "watch/thread.h"

namespace hccl {

namespace {

// How long the hub may take to say who is missing.
constexpr std::chrono::seconds kAnswerTime(2);
// How long a message may take that the hub has sent already.
constexpr std::chrono::milliseconds kMoment(20);
// The text of a refused group has an advice for its case.
constexpr char kAdviceOfGroups[] = "to mend it: let all members create the same group";
// How long the hub may take to close the connection of a rank that leaves.
constexpr int kLeaveTime = 500;

}  // namespace

Member::Member(const Invitation& invitation, uint32_t rank, uint32_t size, Clock::time_point deadline,
               std::optional<CallCheck> check)
    : rank_(rank), check_(check), is_hub_here_(IsHubHere(invitation.secret)) {
    socket_ = Socket::Connect(invitation.address, invitation.port, deadline);
    std::string text(invitation.secret.begin(), invitation.secret.end());
    if (is_hub_here_) text += kHereMark;
    if (check_) text += kCallsMark;
    socket_.Send({kHello, rank, static_cast<int32_t>(size), 0}, text);
    AwaitWelcome(invitation, deadline);
}

Member::~Member() {
    Leave();
    if (thread_.joinable()) thread_.join();
}

void Member::AwaitWelcome(const Invitation& invitation, Clock::time_point deadline) {
    MessageHead head = {};
    std::string text;
    while (Await(head, text, deadline)) {
        if (head.kind == kWelcome) {
            host_ = head.rank;
            return;
        }
        if (head.kind == kFailed) throw Failure(static_cast<HcclResult>(head.code), text);
    }
    const std::string at = invitation.address + " port " + std::to_string(invitation.port);
    if (Clock::now() < deadline) {
        throw Failure(HCCL_E_REMOTE,
                      "the process that called HcclGetRootInfo has ended, or closed the connection of this process (" +
                          at + "); check that it runs, and create the communicator again with a new rootInfo");
    }
    socket_.Send({kAsk, rank_, 0, 0}, "");
    text.clear();
    while (Await(head, text, Clock::now() + kAnswerTime) && head.kind != kMissing) {
    }
    // The others wait on, and name the same ranks.
    Leave();
    throw Failure(HCCL_E_INTERNAL,
                  "some ranks have not joined in time: " + (text.empty() ? "their numbers are unknown" : text) +
                      "; check that their processes run and reach " + at +
                      ", or set HCCL_CONNECT_TIMEOUT to more seconds");
}

bool Member::Await(MessageHead& head, std::string& text, Clock::time_point deadline) {
    for (;;) {
        if (TakeMessage(received_, head, text)) return true;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() < 0) return false;
        pollfd asked = {socket_.descriptor(), POLLIN, 0};
        if (poll(&asked, 1, static_cast<int>(left.count()) + 1) > 0 && !socket_.Receive(received_)) {
            return TakeMessage(received_, head, text);
        }
    }
}

void Member::CheckOthers() {
    MessageHead head = {};
    std::string text;
    while (Await(head, text, Clock::now() + kMoment)) {
        if (head.kind == kFailed) throw Failure(static_cast<HcclResult>(head.code), text);
    }
}

std::vector<std::string> Member::Exchange(const std::vector<std::string>& texts, Clock::time_point deadline) {
    std::string all;
    for (const std::string& text : texts) all += text;
    socket_.Send({kTexts, rank_, 0, 0}, all);
    MessageHead head = {};
    std::string text;
    while (Await(head, text, deadline)) {
        if (head.kind == kFailed) throw Failure(static_cast<HcclResult>(head.code), text);
        if (head.kind != kTexts) continue;
        if (text.size() != all.size()) {
            throw Failure(HCCL_E_INTERNAL,
                          "the ranks use different versions of Gloo; install one version of Gloo for "
                          "all processes");
        }
        std::vector<std::string> theirs;
        const size_t length = text.size() / texts.size();
        for (size_t rank = 0; rank < texts.size(); rank++) theirs.push_back(text.substr(rank * length, length));
        return theirs;
    }
    if (Clock::now() < deadline) {
        throw Failure(HCCL_E_REMOTE,
                      "the process that called HcclGetRootInfo has ended, or the connection to it was lost; create the "
                      "communicator again with a new rootInfo");
    }
    throw Failure(HCCL_E_REMOTE,
                  "a rank has not sent its address in time; check that all ranks run, or set HCCL_CONNECT_TIMEOUT to "
                  "more seconds");
}

std::string Member::Left() const {
    const std::lock_guard<std::mutex> held(lock_);
    std::string names;
    for (const uint32_t rank : left_)
        names += (names.empty() ? "; ranks that have left: " : ", ") + std::to_string(rank);
    return names;
}

void Member::Listen(OnEnd on_end) {
    thread_ = QuietThread([this, on_end = std::move(on_end)] {
        Run(on_end);
        // The engine knows the cause.
        EndWaits();
    });
}

void Member::Run(const OnEnd& on_end) {
    MessageHead head = {};
    std::string text;
    bool has_hub_left = false;
    try {
        do {
            while (TakeMessage(received_, head, text)) {
                if (head.kind == kHubLeaves) has_hub_left = true;
                Take(head, text);
                if (has_left_.load()) continue;
                if (const auto failure = FailureOf(head, text)) return on_end(*failure);
            }
        } while (socket_.Receive(received_));
    } catch (const Failure& failure) {
        return on_end(failure);
    }
    if (has_left_.load()) return;
    if (has_hub_left) {
        const std::lock_guard<std::mutex> held(lock_);
        is_unchecked_ = true;
        is_hub_gone_ = true;
        return;
    }
    const std::string name = host_ == kNoRank ? "that called HcclGetRootInfo" : "of rank " + std::to_string(host_);
    on_end(Failure(HCCL_E_REMOTE, "the process " + name +
                                      " has ended, or the connection to it was lost; read the error of that process, "
                                      "and create the communicator again with a new rootInfo"));
}

std::optional<Failure> Member::FailureOf(const MessageHead& head, const std::string& text) {
    const auto code = static_cast<HcclResult>(head.code);
    if (head.kind == kFailed) return Failure(code, text);
    const auto mismatch = head.kind == kMismatch ? Mismatch::Unpack(text) : std::nullopt;
    if (!mismatch) return std::nullopt;
    // The program may end when it sees the failure.
    Report(*mismatch, check_ ? check_->about : "");
    return Failure(code, mismatch->text);
}

void Member::ReportWait(const FoundOperation& operation, const std::string& call, const std::string& missing) const {
    Report(PORTACL_FINDING_LONG_WAIT, "rank " + std::to_string(rank_) + " waits in " + call + ": " + missing,
           check_->about, "to end it: let all ranks make calls that match", {operation});
}

void Member::Take(const MessageHead& head, const std::string& text) {
    const std::lock_guard<std::mutex> held(lock_);
    if (head.kind == kLeft) left_.insert(head.rank);
    if (head.kind == kGo) may_go_ = true;
    if (head.kind == kMissing) missing_ = text;
    if (const auto found = shared_.find(head.rank); found != shared_.end()) {
        if (head.kind == kGroup) found->second.answer.emplace(static_cast<HcclResult>(head.code), text);
        if (head.kind == kGroupAsk) found->second.missing = text;
    }
    changed_.notify_all();
}

void Member::AwaitFit(const Call& call) {
    socket_.Send({kCall, rank_, 0, 0}, call.Pack());
    const Clock::time_point begin = Clock::now();
    const Clock::time_point deadline = begin + check_->patience;
    Clock::time_point notice = begin + check_->notice;
    const auto is_done = [&] { return may_go_ || is_over_; };
    std::unique_lock<std::mutex> held(lock_);
    while (!changed_.wait_until(held, std::min(notice, deadline), is_done)) {
        const std::string missing = AskMissing(held);
        if (is_done()) break;
        held.unlock();
        if (Clock::now() >= deadline) {
            const std::string what = "other ranks made no call that matches " + call.Text() + " within " +
                                     std::to_string(check_->patience.count() / 1000) + " s: " + missing;
            const std::string advice = "let all ranks make calls that match, or set HCCL_EXEC_TIMEOUT to more seconds";
            Report(PORTACL_FINDING_COLLECTIVES, what, check_->about, "to mend it: " + advice, {Found(rank_, call)});
            throw Failure(HCCL_E_REMOTE, what + "; " + advice);
        }
        ReportWait(Found(rank_, call), call.Text(), missing);
        held.lock();
        notice = deadline;
    }
    if (std::exchange(may_go_, false)) return;
    const bool is_news = std::exchange(is_unchecked_, false);
    held.unlock();
    if (has_left_.load()) {
        throw Failure(HCCL_E_INTERNAL,
                      "this rank left the communicator while it waited for calls of other ranks that match " +
                          call.Text() + "; synchronize the stream before the process ends");
    }
    if (!is_news) return;
    std::fprintf(
        stderr,
        "portacl: collectives: the process of rank %u, which compared the calls of all ranks, has ended; rank %u "
        "continues without this check from %s on\n",
        host_, rank_, call.Text().c_str());
}

std::string Member::AskMissing(std::unique_lock<std::mutex>& held) {
    missing_.reset();
    held.unlock();
    socket_.Send({kAsk, rank_, 0, 0}, "");
    held.lock();
    changed_.wait_for(held, kAnswerTime, [&] { return missing_ || may_go_ || is_over_; });
    return missing_.value_or("it is not known which ranks are missing");
}

bool Member::AwaitAnswer(uint32_t number, const GroupCall& call, Clock::time_point deadline,
                         std::unique_lock<std::mutex>& held) {
    Shared& shared = shared_.at(number);
    const auto is_done = [&] { return shared.answer || is_over_; };
    const Clock::time_point notice = check_ ? Clock::now() + check_->notice : deadline;
    if (changed_.wait_until(held, std::min(notice, deadline), is_done)) return shared.answer.has_value();
    if (notice < deadline) {
        held.unlock();
        socket_.Send({kGroupAsk, number, 0, 0}, "");
        held.lock();
        changed_.wait_for(held, kAnswerTime, [&] { return shared.missing || is_done(); });
        if (shared.missing && !is_done()) {
            const std::string text = *shared.missing;
            held.unlock();
            ReportWait(Found(rank_, call), call.Text(), text);
            held.lock();
        }
        if (changed_.wait_until(held, deadline, is_done)) return shared.answer.has_value();
    }
    // The answer names the missing members, or those with another group.
    held.unlock();
    socket_.Send({kGroupEnd, number, 0, 0}, "");
    held.lock();
    changed_.wait_for(held, kAnswerTime, is_done);
    return shared.answer.has_value();
}

std::string Member::Share(const GroupCall& call, Clock::time_point deadline) {
    std::unique_lock<std::mutex> held(lock_);
    const uint32_t number = ++last_shared_;
    shared_[number];
    held.unlock();
    socket_.Send({kGroup, number, 0, 0}, call.Pack());
    held.lock();
    const bool has_answer = AwaitAnswer(number, call, deadline, held);
    const Shared shared = std::move(shared_.extract(number).mapped());
    const bool is_over = is_over_;
    const bool is_hub_gone = is_hub_gone_;
    held.unlock();
    if (has_answer && shared.answer->first == HCCL_SUCCESS) return shared.answer->second;
    if (has_answer) {
        const auto& [code, why] = *shared.answer;
        if (check_) Report(PORTACL_FINDING_COLLECTIVES, why, check_->about, kAdviceOfGroups, {Found(rank_, call)});
        throw Failure(code, why);
    }
    if (has_left()) {
        throw Failure(HCCL_E_INTERNAL,
                      "the communicator was destroyed while this call waited for the other members; call "
                      "HcclCommDestroy when this call has returned");
    }
    if (is_over && is_hub_gone) {
        throw Failure(HCCL_E_REMOTE,
                      "the process of rank " + std::to_string(host_) +
                          ", which connects the members, has ended; end that process after this call, or "
                          "use HcclGetRootInfo and HcclCommInitRootInfo");
    }
    throw Failure(HCCL_E_REMOTE,
                  "the process that called HcclGetRootInfo for the communicator does not answer; check that it runs, "
                  "or set HCCL_CONNECT_TIMEOUT to more seconds");
}

void Member::EndWaits() {
    const std::lock_guard<std::mutex> held(lock_);
    is_over_ = true;
    changed_.notify_all();
}

void Member::ReportFailure(const Failure& failure) {
    socket_.Send({kFailed, rank_, failure.code(), 0}, failure.what());
}

void Member::Leave() {
    if (has_left_.exchange(true)) return;
    // A forked child has no connection any more.
    const bool is_sent = socket_.Send({kLeave, rank_, 0, 0}, "");
    if (is_sent && is_hub_here_) {
        // The process can end next, and the hub with it.
        pollfd asked = {socket_.descriptor(), POLLRDHUP, 0};
        poll(&asked, 1, kLeaveTime);
    }
    socket_.Shutdown();
}

}  // namespace hccl
