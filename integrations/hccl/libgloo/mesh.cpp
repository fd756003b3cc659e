#include "libgloo/mesh.h"

#include <gloo/transport/address.h>
#include <gloo/transport/tcp/device.h>

#include <algorithm>

#include "watch/thread.h"

namespace hccl {

namespace {

using Milliseconds = std::chrono::milliseconds;

// "No limit". Gloo adds it to the time.
constexpr Milliseconds kForever = std::chrono::hours(24 * 365);
// A pair waits for its connection as many times its timeout.
constexpr int kConnectFactor = 5;

// The device has a thread.
std::shared_ptr<gloo::transport::Device> NewDevice(const std::string& address) {
    const SignalsBlocked blocked;
    return gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr(address.c_str()));
}

}  // namespace

Mesh::Mesh(const Seat& seat) : Context(static_cast<int>(seat.rank), static_cast<int>(seat.size)) {
    const Milliseconds patience = seat.patience.count() == 0 ? kForever : Milliseconds(seat.patience);
    const auto left = std::chrono::duration_cast<Milliseconds>(seat.deadline - std::chrono::steady_clock::now());
    device_ = NewDevice(seat.address);
    const auto pairs = device_->createContext(rank, size);
    pairs->setTimeout(std::max(left / kConnectFactor, Milliseconds(1)));
    // Each pair has an address of its own.
    std::vector<std::string> own(seat.size);
    size_t length = 0;
    for (int other = 0; other < size; other++) {
        if (other == rank) continue;
        const std::vector<char> bytes = pairs->createPair(other)->address().bytes();
        own[other].assign(bytes.begin(), bytes.end());
        length = bytes.size();
    }
    own[seat.rank].resize(length);
    const std::vector<std::string> theirs = seat.exchange(own);
    for (int other = 0; other < size; other++) {
        if (other != rank) pairs->getPair(other)->connect({theirs[other].begin(), theirs[other].end()});
    }
    pairs->setTimeout(patience);
    setTimeout(patience);
    transportContext_ = interruptible_ = std::make_shared<InterruptibleContext>(pairs);
}

}  // namespace hccl
