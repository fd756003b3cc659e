// Tests in two processes that communicate over a socket pair. The second one is a new process of
// the same program (never a fork), and runs the same test.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/process/message.h"
#include "support/process/proc.h"

namespace portacl_test {

// One end of the connection. Waiting for a message that does not come fails the test, and later
// waits fail at once; so a test that fails on one side ends on both.
class Connection {
  public:
    explicit Connection(int socket) : socket_(socket) {}
    ~Connection() { Close(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Sends a value of plain bytes, and optionally a descriptor.
    template <typename T>
    void Send(const T& value, int descriptor = -1) {
        SendBytes(&value, sizeof value, descriptor);
    }
    template <typename T>
    T Receive(int* descriptor = nullptr) {
        T value{};
        ReceiveBytes(&value, sizeof value, descriptor);
        return value;
    }

    // Notifies the other side that a step is complete, by its number.
    void Signal(int step) { Send(step); }
    void Await(int step) { EXPECT_EQ(Receive<int>(), step); }

    // Waits until the other side has ended or closed its end.
    void AwaitEnd() {
        char byte;
        EXPECT_TRUE(IsReadable());
        EXPECT_LE(recv(socket_, &byte, 1, 0), 0) << "another message instead of the end";
    }

    void Close() {
        if (socket_ >= 0) close(socket_);
        socket_ = -1;
    }

  private:
    bool IsReadable() {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(45);
        while (true) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
            pollfd wait{socket_, POLLIN, 0};
            const int ready = left.count() > 0 ? poll(&wait, 1, static_cast<int>(left.count())) : 0;
            if (ready < 0 && errno == EINTR) continue;
            return ready > 0;
        }
    }

    void SendBytes(const void* bytes, size_t size, int descriptor) {
        EXPECT_EQ(SendMessage(socket_, bytes, size, descriptor), static_cast<ssize_t>(size)) << std::strerror(errno);
    }

    void ReceiveBytes(void* bytes, size_t size, int* descriptor) {
        if (socket_ < 0) return;
        int received = -1;
        const bool readable = IsReadable();
        const ssize_t got = readable ? ReceiveMessage(socket_, bytes, size, &received) : -1;
        if (got != static_cast<ssize_t>(size)) {
            ADD_FAILURE() << (readable ? "the other process has ended or says something else"
                                       : "the other process says nothing");
            Close();
            return;
        }
        EXPECT_EQ(received >= 0, descriptor != nullptr) << "a descriptor with a message";
        if (descriptor) *descriptor = received;
    }

    int socket_;
};

constexpr int kPeerSocket = 100;
constexpr const char* kPeerMarker = "PORTACL_TEST_PEER";
// The last message of a peer whose part of the test has succeeded.
constexpr int kWell = 0x0e11;

// The other process, and this side of the connection to it.
class Peer : public Connection {
  public:
    // Whether this is the peer process of this test.
    static bool IsHere() {
        const char* inside = std::getenv(kPeerMarker);
        return inside && CurrentTest() == inside;
    }

    // `wrapper` is a program that starts the peer, with its arguments: it execs the rest of its command line.
    explicit Peer(const Settings& settings = {}, const std::vector<std::string>& wrapper = {})
        : Peer(Spawn(settings, wrapper)) {}
    ~Peer() {
        if (child_ > 0) Kill();
    }

    // Checks that the peer exits without a failure.
    void Join() {
        Await(kWell);
        Close();
        int status = -1;
        Wait(&status);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    }

    // Stops the peer, as SIGSTOP does, and returns when it has stopped.
    void Stop() {
        int status = 0;
        if (!SendSignal(SIGSTOP)) return;
        while (waitpid(child_, &status, WUNTRACED) < 0 && errno == EINTR) {
        }
        EXPECT_TRUE(WIFSTOPPED(status)) << "it has ended: status " << status;
        if (!WIFSTOPPED(status)) child_ = -1;
    }
    void Continue() { SendSignal(SIGCONT); }

    // Kills the peer, wherever it is.
    void Kill() {
        if (!SendSignal(SIGKILL)) return;
        int status = -1;
        Wait(&status);
        EXPECT_TRUE(WIFSIGNALED(status)) << "it had ended before: status " << status;
        Close();
    }

  private:
    struct Process {
        int socket;
        pid_t child;
    };
    explicit Peer(Process process) : Connection(process.socket), child_(process.child) {}

    static Process Spawn(Settings settings, const std::vector<std::string>& wrapper) {
        const std::string name = CurrentTest();
        settings.emplace_back(kPeerMarker, name);
        std::vector<std::string> arguments = wrapper;
        // In a wrapper the link would be the wrapper.
        arguments.push_back(wrapper.empty() ? "/proc/self/exe" : std::filesystem::read_symlink("/proc/self/exe"));
        for (const std::string& one :
             {"--gtest_filter=" + name, std::string("--gtest_color=no"), std::string("--gtest_brief=1")})
            arguments.push_back(one);
        const std::vector<std::string> environment = Environment(settings);
        std::vector<char*> argv = Pointers(arguments), envp = Pointers(environment);
        int ends[2] = {-1, -1};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], kPeerSocket);
        pid_t child = -1;
        const int refused = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), envp.data());
        EXPECT_EQ(refused, 0) << std::strerror(refused);
        if (refused != 0) child = -1;
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        return {ends[0], child};
    }

    // Sends a signal to no other process than the peer: kill() takes 0 and -1 for whole groups.
    bool SendSignal(int signal) const {
        EXPECT_GT(child_, 0) << "the other process was not started, or has ended";
        return child_ > 0 && kill(child_, signal) == 0;
    }

    void Wait(int* status) {
        while (waitpid(child_, status, 0) < 0 && errno == EINTR) {
        }
        child_ = -1;
    }

    pid_t child_;
};

// Imports what a killed process has left.
template <typename Offer>
Offer OfferOfKilledProcess() {
    Peer peer;
    const auto offer = peer.Receive<Offer>();
    peer.Kill();
    return offer;
}

// A stream whose wait for a notify or an event of several processes does not end, although the library checks it, and
// whether the other processes are alive. Its thread sleeps after each check, a millisecond at most, and looks for the
// processes each 20 ms: this number of checks contains two such looks.
inline void ExpectStillWaits(aclrtStream stream) {
    constexpr long kChecks = 60;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    // The thread is found once it has begun, and named itself.
    for (long first = -1, now = -1; first < 0 || now < first + kChecks;) {
        if (IsIdle(stream)) break;
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the library does not check the wait";
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const auto threads = ThreadsOfTheLibrary();
        const auto watcher = threads.find("portacl-watcher");
        if (watcher != threads.end()) now = Sleeps(watcher->second);
        if (first < 0) first = now;
    }
    EXPECT_FALSE(IsIdle(stream));
}

// Runs the part of the test that runs in the other process.
inline void RunAsPeer(void (*body)(Connection&)) {
    Connection parent(kPeerSocket);
    body(parent);
    if (!testing::Test::HasFailure()) parent.Send(kWell);
}

}  // namespace portacl_test

// TWO_PROCESS_TEST(suite, name, there) { what this process does }: each Peer that it creates is a
// process that calls there(parent).
#define TWO_PROCESS_TEST(suite, name, there)  \
    static void suite##_##name##_Here();      \
    TEST(suite, name) {                       \
        if (::portacl_test::Peer::IsHere())   \
            ::portacl_test::RunAsPeer(there); \
        else                                  \
            suite##_##name##_Here();          \
    }                                         \
    static void suite##_##name##_Here()
