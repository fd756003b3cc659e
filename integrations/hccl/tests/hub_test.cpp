// Ranks that send what the hub cannot read, and a hub that ends before the ranks.
#include <gtest/gtest.h>
#include <poll.h>

#include <future>

#include "tests/hub.h"
#include "watch/member.h"

namespace hccl {
namespace {

const CallCheck kCheck = {std::chrono::seconds(20), std::chrono::seconds(20)};

Call Barrier(uint64_t number) {
    Call call;
    call.function = "HcclBarrier";
    call.number = number;
    return call;
}

// A hub of two ranks that the test plays. Rank 0 is in its process.
class PlayedHub {
  public:
    PlayedHub() {
        invitation.secret = NewSecret();
        invitation.address = "127.0.0.1";
        listener_ = Socket::Listen(invitation.address, invitation.port);
        // The rank is let in when it has connected.
        letting_in_ = std::thread([this] {
            pollfd asked = {listener_.descriptor(), POLLIN, 0};
            poll(&asked, 1, 20000);
            guest_ = listener_.Accept();
            guest_.Send(MessageHead{kWelcome, 0, 0, 0}, "");
        });
    }
    ~PlayedHub() { End(); }
    PlayedHub(const PlayedHub&) = delete;
    PlayedHub& operator=(const PlayedHub&) = delete;

    Invitation invitation = {};

    // After the rank has joined.
    void Send(MessageKind kind) {
        Join();
        guest_.Send(MessageHead{kind, 0, 0, 0}, "");
    }
    void End() {
        Join();
        guest_.Shutdown();
    }

  private:
    void Join() {
        if (letting_in_.joinable()) letting_in_.join();
    }

    Socket listener_;
    Socket guest_;
    std::thread letting_in_;
};

// Rank 1 joins rank 0, and sends bytes. Returns why rank 0 fails, and expects that rank 1 learns the same.
std::string FailureAfter(const std::string& bytes) {
    const Invitation invitation = NewHub();
    const Socket other = Socket::Connect(invitation.address, invitation.port, Soon());
    other.Send({kHello, 1, 2, 0}, std::string(invitation.secret.begin(), invitation.secret.end()) + kCallsMark);
    std::promise<std::string> ended;
    Member member(invitation, 0, 2, Soon(), kCheck);
    member.Listen([&](const Failure& failure) { ended.set_value(failure.what()); });
    other.Send(bytes.data(), bytes.size());
    auto end = ended.get_future();
    if (end.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return "rank 0 has not failed";
    std::string received;
    while (other.Receive(received)) {
    }
    const std::string text = end.get();
    EXPECT_NE(received.find(text), std::string::npos) << received;
    return text;
}

std::string Bytes(const MessageHead& head) {
    return std::string(reinterpret_cast<const char*>(&head), sizeof head);
}

TEST(Hub, AMessageThatCannotBeReadFailsAllRanks) {
    const std::string text =
        "a message from rank 1 cannot be read, or the host has no memory left for it; use one version";
    EXPECT_EQ(FailureAfter(Bytes({kTexts, 1, 0, UINT32_MAX})).rfind(text, 0), 0u);
    EXPECT_EQ(FailureAfter(Bytes({kCall, 1, 0, 5}) + "short").rfind(text, 0), 0u);
}

TEST(Hub, AnEndDuringTheExchangeIsNamed) {
    PlayedHub hub;
    Member member(hub.invitation, 1, 2, Soon());
    hub.End();
    try {
        member.Exchange({"a", "b"}, Soon());
        ADD_FAILURE() << "the exchange did not fail";
    } catch (const Failure& failure) {
        EXPECT_STREQ(failure.what(),
                     "the process that called HcclGetRootInfo has ended, or the connection to it was lost; create the "
                     "communicator again with a new rootInfo");
    }
}

TEST(Hub, ARankThatLeavesRunsNoOperationThatWaits) {
    PlayedHub hub;
    Member member(hub.invitation, 1, 2, Soon(), kCheck);
    member.Listen([](const Failure& failure) { ADD_FAILURE() << failure.what(); });
    std::thread leaver([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        member.Leave();
    });
    try {
        member.AwaitFit(Barrier(1));
        ADD_FAILURE() << "the operation may run";
    } catch (const Failure& failure) {
        EXPECT_EQ(std::string(failure.what()).rfind("this rank left the communicator while it waited", 0), 0u);
    }
    leaver.join();
}

TEST(Hub, ItsEndEndsTheCheckWithALine) {
    PlayedHub hub;
    Member member(hub.invitation, 1, 2, Soon(), kCheck);
    member.Listen([](const Failure& failure) { ADD_FAILURE() << failure.what(); });
    hub.Send(kGo);
    testing::internal::CaptureStderr();
    member.AwaitFit(Barrier(1));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    hub.Send(kHubLeaves);
    hub.End();
    testing::internal::CaptureStderr();
    member.AwaitFit(Barrier(2));
    member.AwaitFit(Barrier(3));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "portacl: collectives: the process of rank 0, which compared the calls of all ranks, has ended; rank 1 "
              "continues without this check from HcclBarrier (operation 2) on\n");
}

}  // namespace
}  // namespace hccl
