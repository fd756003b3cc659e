#include "communicator/create.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

#include "base/environment.h"
#include "engine/library.h"
#include "engine/meshed.h"
#include "watch/hub.h"
#include "watch/invitation.h"

namespace hccl {

namespace {

std::string NameOf(const Secret& secret) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string name = "portacl-";
    for (size_t index = 0; index < 8; index++) {
        const auto byte = static_cast<unsigned char>(secret[index]);
        name += kDigits[byte >> 4];
        name += kDigits[byte & 15];
    }
    return name;
}

Invitation NewInvitation(const std::string& address) {
    Invitation invitation = {};
    invitation.secret = NewSecret();
    // A world of one needs neither network nor engine, and its size is not known here.
    try {
        const MoverModule& mover = LoadedMover();
        invitation.engine = mover.name;
        invitation.meeting = mover.meet(address);
        invitation.port = StartHub(address, invitation.secret);
        invitation.address = address;
    } catch (const Failure& failure) {
        invitation.text = failure.what();
    }
    return invitation;
}

std::unique_ptr<Engine> PlayRank(const FakeWorld& world, uint32_t size, uint32_t rank) {
    if (size > world.size || (size == world.size && rank != world.rank)) {
        throw Failure(HCCL_E_PARA, "nRanks is " + std::to_string(size) + " and rank is " + std::to_string(rank) +
                                       ", but PORTACL_HCCL makes this process rank " + std::to_string(world.rank) +
                                       " of " + std::to_string(world.size) +
                                       "; pass the rank and number of ranks of PORTACL_HCCL, pass a smaller nRanks "
                                       "(HcclCommInitAll: a smaller ndev), or unset PORTACL_HCCL");
    }
    return NewFakeEngine(rank, size);
}

// How the calls of the ranks are compared, if they are.
std::optional<CallCheck> Check(const std::string& about) {
    constexpr std::chrono::hours kForever(24 * 365 * 100);
    if (!ChecksCalls()) return std::nullopt;
    // The runtime opens the files of reports, and refuses invalid settings.
    if (portaclBackendName() == nullptr) Succeed("portaclBackendName", aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    const std::chrono::seconds patience = ExecTimeout();
    return CallCheck{patience.count() == 0 ? std::chrono::milliseconds(kForever) : patience, NoticeTime(), about};
}

// `about`: which ranks they are, if the communicator is a group.
std::shared_ptr<Engine> Connect(const Invitation& invitation, uint32_t size, uint32_t rank, Clock::time_point deadline,
                                const std::string& about = "") {
    if (invitation.port == 0) {
        throw Failure(
            HCCL_E_NOT_SUPPORT,
            "the process that called HcclGetRootInfo or HcclCommInitAll cannot connect ranks: " + invitation.text);
    }
    const MoverModule& mover = LoadedMover();
    if (mover.name != invitation.engine) {
        throw Failure(HCCL_E_PARA, std::string("this process exchanges data with ") + mover.name +
                                       ", but the process that called HcclGetRootInfo uses " + invitation.engine +
                                       "; load torch in all processes before their first call of HCCL, or in none");
    }
    auto member = std::make_unique<Member>(invitation, rank, size, deadline, Check(about));
    const auto exchange = [&](const std::vector<std::string>& texts) { return member->Exchange(texts, deadline); };
    const std::string name = NameOf(invitation.secret);
    const Seat seat = {invitation.meeting, name, OwnAddress(), rank, size, deadline, ExecTimeout(), exchange};
    try {
        std::unique_ptr<Mover> connected = mover.join(seat);
        const std::string who = "rank " + std::to_string(rank) + " of " + std::to_string(size);
        return NewMeshedEngine(std::move(connected), std::move(member), who, about);
    } catch (const Failure& failure) {
        // A rank that has ended is the cause, and has a name. The others wait for this one.
        if (member != nullptr) member->CheckOthers();
        if (member != nullptr) member->ReportFailure(failure);
        throw;
    }
}

// Waits for the other members. Returns what the root has made.
Invitation Gather(const Communicator& parent, GroupCall call, uint32_t rank, Clock::time_point deadline) {
    HcclRootInfo info = {};
    if (rank == 0) {
        Write(NewInvitation(OwnAddress()), &info);
        call.info.assign(info.internal, sizeof info.internal);
    }
    try {
        const std::string shared = parent.engine().Share(std::move(call), deadline);
        std::memcpy(info.internal, shared.data(), std::min(shared.size(), sizeof info.internal));
        return Read(info);
    } catch (const Failure&) {
        if (rank == 0) EndHub(Read(info).secret);
        throw;
    }
}

}  // namespace

void Invite(HcclRootInfo* info) {
    if (Faked()) {
        Invitation invitation = {};
        invitation.secret = NewSecret();
        return Write(invitation, info);
    }
    Write(NewInvitation(OwnAddress()), info);
}

void CheckSize(const char* argument, uint32_t size) {
    if (size == 0 || size > kMostRanks) {
        throw Failure(HCCL_E_PARA, std::string(argument) + " is " + std::to_string(size) + "; allowed: 1 to " +
                                       std::to_string(kMostRanks));
    }
}

Handle Join(uint32_t size, const HcclRootInfo& info, uint32_t rank) {
    CheckSize("nRanks", size);
    if (rank >= size) {
        throw Failure(HCCL_E_PARA, "rank is " + std::to_string(rank) + "; allowed: 0 to " + std::to_string(size - 1) +
                                       " (nRanks is " + std::to_string(size) + ")");
    }
    const Invitation invitation = Read(info);
    std::shared_ptr<Engine> engine;
    if (const auto world = Faked()) {
        engine = PlayRank(*world, size, rank);
    } else if (size == 1) {
        EndHub(invitation.secret);
        engine = NewAloneEngine();
    } else {
        engine = Connect(invitation, size, rank, Clock::now() + ConnectTimeout());
    }
    return std::make_shared<Communicator>(NameOf(invitation.secret), rank, size, std::move(engine));
}

Handle Divide(const Communicator& parent, GroupCall call, uint32_t rank) {
    const auto size = static_cast<uint32_t>(call.ranks.size());
    if (auto engine = parent.engine().NewGroup(rank, size)) {
        return std::make_shared<Communicator>(NameOf(NewSecret()), rank, size, std::move(engine));
    }
    const Clock::time_point deadline = Clock::now() + ConnectTimeout();
    const std::string about = "; the communicator is the group " + call.Name() + " of " + parent.name();
    const Invitation invitation = Gather(parent, std::move(call), rank, deadline);
    std::shared_ptr<Engine> engine;
    try {
        engine = Connect(invitation, size, rank, deadline, about);
    } catch (const Failure& failure) {
        throw Failure(failure.code(), failure.what() + about);
    }
    return std::make_shared<Communicator>(NameOf(invitation.secret), rank, size, std::move(engine));
}

std::vector<Handle> JoinAll(uint32_t size) {
    HcclRootInfo info;
    if (Faked()) {
        Invite(&info);
    } else {
        Write(NewInvitation("127.0.0.1"), &info);
    }
    std::vector<Handle> handles(size);
    std::vector<std::exception_ptr> failures(size);
    std::vector<std::thread> threads;
    const auto join = [&](uint32_t rank) {
        try {
            handles[rank] = Join(size, info, rank);
        } catch (...) {
            failures[rank] = std::current_exception();
        }
    };
    try {
        for (uint32_t rank = 0; rank < size; rank++) threads.emplace_back(join, rank);
    } catch (const std::exception& error) {
        // The ranks that have a thread wait for no others then.
        EndHub(Read(info).secret);
        failures.insert(failures.begin(),
                        std::make_exception_ptr(Failure(
                            HCCL_E_INTERNAL, "the threads of " + std::to_string(size) +
                                                 " ranks cannot all be started: " + error.what() +
                                                 "; end other threads, raise the limit on threads (ulimit -u), or "
                                                 "pass a smaller ndev")));
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
    return handles;
}

}  // namespace hccl
