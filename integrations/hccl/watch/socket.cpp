#include "watch/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "base/failure.h"

namespace hccl {

namespace {

// The longest text of a message. A longer one is not from this library.
constexpr uint32_t kMostText = 1 << 20;
// The pause between attempts to connect.
constexpr std::chrono::milliseconds kConnectPause(20);
// How long a send waits for a reader.
constexpr timeval kPatience = {5, 0};
// Descriptors below are left to the program, as those of the runtime.
constexpr int kLowest = 100;

std::string Named(const char* call, int error) {
    return std::string(call) + ": " + std::strerror(error);
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Returns a literal address for the system.
Addresses Resolve(const std::string& address, uint16_t port) {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (error != 0) throw Failure(HCCL_E_PARA, "\"" + address + "\" is not an address: " + gai_strerror(error));
    return Addresses(found, freeaddrinfo);
}

Socket New(int family) {
    Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) throw Failure(HCCL_E_INTERNAL, Named("socket", errno));
    return socket;
}

// Waits until a connection that was begun is made. Returns the error.
int Finish(const Socket& socket, Clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd asked = {socket.descriptor(), POLLOUT, 0};
    if (left.count() <= 0 || poll(&asked, 1, static_cast<int>(left.count())) <= 0) return ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length);
    return error;
}

// The descriptors of this process. It is never destroyed: sockets live until the process ends.
struct Descriptors {
    std::mutex lock;
    std::set<int> open;
};

Descriptors& Own() {
    static auto* const own = new Descriptors;
    return *own;
}

// A forked child drops its copies: the others see the end of a rank by the end of its connections, and the rank is its
// parent. The numbers stay in use, so that no file of the child gets them.
void DropInChild() {
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int descriptor : Own().open) {
        if (none >= 0) dup3(none, descriptor, O_CLOEXEC);
    }
    if (none >= 0) close(none);
    Own().lock.unlock();
}

void Keep(int descriptor) {
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork([] { Own().lock.lock(); }, [] { Own().lock.unlock(); }, DropInChild); });
    const std::lock_guard<std::mutex> held(Own().lock);
    Own().open.insert(descriptor);
}

}  // namespace

Socket::Socket(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) return;
    const int moved = descriptor < kLowest ? fcntl(descriptor, F_DUPFD_CLOEXEC, kLowest) : -1;
    if (moved >= 0) {
        close(descriptor);
        descriptor_ = moved;
    }
    Keep(descriptor_);
}

Socket& Socket::operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

Socket::~Socket() {
    if (descriptor_ < 0) return;
    const std::lock_guard<std::mutex> held(Own().lock);
    Own().open.erase(descriptor_);
    close(descriptor_);
}

Socket Socket::Listen(const std::string& address, uint16_t& port) {
    constexpr int kBacklog = 4096;
    const Addresses at = Resolve(address, 0);
    Socket socket = New(at->ai_family);
    sockaddr_storage own = {};
    socklen_t length = sizeof own;
    if (bind(socket.descriptor(), at->ai_addr, at->ai_addrlen) != 0 || listen(socket.descriptor(), kBacklog) != 0 ||
        getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&own), &length) != 0) {
        throw Failure(HCCL_E_INTERNAL,
                      Named("no socket can listen", errno) + " (address " + address +
                          "); set another address with HCCL_IF_IP or HCCL_SOCKET_IFNAME (HcclCommInitAll "
                          "always listens at 127.0.0.1)");
    }
    const bool is_four = own.ss_family == AF_INET;
    port =
        ntohs(is_four ? reinterpret_cast<sockaddr_in&>(own).sin_port : reinterpret_cast<sockaddr_in6&>(own).sin6_port);
    fcntl(socket.descriptor(), F_SETFL, O_NONBLOCK);
    return socket;
}

Socket Socket::Connect(const std::string& address, uint16_t port, Clock::time_point deadline) {
    const Addresses at = Resolve(address, port);
    for (;;) {
        Socket socket = New(at->ai_family);
        fcntl(socket.descriptor(), F_SETFL, O_NONBLOCK);
        const bool is_made = connect(socket.descriptor(), at->ai_addr, at->ai_addrlen) == 0;
        const int error = is_made ? 0 : errno == EINPROGRESS ? Finish(socket, deadline) : errno;
        if (error == 0) {
            const int on = 1;
            fcntl(socket.descriptor(), F_SETFL, 0);
            setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            setsockopt(socket.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
            return socket;
        }
        if (Clock::now() >= deadline) {
            throw Failure(
                HCCL_E_INTERNAL,
                "no process answers at " + address + " port " + std::to_string(port) + ": " + std::strerror(error) +
                    "; check that the process that called HcclGetRootInfo runs, and that this "
                    "machine reaches that address, which HCCL_IF_IP or HCCL_SOCKET_IFNAME sets in that process");
        }
        std::this_thread::sleep_for(kConnectPause);
    }
}

Socket Socket::Accept() const {
    errno = 0;
    Socket socket(accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
    if (socket) {
        const int on = 1;
        setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(socket.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    }
    return socket;
}

bool Socket::Send(const void* bytes, size_t length) const {
    const char* at = static_cast<const char*>(bytes);
    while (length > 0) {
        const ssize_t sent = send(descriptor_, at, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        length -= static_cast<size_t>(sent);
    }
    return true;
}

bool Socket::Send(MessageHead head, const std::string& text) const {
    head.length = static_cast<uint32_t>(std::min<size_t>(text.size(), kMostText));
    std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
    bytes.append(text, 0, head.length);
    return Send(bytes.data(), bytes.size());
}

bool Socket::Receive(std::string& bytes) const {
    char some[4096];
    const ssize_t received = recv(descriptor_, some, sizeof some, 0);
    if (received < 0) return errno == EINTR || errno == EAGAIN;
    bytes.append(some, static_cast<size_t>(received));
    return received > 0;
}

void Socket::Shutdown() const {
    if (descriptor_ >= 0) shutdown(descriptor_, SHUT_RDWR);
}

bool TakeMessage(std::string& bytes, MessageHead& head, std::string& text) {
    if (bytes.size() < sizeof head) return false;
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.length > kMostText)
        throw Failure(
            HCCL_E_INTERNAL,
            "another program, or another version of portacl, answers at the address of this communicator; call "
            "HcclGetRootInfo again, and use one version in all processes");
    if (bytes.size() < sizeof head + head.length) return false;
    text = bytes.substr(sizeof head, head.length);
    bytes.erase(0, sizeof head + head.length);
    return true;
}

}  // namespace hccl
