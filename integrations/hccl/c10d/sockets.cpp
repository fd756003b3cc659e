#include "c10d/sockets.h"

#include <dirent.h>
#include <fcntl.h>
#include <gloo/transport/tcp/device.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/failure.h"

namespace hccl {

namespace {

// Returns "ADDRESS PORT", or an empty text for addresses that are not of TCP.
std::string Text(const sockaddr_storage& address, socklen_t length) {
    char host[NI_MAXHOST];
    char port[NI_MAXSERV];
    if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return "";
    const auto* const general = reinterpret_cast<const sockaddr*>(&address);
    const int flags = NI_NUMERICHOST | NI_NUMERICSERV;
    if (getnameinfo(general, length, host, sizeof host, port, sizeof port, flags) != 0) return "";
    return std::string(host) + " " + port;
}

using Ask = int (*)(int, sockaddr*, socklen_t*);

std::string EndOf(int descriptor, Ask ask) {
    sockaddr_storage address = {};
    socklen_t length = sizeof address;
    return ask(descriptor, reinterpret_cast<sockaddr*>(&address), &length) == 0 ? Text(address, length) : "";
}

Failure UnknownGloo() {
    return Failure(HCCL_E_INTERNAL,
                   "portacl does not support the Gloo version in this torch; use the torch version for "
                   "which portacl was built (docs/collectives.md)");
}

}  // namespace

std::string AddressOf(const std::shared_ptr<gloo::transport::Device>& device) {
    // createDeviceForHostname returns no other kind.
    auto* const tcp = reinterpret_cast<gloo::transport::tcp::Device*>(device.get());
    const std::vector<char> bytes = tcp->nextAddress().bytes();
    sockaddr_storage address = {};
    if (bytes.size() < sizeof address) throw UnknownGloo();
    std::memcpy(&address, bytes.data(), sizeof address);
    const socklen_t length = address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    std::string text = Text(address, length);
    if (text.empty()) throw UnknownGloo();
    return text;
}

void ShutDown(const std::string& own, const std::set<std::string>& others) noexcept {
    DIR* const folder = opendir("/proc/self/fd");
    if (folder == nullptr) return;
    while (const dirent* const entry = readdir(folder)) {
        // A copy is the same socket until it is shut down.
        const int copy = fcntl(std::atoi(entry->d_name), F_DUPFD_CLOEXEC, 0);
        if (copy < 0) continue;
        const std::string there = EndOf(copy, getpeername);
        if (!there.empty() && (others.count(there) != 0 || EndOf(copy, getsockname) == own)) shutdown(copy, SHUT_RDWR);
        close(copy);
    }
    closedir(folder);
}

}  // namespace hccl
