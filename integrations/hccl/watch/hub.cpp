#include "watch/hub.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/failure.h"
#include "watch/calls.h"
#include "watch/groups.h"
#include "watch/socket.h"
#include "watch/thread.h"

namespace hccl {

namespace {

// A connection that has not said hello by then is closed.
constexpr std::chrono::seconds kHelloTime(10);
// Connections that have not said hello. Further ones are closed at once.
constexpr size_t kMostStrangers = 1024;
// The bytes that one may send before its hello is complete.
constexpr size_t kMostHello = 4096;
// The pause when the process has no free descriptor.
constexpr std::chrono::milliseconds kAcceptPause(100);
// The ranks that are named as absent. The rest is counted.
constexpr size_t kMostAbsent = 16;

struct Guest {
    Socket socket;
    Clock::time_point until;
    std::string received;
    // kNoRank before its hello.
    uint32_t rank = kNoRank;
    bool is_gone = false;
};

class Hub {
  public:
    Hub(Socket listener, const Secret& secret) : listener_(std::move(listener)), secret_(secret) {}

    // Returns when the ranks that have joined have left.
    void Serve() {
        do {
            Wait();
        } while (!is_ended_.load() && (size_ == 0 || !guests_.empty()));
    }

    void End() {
        is_ended_.store(true);
        listener_.Shutdown();
    }

  private:
    void Wait() {
        std::vector<pollfd> asked = {{listener_.descriptor(), POLLIN, 0}};
        for (const auto& guest : guests_) asked.push_back({guest->socket.descriptor(), POLLIN, 0});
        constexpr int kTick = 1000;
        if (poll(asked.data(), asked.size(), kTick) < 0) return;
        for (size_t index = 1; index < asked.size(); index++) {
            if (asked[index].revents != 0) Attend(*guests_[index - 1]);
        }
        const Clock::time_point now = Clock::now();
        for (const auto& guest : guests_) guest->is_gone |= guest->rank == kNoRank && guest->until < now;
        guests_.erase(std::remove_if(guests_.begin(), guests_.end(), [](const auto& guest) { return guest->is_gone; }),
                      guests_.end());
        if (asked[0].revents != 0) LetIn(now + kHelloTime);
    }

    void LetIn(Clock::time_point until) {
        auto strangers = static_cast<size_t>(
            std::count_if(guests_.begin(), guests_.end(), [](const auto& guest) { return guest->rank == kNoRank; }));
        while (Socket accepted = listener_.Accept()) {
            if (++strangers > kMostStrangers) continue;
            guests_.push_back(std::make_unique<Guest>());
            guests_.back()->socket = std::move(accepted);
            guests_.back()->until = until;
        }
        if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(kAcceptPause);
    }

    void Attend(Guest& guest) {
        const bool is_open = guest.socket.Receive(guest.received);
        MessageHead head = {};
        std::string text;
        try {
            while (!guest.is_gone && TakeMessage(guest.received, head, text)) Handle(guest, head, text);
        } catch (const std::exception&) {
            // Another program has connected, or there is no memory.
            Expel(guest);
        }
        guest.is_gone |= guest.rank == kNoRank && guest.received.size() > kMostHello;
        if (is_open || guest.is_gone) return;
        guest.is_gone = true;
        if (guest.rank == kNoRank) return;
        Break(guest.rank,
              "the process of rank " + std::to_string(guest.rank) +
                  " has ended, or the connection to it was lost; read the error of that process, and create the "
                  "communicator again in all ranks");
    }

    // Ends the connection of one whose message cannot be handled. The others do not wait for a rank.
    void Expel(Guest& guest) noexcept {
        try {
            const std::string text =
                "a message from rank " + std::to_string(guest.rank) +
                " cannot be read, or the host has no memory left for it; use one version of "
                "portacl in all processes, or free memory on the host of the process that called "
                "HcclGetRootInfo; then create the communicator again with a new rootInfo in all ranks";
            if (guest.rank != kNoRank) guest.socket.Send({kFailed, guest.rank, HCCL_E_INTERNAL, 0}, text);
            if (guest.rank != kNoRank) Break(guest.rank, text);
        } catch (const std::bad_alloc&) {
            // They see no more than the end of its connections.
        }
        guest.is_gone = true;
    }

    // Reports a failure to the other ranks, and to those that join later.
    void Break(uint32_t rank, const std::string& text) {
        if (broken_.empty()) broken_ = text;
        SendAll({kFailed, rank, HCCL_E_REMOTE, 0}, text, rank);
    }

    void Handle(Guest& guest, const MessageHead& head, const std::string& text) {
        if (guest.rank == kNoRank) return Join(guest, head, text);
        if (head.kind == kTexts) return Collect(guest.rank, text);
        if (head.kind == kCall) return Compare(guest.rank, text);
        if (head.kind == kGroup) return Meet(guest.rank, head.rank, text);
        if (head.kind == kGroupAsk) {
            guest.socket.Send({kGroupAsk, head.rank, 0, 0}, groups_.Missing(guest.rank, head.rank, Calls()));
        }
        if (head.kind == kGroupEnd) Answer(groups_.Cancel(guest.rank, head.rank, Calls()));
        if (head.kind == kAsk) {
            guest.socket.Send({kMissing, 0, 0, 0}, is_complete_ && calls_ ? calls_->Missing(guest.rank) : Missing());
        }
        const std::string name = "rank " + std::to_string(guest.rank);
        if (head.kind == kFailed) Break(guest.rank, name + " has failed: " + text);
        if (head.kind != kLeave) return;
        guest.is_gone = true;
        if (!is_complete_ && broken_.empty()) {
            broken_ =
                name +
                " left before all ranks had joined; read the error of that rank, and create the communicator again on "
                "all ranks";
        }
        SendAll({kLeft, guest.rank, 0, 0}, "");
        if (is_complete_ && calls_) Apply(guest.rank, calls_->Leave(guest.rank));
        Answer(groups_.Leave(guest.rank));
        if (guest.rank == host_) SendAll({kHubLeaves, host_, 0, 0}, "");
    }

    const CallTable* Calls() const { return calls_ ? &*calls_ : nullptr; }

    void Meet(uint32_t rank, uint32_t number, const std::string& text) {
        auto call = GroupCall::Unpack(text);
        if (!is_complete_ || !call) throw Failure(HCCL_E_INTERNAL, "a call cannot be read");
        Answer(groups_.Arrive(rank, number, std::move(*call)));
    }

    void Answer(const std::vector<GroupTable::Answer>& answers) {
        for (const GroupTable::Answer& answer : answers) {
            for (const auto& guest : guests_) {
                if (guest->rank != answer.rank || guest->is_gone) continue;
                guest->socket.Send({kGroup, answer.number, answer.code, 0}, answer.text);
            }
        }
    }

    void Compare(uint32_t rank, const std::string& text) {
        auto call = Call::Unpack(text);
        if (!is_complete_ || !calls_) return;
        if (!call) throw Failure(HCCL_E_INTERNAL, "a call cannot be read");
        Apply(rank, calls_->Arrive(rank, std::move(*call)));
    }

    // Sends the ranks what follows from the call or the end of one.
    void Apply(uint32_t rank, const CallTable::Verdict& verdict) {
        LetGo(verdict.released);
        if (verdict.mismatch.text.empty()) return;
        if (broken_.empty()) broken_ = verdict.mismatch.text;
        SendAll({kMismatch, rank, HCCL_E_PARA, 0}, verdict.mismatch.Pack());
    }

    void LetGo(const std::vector<uint32_t>& ranks) {
        for (const auto& guest : guests_) {
            if (guest->is_gone || std::find(ranks.begin(), ranks.end(), guest->rank) == ranks.end()) continue;
            guest->socket.Send({kGo, guest->rank, 0, 0}, "");
        }
    }

    // Keeps the texts of a rank for the others, and distributes them when they are complete.
    void Collect(uint32_t rank, const std::string& text) {
        texts_.emplace(rank, text);
        if (texts_.size() < size_) return;
        const size_t length = text.size() / size_;
        for (const auto& guest : guests_) {
            if (guest->rank == kNoRank || guest->is_gone) continue;
            std::string own;
            for (const auto& [from, all] : texts_) own.append(all, std::min(guest->rank * length, all.size()), length);
            guest->socket.Send({kTexts, guest->rank, 0, 0}, own);
        }
        texts_.clear();
    }

    void Join(Guest& guest, const MessageHead& head, const std::string& text) {
        const bool knows = text.size() >= secret_.size() && std::equal(secret_.begin(), secret_.end(), text.begin());
        guest.is_gone = head.kind != kHello || !knows;
        if (guest.is_gone) return;
        const auto size = static_cast<uint32_t>(head.code);
        guest.is_gone = size == 0 || size > kMostRanks;
        if (guest.is_gone) return;
        const bool has_calls = text.find(kCallsMark, secret_.size()) != std::string::npos;
        if (size_ == 0) {
            joined_.resize(size_ = size);
            if (has_calls) calls_.emplace(size);
        }
        std::string refusal;
        HcclResult code = HCCL_E_PARA;
        if (size != size_) {
            refusal = "nRanks is " + std::to_string(size) + ", but another rank passed " + std::to_string(size_) +
                      "; pass the same number in all ranks";
        } else if (head.rank >= size_ || joined_[head.rank]) {
            refusal =
                "rank " + std::to_string(head.rank) +
                " has joined already; pass a different rank in each call, and a new rootInfo for each communicator";
        }
        if (refusal.empty() && has_calls != calls_.has_value()) {
            refusal = "PORTACL_CHECK=collectives (or all) is set for some ranks only; set it for all ranks or none";
        }
        if (refusal.empty() && !broken_.empty()) {
            refusal = broken_;
            code = HCCL_E_REMOTE;
        }
        if (!refusal.empty()) {
            guest.socket.Send({kFailed, head.rank, code, 0}, refusal);
            guest.is_gone = true;
            return;
        }
        guest.rank = head.rank;
        joined_[head.rank] = true;
        if (text.find(kHereMark, secret_.size()) != std::string::npos) host_ = head.rank;
        if (std::find(joined_.begin(), joined_.end(), false) != joined_.end()) return;
        is_complete_ = true;
        SendAll({kWelcome, host_, 0, 0}, "");
    }

    std::string Missing() const {
        std::string names;
        size_t count = 0;
        for (uint32_t rank = 0; rank < size_; rank++) {
            if (!joined_[rank] && ++count <= kMostAbsent) names += (names.empty() ? "" : ", ") + std::to_string(rank);
        }
        return count > kMostAbsent ? names + " and " + std::to_string(count - kMostAbsent) + " more" : names;
    }

    // Sends a message to all ranks but one.
    void SendAll(const MessageHead& head, const std::string& text, uint32_t but = kNoRank) {
        for (const auto& guest : guests_) {
            if (guest->rank == kNoRank || guest->rank == but || guest->is_gone) continue;
            guest->socket.Send(head, text);
        }
    }

    Socket listener_;
    Secret secret_;
    std::vector<std::unique_ptr<Guest>> guests_;
    std::vector<bool> joined_;
    // Of ranks that have sent them.
    std::map<uint32_t, std::string> texts_;
    // PORTACL_CHECK=collectives.
    std::optional<CallTable> calls_;
    GroupTable groups_;
    uint32_t size_ = 0;
    uint32_t host_ = kNoRank;
    bool is_complete_ = false;
    // Why ranks that join now are refused.
    std::string broken_;
    std::atomic<bool> is_ended_{false};
};

// It is never destroyed: a hub's thread can run until the process ends.
struct LiveHubs {
    std::mutex lock;
    std::map<Secret, std::shared_ptr<Hub>> hubs;
};

LiveHubs& Hubs() {
    static auto* const hubs = new LiveHubs;
    return *hubs;
}

}  // namespace

uint16_t StartHub(const std::string& address, const Secret& secret) {
    uint16_t port = 0;
    auto hub = std::make_shared<Hub>(Socket::Listen(address, port), secret);
    {
        const std::lock_guard<std::mutex> held(Hubs().lock);
        Hubs().hubs.emplace(secret, hub);
    }
    QuietThread([hub, secret] {
        hub->Serve();
        const std::lock_guard<std::mutex> held(Hubs().lock);
        Hubs().hubs.erase(secret);
    }).detach();
    return port;
}

bool IsHubHere(const Secret& secret) {
    const std::lock_guard<std::mutex> held(Hubs().lock);
    return Hubs().hubs.count(secret) != 0;
}

void EndHub(const Secret& secret) {
    const std::lock_guard<std::mutex> held(Hubs().lock);
    if (const auto found = Hubs().hubs.find(secret); found != Hubs().hubs.end()) found->second->End();
}

}  // namespace hccl
