// A hostile process: it speaks the protocol of the library's socket without the library, and so without the checks that
// an importing library makes.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "support/memory/ipc.h"
#include "support/process/message.h"

namespace portacl_test {

// The kinds of offers.
enum class OfferKind : uint32_t { kMemory = 0, kPhysical = 1, kEvent = 2, kNotify = 3 };

// A key, taken apart: pacl3-PROCESS-START-PLACE-DOOR-SECRET.
struct KeyParts {
    unsigned process = 0, door = 0, place = 0;
    unsigned long long start = 0;
    unsigned __int128 secret = 0;

    static KeyParts Of(const char* key) {
        KeyParts parts;
        char secret[21] = {};
        const int count = std::sscanf(key, "pacl3-%x-%llx-%x-%x-%20[0-9a-f]", &parts.process, &parts.start,
                                      &parts.place, &parts.door, secret);
        EXPECT_EQ(count, 5) << key;
        for (const char* at = secret; *at; ++at)
            parts.secret = parts.secret << 4 | static_cast<unsigned>(*at <= '9' ? *at - '0' : *at - 'a' + 10);
        return parts;
    }

    // Returns the name of the exporter's socket.
    std::string Name() const {
        char name[32];
        std::snprintf(name, sizeof name, "portacl-%08x", door);
        return name;
    }
    // Returns the path of the exporter's socket, whose process may have another id here.
    std::string Socket() const {
        const std::string name = Name();
        for (const std::string& process : NumbersIn("/proc"))
            if (const std::string path = SocketOf(process, name); !path.empty()) return path;
        ADD_FAILURE() << "no process has the socket " << name;
        return {};
    }
    uint32_t Short() const { return static_cast<uint32_t>(secret) & 0x3fffffff; }
};

inline sockaddr_un AddressOf(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

// Connects to the socket at this path. Returns false, and leaves the reason in errno, if the kernel refuses.
inline bool ConnectTo(int connection, const std::string& path) {
    const sockaddr_un address = AddressOf(path);
    return connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// When a process has started, in the kernel's ticks.
inline unsigned long long StartOf(pid_t process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    const std::string text((std::istreambuf_iterator<char>(stat)), {});
    // The process's name, in brackets, may contain anything.
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string field;
    for (int i = 0; i < 20; ++i) fields >> field;
    return std::stoull(field);
}

// Returns a socket of this process that importers take for one of the library, or -1.
inline int ListenAs(const std::string& name) {
    const TemporaryFolder folder;
    const std::string path = folder.At(name);
    const sockaddr_un address = AddressOf(path);
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const bool is_bound = bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    // Importers look for this descriptor.
    const bool is_open = open(path.c_str(), O_PATH | O_CLOEXEC) >= 0;
    unlink(path.c_str());
    return is_bound && is_open && listen(listener, 8) == 0 ? listener : -1;
}

// What the exporting process answers.
struct Answer {
    enum ReplyKind { kNothing, kNoConnection, kGranted, kRefused } kind = kNothing;
    std::string text;     // why it is refused
    int error = 0;        // why there is no connection
    bool file = false;    // whether a descriptor came with it
    uint64_t bytes = 0;   // the length of its file
    uint64_t stolen = 0;  // how often the file contains `wanted`
};

// Asks the socket for an offer: with the whole secret, or with the short number alone. Looks into a file that comes for
// a word. Calls `connected` between the connection and the request.
inline Answer Ask(const std::string& path, OfferKind kind, uint32_t number, const unsigned __int128* secret,
                  uint64_t wanted = 0, const std::function<void()>& connected = {}) {
    Answer answer;
    const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (!ConnectTo(connection, path)) {
        answer.error = errno;
        answer.kind = Answer::kNoConnection;
        close(connection);
        return answer;
    }
    if (connected) connected();
    char request[40] = {'p', 'o', 'r', 't', 'a', 'c', 'l', '3'};
    std::memcpy(request + 8, &kind, 4);
    std::memcpy(request + 12, &number, 4);
    request[16] = secret ? 1 : 0;
    if (secret) std::memcpy(request + 24, secret, 16);
    // The other side may have closed.
    (void)!send(connection, request, sizeof request, MSG_NOSIGNAL);
    char bytes[512] = {};
    int file = -1;
    const ssize_t got = ReceiveMessage(connection, bytes, sizeof bytes, &file);
    if (got > 8) {
        answer.kind = bytes[8] <= 1 ? Answer::kGranted : Answer::kRefused;
        if (answer.kind == Answer::kRefused) answer.text.assign(bytes + 9, static_cast<size_t>(got) - 9);
    }
    if (file >= 0) {
        answer.file = true;
        struct stat about {};
        if (fstat(file, &about) == 0) answer.bytes = static_cast<uint64_t>(about.st_size);
        std::vector<uint64_t> words(1 << 16);
        const size_t step = words.size() * sizeof words[0];
        // Only what has pages can contain a word.
        for (off_t at = lseek(file, 0, SEEK_DATA); wanted && at >= 0; at = lseek(file, at + off_t(step), SEEK_DATA)) {
            const ssize_t read = pread(file, words.data(), step, at);
            for (ssize_t i = 0; i < read / ssize_t(sizeof words[0]); ++i) answer.stolen += words[size_t(i)] == wanted;
        }
        close(file);
    }
    close(connection);
    return answer;
}

// Asks with the whole key.
inline Answer AskWithKey(const char* key, OfferKind kind, uint64_t wanted = 0) {
    const KeyParts parts = KeyParts::Of(key);
    return Ask(parts.Socket(), kind, parts.Short(), &parts.secret, wanted);
}

// Runs `body` in a forked child, which makes no call of this library. Returns false, and the reason, if `prepare` says
// one there; the body's failures are failures of this test.
inline bool InAnotherProcess(const std::function<std::string()>& prepare, const std::function<void()>& body,
                             std::string* reason) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        const std::string why = prepare();
        // A process is in its new process namespace only after another fork.
        const pid_t inner = why.empty() ? fork() : 0;
        if (inner == 0) {
            if (why.empty()) body();
            if (write(ends[1], why.data(), why.size()) < 0) _exit(3);
            std::fflush(stdout);
            _exit(testing::Test::HasFailure() ? 1 : 0);
        }
        int status = -1;
        waitpid(inner, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
    }
    close(ends[1]);
    char text[256];
    ssize_t got;
    reason->clear();
    while ((got = read(ends[0], text, sizeof text)) > 0) reason->append(text, static_cast<size_t>(got));
    close(ends[0]);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the hostile process: status " << status;
    return reason->empty();
}

// What hostile processes look for.
constexpr uint64_t kSecret = 0x5ec4e75ec4e75ec4;

inline void Fill(void* ptr, size_t size, uint64_t word) {
    const std::vector<uint64_t> words(size / sizeof word, word);
    ExpectOk("aclrtMemcpy", aclrtMemcpy(ptr, size, words.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
}

// Whether memory begins with this word.
inline bool Is(const void* ptr, uint64_t word) {
    uint64_t first = 0;
    ExpectOk("aclrtMemcpy", aclrtMemcpy(&first, sizeof first, ptr, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST));
    return first == word;
}

// The short number in a number.
inline uint32_t ShortOf(uint64_t number) {
    return static_cast<uint32_t>(number) & 0x3fffffff;
}

// Becomes another user. Returns why that is not possible.
inline std::string BecomeAnotherUser() {
    constexpr uid_t kOther = 12345;
    if (setgroups(0, nullptr) == 0 && setresgid(kOther, kOther, kOther) == 0 && setresuid(kOther, kOther, kOther) == 0)
        return {};
    return std::string("needs to become another user (root can): ") + std::strerror(errno);
}

// Lets the children of this process be in another process namespace. Returns why that is not possible.
inline std::string LeaveProcessNamespace() {
    if (unshare(CLONE_NEWPID) == 0) return {};
    return std::string("needs another process namespace (root can have one): ") + std::strerror(errno);
}

// Leaves the network namespace. Returns why that is not possible.
inline std::string LeaveNetworkNamespace() {
    if (unshare(CLONE_NEWNET) == 0) return {};
    return std::string("needs another network namespace (root can have one): ") + std::strerror(errno);
}

// The wrapper that starts a peer in a process namespace of its own, with a /proc of it.
inline std::vector<std::string> InOwnProcessNamespace() {
    return {"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"};
}

// The wrapper that starts a peer in a user namespace in which no user has a number.
inline std::vector<std::string> InUserNamespaceWithoutUsers() {
    return {"unshare", "--user"};
}

// Whether a program runs in this wrapper; if not, the reason.
inline bool Works(std::vector<std::string> wrapper, std::string* reason) {
    wrapper.push_back("true");
    const ProcessResult result = RunProcess("/usr/bin/env", wrapper);
    *reason = "needs " + wrapper[0] + " " + wrapper[1] + ": " + result.output;
    return result.exit_code == 0;
}

// Whether the kernel can make threads wait that write to memory (docs/sharing.md).
inline bool HoldsWritersBack() {
    constexpr int kUserModeOnly = 1;
    const auto number = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly));
    if (number < 0) return false;
    // The version, the features for files in memory, and room for the answer.
    uint64_t words[3] = {0xAA, 1 << 12 | 1, 0};
    const bool has = ioctl(number, 0xC018AA3F, words) == 0;
    close(number);
    return has;
}

}  // namespace portacl_test

// Skips the rest of a test if the kernel does not allow such a process.
#define NEEDS_WRAPPER(wrapper) \
    if (std::string why; !::portacl_test::Works(wrapper, &why)) GTEST_SKIP() << why
#define HOSTILE_PROCESS(prepare, ...) \
    if (std::string why; !::portacl_test::InAnotherProcess(prepare, __VA_ARGS__, &why)) GTEST_SKIP() << why
