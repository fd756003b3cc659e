// A rank's connection to the hub of its communicator.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/failure.h"
#include "watch/calls.h"
#include "watch/findings.h"
#include "watch/groups.h"
#include "watch/hub.h"
#include "watch/socket.h"

namespace hccl {

// How a rank compares its calls with those of others.
struct CallCheck {
    // How long a call may wait for the others.
    std::chrono::milliseconds patience;
    // After what time the wait is reported.
    std::chrono::milliseconds notice;
    // Which ranks they are, if the communicator is a group; for texts.
    std::string about = "";
};

class Member {
  public:
    // Called once at most, on a thread of the library: another rank has failed, or its process has ended.
    using OnEnd = std::function<void(const Failure&)>;

    // Joins, and waits until all ranks have. Throws a Failure that names the missing ones.
    Member(const Invitation& invitation, uint32_t rank, uint32_t size, Clock::time_point deadline,
           std::optional<CallCheck> check = std::nullopt);
    // Leaves: the end of this rank is no failure then.
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    // Throws a failure of another rank that has arrived. Only before Listen.
    void CheckOthers();
    // Sends a text of one length to each rank, and returns theirs to this one. All ranks do. Only before Listen, once.
    std::vector<std::string> Exchange(const std::vector<std::string>& texts, Clock::time_point deadline);
    // Begins to listen.
    void Listen(OnEnd on_end);
    bool compares_calls() const { return check_.has_value(); }
    // Waits until the other ranks have made calls that fit, or the communicator fails. Throws a Failure that names the
    // missing ones if they do not, and one if this rank leaves. One at a time, after Listen.
    void AwaitFit(const Call& call);
    // Waits until all members of a group call this, and returns what its root passes. Throws a Failure that names the
    // missing ones. After Listen.
    std::string Share(const GroupCall& call, Clock::time_point deadline);
    // Ends AwaitFit and Share, now and later.
    void EndWaits();
    // Whether this rank has left.
    bool has_left() const { return has_left_.load(); }
    // Returns "; ranks that have left: 1, 2", or an empty text.
    std::string Left() const;
    // Reports to the other ranks that this one has failed.
    void ReportFailure(const Failure& failure);
    // As the destructor, from any thread. Returns when the hub knows, if it is in this process.
    void Leave();

  private:
    void AwaitWelcome(const Invitation& invitation, Clock::time_point deadline);
    // Returns false if nothing arrives until then, or the connection has ended.
    bool Await(MessageHead& head, std::string& text, Clock::time_point deadline);
    void Run(const OnEnd& on_end);
    // Takes what the hub sends while the ranks run.
    void Take(const MessageHead& head, const std::string& text);
    // Returns which ranks the call of this one waits for.
    std::string AskMissing(std::unique_lock<std::mutex>& held);
    // Returns the failure of which a message of the hub says, and reports a mismatch.
    std::optional<Failure> FailureOf(const MessageHead& head, const std::string& text);
    // Reports a wait of a call for other ranks.
    void ReportWait(const FoundOperation& operation, const std::string& call, const std::string& missing) const;
    // Of Share: waits for the hub's answer, and returns whether it is there.
    bool AwaitAnswer(uint32_t number, const GroupCall& call, Clock::time_point deadline,
                     std::unique_lock<std::mutex>& held);

    uint32_t rank_;
    uint32_t host_ = kNoRank;
    Socket socket_;
    std::string received_;
    // Of other ranks.
    mutable std::mutex lock_;
    std::set<uint32_t> left_;
    // Of AwaitFit.
    const std::optional<CallCheck> check_;
    std::condition_variable changed_;
    bool may_go_ = false;
    bool is_over_ = false;
    std::optional<std::string> missing_;
    // Nothing compares the calls any more, and no line has said so.
    bool is_unchecked_ = false;
    // Of Share: by the number of the call, the hub's answer, and which members are missing.
    struct Shared {
        std::optional<std::pair<HcclResult, std::string>> answer;
        std::optional<std::string> missing;
    };
    std::map<uint32_t, Shared> shared_;
    uint32_t last_shared_ = 0;
    bool is_hub_gone_ = false;
    std::atomic<bool> has_left_{false};
    bool is_hub_here_;
    std::thread thread_;
};

}  // namespace hccl
