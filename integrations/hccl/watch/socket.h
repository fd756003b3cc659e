// TCP sockets between the ranks of a communicator, and the messages on them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace hccl {

using Clock = std::chrono::steady_clock;

// The bytes of a message before its text. Both ends are this library on machines of one byte order.
struct MessageHead {
    uint32_t kind;
    uint32_t rank;
    int32_t code;
    uint32_t length;
};

// A connected or listening socket.
class Socket {
  public:
    Socket() = default;
    explicit Socket(int descriptor);
    Socket(Socket&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    Socket& operator=(Socket&& other) noexcept;
    ~Socket();

    // Listens at an address of this machine, on a free port. Throws a Failure.
    static Socket Listen(const std::string& address, uint16_t& port);
    // Connects, and tries again until the deadline while no process listens. Throws a Failure.
    static Socket Connect(const std::string& address, uint16_t port, Clock::time_point deadline);
    // Accepts a pending connection. The socket is none if there is no connection.
    Socket Accept() const;

    explicit operator bool() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    // Sends all bytes. Returns false if the other end has closed, or has read nothing for seconds.
    bool Send(const void* bytes, size_t length) const;
    bool Send(MessageHead head, const std::string& text) const;
    // Appends what has arrived. Returns false at the end of the connection.
    bool Receive(std::string& bytes) const;
    // Ends a wait of another thread for this socket.
    void Shutdown() const;

  private:
    int descriptor_ = -1;
};

// Takes a complete message from the front of received bytes. Returns false if it has not arrived as a whole.
bool TakeMessage(std::string& bytes, MessageHead& head, std::string& text);

}  // namespace hccl
