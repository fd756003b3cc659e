#include "base/environment.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/failure.h"

namespace hccl {

namespace {

// Privileged programs read no variables, as in the runtime.
const char* Variable(const char* name) {
    const char* const value = secure_getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

template <typename Number>
bool Parse(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

std::chrono::seconds Seconds(const char* name, int32_t least, int32_t most, int32_t otherwise) {
    const char* const value = Variable(name);
    if (value == nullptr) return std::chrono::seconds(otherwise);
    int32_t seconds = 0;
    if (!Parse(value, seconds) || seconds < least || seconds > most) {
        throw Failure(HCCL_E_PARA, std::string(name) + " is \"" + value + "\"; allowed: a whole number of seconds, " +
                                       std::to_string(least) + " to " + std::to_string(most));
    }
    return std::chrono::seconds(seconds);
}

// Returns the address as text, or an empty text for families other than IPv4 and IPv6.
std::string Text(const sockaddr* address) {
    char text[INET6_ADDRSTRLEN] = {};
    if (address->sa_family == AF_INET) {
        inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
    } else if (address->sa_family == AF_INET6) {
        const auto* const six = reinterpret_cast<const sockaddr_in6*>(address);
        // An address of one link needs a scope, which other machines name otherwise.
        if (!IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr)) inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
    }
    return text;
}

// Returns the first address of an interface: of IPv4, else of IPv6.
std::string OfInterface(std::string_view name, bool is_exact) {
    ifaddrs* first = nullptr;
    if (getifaddrs(&first) != 0) throw Failure(HCCL_E_INTERNAL, std::string("getifaddrs: ") + std::strerror(errno));
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(first, freeifaddrs);
    std::string six;
    for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
        const std::string_view found = entry->ifa_name;
        if (entry->ifa_addr == nullptr || (is_exact ? found != name : found.substr(0, name.size()) != name)) continue;
        const std::string text = Text(entry->ifa_addr);
        if (entry->ifa_addr->sa_family == AF_INET) return text;
        if (six.empty()) six = text;
    }
    return six;
}

// HCCL_SOCKET_IFNAME: prefixes of names, separated by commas; after `=` whole names.
std::string OfNames(const char* value) {
    std::string_view rest = value;
    const bool is_exact = rest.front() == '=';
    if (is_exact) rest.remove_prefix(1);
    while (!rest.empty()) {
        const size_t comma = rest.find(',');
        const std::string_view name = rest.substr(0, comma);
        if (const std::string found = name.empty() ? "" : OfInterface(name, is_exact); !found.empty()) return found;
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    throw Failure(HCCL_E_PARA,
                  std::string("HCCL_SOCKET_IFNAME is \"") + value +
                      "\", but no network interface with such a name has an IPv4 address, or an IPv6 address that "
                      "is not link-local; set a name that `ip address` lists");
}

// Returns the address of the interface from which packets go to a host. Nothing is sent.
std::string Towards(const char* host) {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* first = nullptr;
    if (getaddrinfo(host, "9", &hints, &first) != 0) return "";
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(first, freeaddrinfo);
    for (const addrinfo* entry = first; entry != nullptr; entry = entry->ai_next) {
        const int socket = ::socket(entry->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (socket < 0) continue;
        sockaddr_storage own = {};
        socklen_t length = sizeof own;
        const bool is_known = connect(socket, entry->ai_addr, entry->ai_addrlen) == 0 &&
                              getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) == 0;
        close(socket);
        if (!is_known) continue;
        if (std::string text = Text(reinterpret_cast<const sockaddr*>(&own)); !text.empty()) return text;
    }
    return "";
}

}  // namespace

std::chrono::seconds ConnectTimeout() {
    return Seconds("HCCL_CONNECT_TIMEOUT", 1, 7200, 120);
}

std::chrono::seconds ExecTimeout() {
    return Seconds("HCCL_EXEC_TIMEOUT", 0, 2147483647, 1836);
}

bool ChecksCalls() {
    const char* const value = Variable("PORTACL_CHECK");
    if (value == nullptr) return false;
    std::string_view rest = value;
    for (;;) {
        const size_t comma = rest.find(',');
        const std::string_view name = rest.substr(0, comma);
        if (name == "collectives" || name == "all") return true;
        if (comma == std::string_view::npos) return false;
        rest.remove_prefix(comma + 1);
    }
}

bool RecordsStacks() {
    const char* const value = Variable("PORTACL_CHECK_STACKS");
    return value == nullptr || std::string_view(value) != "0";
}

std::chrono::milliseconds NoticeTime() {
    constexpr std::chrono::milliseconds kUsual(10000);
    const char* const value = Variable("PORTACL_CHECK_WAIT_MS");
    int32_t milliseconds = 0;
    // The runtime has refused other values.
    return value != nullptr && Parse(value, milliseconds) ? std::chrono::milliseconds(milliseconds) : kUsual;
}

std::optional<FakeWorld> Faked() {
    constexpr std::string_view kPrefix = "fake:";
    const char* const value = Variable("PORTACL_HCCL");
    if (value == nullptr) return std::nullopt;
    std::string_view rest = value;
    FakeWorld world = {};
    if (rest.substr(0, kPrefix.size()) == kPrefix) {
        rest.remove_prefix(kPrefix.size());
        const size_t slash = rest.find('/');
        if (slash != std::string_view::npos && Parse(rest.substr(0, slash), world.rank) &&
            Parse(rest.substr(slash + 1), world.size) && world.rank < world.size) {
            return world;
        }
    }
    throw Failure(HCCL_E_PARA, std::string("PORTACL_HCCL is \"") + value +
                                   "\"; allowed: fake:RANK/WORLD with RANK below WORLD, such as fake:3/256");
}

std::string OwnAddress() {
    if (const char* const address = Variable("HCCL_IF_IP")) {
        char binary[sizeof(in6_addr)];
        if (inet_pton(AF_INET, address, binary) == 1 || inet_pton(AF_INET6, address, binary) == 1) return address;
        throw Failure(HCCL_E_PARA,
                      std::string("HCCL_IF_IP is \"") + address +
                          "\", which is not an IPv4 or IPv6 address; set it to an address of this machine");
    }
    if (const char* const names = Variable("HCCL_SOCKET_IFNAME")) return OfNames(names);
    std::string host;
    if (const char* const master = Variable("MASTER_ADDR")) {
        host = master;
    } else if (const char* const endpoint = Variable("PADDLE_MASTER")) {
        // HOST:PORT, or [ADDRESS]:PORT.
        host = endpoint;
        if (const size_t colon = host.rfind(':'); colon != std::string::npos) host.erase(colon);
        if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    }
    if (std::string address = host.empty() ? "" : Towards(host.c_str()); !address.empty()) return address;
    return "127.0.0.1";
}

}  // namespace hccl
