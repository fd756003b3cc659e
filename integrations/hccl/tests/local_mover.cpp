#include "tests/local_mover.h"

#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "engine/library.h"

namespace hccl {

namespace {

// What the ranks of a communicator share. Every rank takes part in every operation.
struct Board {
    std::mutex lock;
    std::condition_variable changed;
    std::vector<const Operation*> present;
    size_t arrived = 0;
    size_t left = 0;
    uint64_t round = 0;
    bool is_closed = false;
};

struct Boards {
    std::mutex lock;
    std::map<std::string, std::shared_ptr<Board>> boards;
    uint64_t next = 0;
    std::map<uint32_t, std::string> failures;
};

Boards& All() {
    static auto* const all = new Boards;
    return *all;
}

class LocalMover : public Mover {
  public:
    LocalMover(std::shared_ptr<Board> board, uint32_t rank, uint32_t size)
        : board_(std::move(board)), rank_(rank), size_(size) {
        board_->present.resize(size);
    }

    void Run(const Operation& operation) override {
        {
            const std::lock_guard<std::mutex> held(All().lock);
            if (const auto found = All().failures.find(rank_); found != All().failures.end()) {
                const Failure failure(HCCL_E_INTERNAL, found->second);
                All().failures.erase(found);
                throw failure;
            }
        }
        std::unique_lock<std::mutex> held(board_->lock);
        board_->present[rank_] = &operation;
        Meet(held, board_->arrived);
        std::vector<float> sums = Take(operation);
        Meet(held, board_->left);
        // No rank reads the sources any more, which can be the destinations.
        if (!sums.empty()) std::memcpy(operation.recv, sums.data(), operation.recv_bytes);
    }

    void Close() noexcept override {
        const std::lock_guard<std::mutex> held(board_->lock);
        board_->is_closed = true;
        board_->changed.notify_all();
    }

  private:
    // Waits until all ranks are here.
    void Meet(std::unique_lock<std::mutex>& held, size_t& count) {
        const uint64_t round = board_->round;
        if (++count == size_) {
            count = 0;
            board_->round++;
            board_->changed.notify_all();
        }
        board_->changed.wait(held, [&] { return board_->round != round || board_->is_closed; });
        if (board_->round == round) throw Failure(HCCL_E_REMOTE, "a connection was closed");
    }

    // Takes what others send. Returns sums of floats.
    std::vector<float> Take(const Operation& operation) {
        std::vector<float> sums;
        switch (operation.kind) {
            case Kind::kAllReduce:
                sums.resize(operation.count);
                for (const Operation* other : board_->present) {
                    const auto* const values = static_cast<const float*>(other->send);
                    for (size_t index = 0; index < sums.size(); index++) sums[index] += values[index];
                }
                break;
            case Kind::kBroadcast:
                if (operation.root != rank_) {
                    std::memcpy(operation.recv, board_->present[operation.root]->send, operation.recv_bytes);
                }
                break;
            case Kind::kAllGather:
                for (uint32_t other = 0; other < size_; other++) {
                    const Operation& source = *board_->present[other];
                    void* const part = operation.received.empty()
                                           ? static_cast<char*>(operation.recv) + other * source.send_bytes
                                           : operation.received[other].memory;
                    if (part != source.send) std::memcpy(part, source.send, source.send_bytes);
                }
                break;
            case Kind::kAllToAll:
                for (uint32_t other = 0; other < size_; other++) {
                    const Part to = operation.received[other];
                    if (to.bytes > 0) std::memcpy(to.memory, board_->present[other]->sent[rank_].memory, to.bytes);
                }
                break;
            default:
                break;
        }
        return sums;
    }

    const std::shared_ptr<Board> board_;
    const uint32_t rank_;
    const uint32_t size_;
};

std::string Meet(const std::string&) {
    const std::lock_guard<std::mutex> held(All().lock);
    std::string name = std::to_string(All().next++);
    All().boards[name] = std::make_shared<Board>();
    return name;
}

std::unique_ptr<Mover> Join(const Seat& seat) {
    const std::lock_guard<std::mutex> held(All().lock);
    return std::make_unique<LocalMover>(All().boards.at(seat.meeting), seat.rank, seat.size);
}

}  // namespace

void FailNext(uint32_t rank, const std::string& text) {
    const std::lock_guard<std::mutex> held(All().lock);
    All().failures[rank] = text;
}

const MoverModule& LoadedMover() {
    static const MoverModule module = {"local", Meet, Join};
    return module;
}

}  // namespace hccl
