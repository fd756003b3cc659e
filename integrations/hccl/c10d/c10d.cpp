// The module for processes with torch: the Gloo inside libtorch_cpu.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "c10d/reduction.h"
#include "c10d/sockets.h"
#include "c10d/torch.h"
#include "engine/gloo_mover.h"

namespace hccl {

namespace {

using Work = c10::intrusive_ptr<c10d::Work>;
using Milliseconds = std::chrono::milliseconds;

// "No limit". Torch adds it to the time.
constexpr Milliseconds kForever = std::chrono::hours(24 * 365);

c10d::ReduceOp OperatorOf(HcclReduceOp reduction) {
    switch (reduction) {
        case HCCL_REDUCE_SUM:
            return c10d::ReduceOp::SUM;
        case HCCL_REDUCE_PROD:
            return c10d::ReduceOp::PRODUCT;
        case HCCL_REDUCE_MAX:
            return c10d::ReduceOp::MAX;
        case HCCL_REDUCE_MIN:
            break;
    }
    return c10d::ReduceOp::MIN;
}

class Gloo : public GlooMover {
  public:
    Gloo(c10::intrusive_ptr<Group> group, const Seat& seat, std::string own, std::set<std::string> others)
        : GlooMover(seat.rank, seat.size, seat.patience.count() == 0 ? kForever : Milliseconds(seat.patience)),
          group_(std::move(group)),
          own_(std::move(own)),
          others_(std::move(others)) {
        group_->SetTimeout(patience_);
    }

    void Close() noexcept override { ShutDown(own_, others_); }

  private:
    bool IsNoMemory(const std::exception& error) const override {
        return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr;
    }

    // Torch adds the stack of the C++ code.
    std::string TextOf(const std::string& text) const override { return text.substr(0, text.find('\n')); }

    // The buffers may be freed afterwards, so a failed operation has left them when this throws.
    void Wait(const Work& work) {
        try {
            work->wait(patience_);
        } catch (...) {
            if (!work->isCompleted()) {
                Close();
                Finish(work);
            }
            throw;
        }
    }

    static void Finish(const Work& work) {
        try {
            work->wait(kForever);
        } catch (const std::exception&) {
            // Its connections are closed.
        }
    }

    void AllReduce(const Operation& operation) override {
        if (operation.recv != operation.send) std::memcpy(operation.recv, operation.send, operation.send_bytes);
        const at::Tensor elements = Elements(operation.recv, operation.count, operation.type);
        std::vector<at::Tensor> tensors = {Widen(elements, operation.type, operation.reduction)};
        c10d::AllreduceOptions options;
        options.reduceOp = OperatorOf(operation.reduction);
        options.timeout = patience_;
        Wait(group_->allreduce(tensors, options));
        Narrow(elements, tensors[0], operation.type, operation.reduction);
    }

    void Reduce(const Operation& operation) override {
        // Gloo overwrites the tensor on every rank.
        const at::Tensor own = Elements(Mutable(operation.send), operation.count, operation.type);
        std::vector<at::Tensor> tensors = {Widen(own, operation.type, operation.reduction)};
        if (tensors[0].is_same(own)) tensors[0] = own.clone();
        c10d::ReduceOptions options;
        options.reduceOp = OperatorOf(operation.reduction);
        options.rootRank = static_cast<int>(operation.root);
        options.timeout = patience_;
        Wait(group_->reduce(tensors, options));
        if (operation.root != rank_) return;
        Narrow(Elements(operation.recv, operation.count, operation.type), tensors[0], operation.type,
               operation.reduction);
    }

    // Each rank gets its rows from all, and reduces them itself.
    void ReduceScatter(const Operation& operation) override {
        at::Tensor send = Bytes(Mutable(operation.send), operation.send_bytes);
        const auto count = static_cast<int64_t>(operation.count);
        const at::Tensor own = Elements(operation.recv, operation.count, operation.type);
        const at::Tensor rows = at::empty({size_, count}, own.options());
        at::Tensor received = Bytes(rows.data_ptr(), operation.send_bytes);
        ExchangeParts(received, send, {}, {});
        ReduceRows(own, rows, operation.type, operation.reduction);
    }

    void AllGather(const Operation& operation) override {
        at::Tensor send = Bytes(Mutable(operation.send), operation.send_bytes);
        c10d::AllgatherOptions options;
        options.timeout = patience_;
        if (operation.received.empty()) {
            at::Tensor recv = Bytes(operation.recv, operation.recv_bytes);
            return Wait(group_->_allgather_base(recv, send, options));
        }
        // The source is one of the parts.
        std::vector<at::Tensor> sources = {send.clone()};
        std::vector<std::vector<at::Tensor>> parts(1);
        for (const Part& part : operation.received) parts[0].push_back(Bytes(part.memory, part.bytes));
        Wait(group_->allgather(parts, sources, options));
    }

    void Broadcast(const Operation& operation) override {
        void* const buffer = operation.root == rank_ ? Mutable(operation.send) : operation.recv;
        std::vector<at::Tensor> tensors = {Bytes(buffer, operation.send_bytes + operation.recv_bytes)};
        c10d::BroadcastOptions options;
        options.rootRank = operation.root;
        options.timeout = patience_;
        Wait(group_->broadcast(tensors, options));
    }

    void Scatter(const Operation& operation) override {
        std::vector<at::Tensor> outputs = {Bytes(operation.recv, operation.recv_bytes)};
        std::vector<std::vector<at::Tensor>> inputs;
        if (operation.root == rank_) {
            inputs.emplace_back();
            for (uint32_t rank = 0; rank < size_; rank++) {
                uint8_t* const part = Mutable(operation.send) + rank * operation.recv_bytes;
                inputs[0].push_back(Bytes(part, operation.recv_bytes));
            }
        }
        c10d::ScatterOptions options;
        options.rootRank = operation.root;
        options.timeout = patience_;
        Wait(group_->scatter(outputs, inputs, options));
    }

    void AllToAll(const Operation& operation) override {
        std::vector<int64_t> sends;
        std::vector<int64_t> receives;
        at::Tensor send = Packed(operation.sent, sends);
        at::Tensor recv = Packed(operation.received, receives);
        size_t at = 0;
        for (const Part& part : operation.sent) {
            std::memcpy(send.data_ptr<uint8_t>() + at, part.memory, part.bytes);
            at += part.bytes;
        }
        ExchangeParts(recv, send, receives, sends);
        at = 0;
        for (const Part& part : operation.received) {
            std::memcpy(part.memory, recv.data_ptr<uint8_t>() + at, part.bytes);
            at += part.bytes;
        }
    }

    // Returns memory for all parts one after the other, and adds their sizes.
    static at::Tensor Packed(const std::vector<Part>& parts, std::vector<int64_t>& sizes) {
        int64_t bytes = 0;
        for (const Part& part : parts) {
            sizes.push_back(static_cast<int64_t>(part.bytes));
            bytes += sizes.back();
        }
        return at::empty({bytes}, at::kByte);
    }

    void ExchangeParts(at::Tensor& recv, at::Tensor& send, std::vector<int64_t> receives, std::vector<int64_t> sends) {
        c10d::AllToAllOptions options;
        options.timeout = patience_;
        Wait(group_->alltoall_base(recv, send, receives, sends, options));
    }

    void Barrier() override {
        c10d::BarrierOptions options;
        options.timeout = patience_;
        Wait(group_->barrier(options));
    }

    void Exchange(const std::vector<Transfer>& batch) override {
        std::vector<Work> works;
        for (const Transfer& transfer : batch) {
            if (transfer.peer == rank_) continue;
            const auto peer = static_cast<int>(transfer.peer);
            std::vector<at::Tensor> tensors = {Bytes(transfer.buffer, transfer.bytes)};
            works.push_back(transfer.is_send ? group_->send(tensors, peer, 0) : group_->recv(tensors, peer, 0));
        }
        CopyOwn(batch);
        for (const Work& work : works) Wait(work);
    }

    const c10::intrusive_ptr<Group> group_;
    // Where this rank accepts connections, and the others.
    const std::string own_;
    const std::set<std::string> others_;
};

// Starts the store of this process. It lives until the process ends: other ranks use it as long as they like.
std::string Meet(const std::string& address) {
    static std::mutex lock;
    static auto& stores = *new std::map<std::pair<pid_t, std::string>, c10::intrusive_ptr<c10d::TCPStore>>;
    c10d::TCPStoreOptions options;
    options.port = 0;
    options.isServer = true;
    options.waitWorkers = false;
    const std::lock_guard<std::mutex> held(lock);
    auto& store = stores[{getpid(), address}];
    try {
        if (!store) store = c10::make_intrusive<c10d::TCPStore>(address, options);
    } catch (const c10::Error& error) {
        throw Failure(HCCL_E_INTERNAL, error.what_without_backtrace());
    }
    return address + " " + std::to_string(store->getPort());
}

// Sends the own address to the other ranks, and returns theirs.
std::set<std::string> Exchange(c10d::Store& store, const std::string& own, const Seat& seat) {
    const auto key = [](uint32_t rank) { return "address/" + std::to_string(rank); };
    store.set(key(seat.rank), std::vector<uint8_t>(own.begin(), own.end()));
    std::set<std::string> others;
    for (uint32_t rank = 0; rank < seat.size; rank++) {
        if (rank == seat.rank) continue;
        const std::vector<uint8_t> found = store.get(key(rank));
        others.emplace(found.begin(), found.end());
    }
    return others;
}

std::unique_ptr<Mover> Join(const Seat& seat) {
    const size_t space = seat.meeting.find(' ');
    // 0 is no limit there.
    const auto left = std::max(
        std::chrono::duration_cast<Milliseconds>(seat.deadline - std::chrono::steady_clock::now()), Milliseconds(1));
    c10d::TCPStoreOptions options;
    options.port = static_cast<uint16_t>(std::stoi(seat.meeting.substr(space + 1)));
    options.waitWorkers = false;
    options.timeout = left;
    try {
        const auto store = c10::make_intrusive<c10d::TCPStore>(seat.meeting.substr(0, space), options);
        const auto prefixed = c10::make_intrusive<c10d::PrefixStore>(seat.name, store);
        auto group_options = c10d::ProcessGroupGloo::Options::create(left);
        // A literal address: no name is looked up.
        const auto device = c10d::ProcessGroupGloo::createDeviceForHostname(seat.address);
        group_options->devices.push_back(device);
        group_options->threads = 1;
        const std::string own = AddressOf(device);
        std::set<std::string> others = Exchange(*prefixed, own, seat);
        const auto rank = static_cast<int>(seat.rank);
        auto group = c10::make_intrusive<Group>(prefixed, rank, static_cast<int>(seat.size), group_options);
        return std::make_unique<Gloo>(std::move(group), seat, own, std::move(others));
    } catch (const c10::Error& error) {
        throw Failure(HCCL_E_REMOTE, error.what_without_backtrace());
    }
}

}  // namespace

}  // namespace hccl

extern "C" __attribute__((visibility("default"))) const hccl::MoverModule* portacl_hccl_mover() {
    static const hccl::MoverModule module = {"c10d", hccl::Meet, hccl::Join};
    return &module;
}
