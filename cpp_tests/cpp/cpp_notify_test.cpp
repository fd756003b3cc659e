// portacl.hpp: notifies and counted notifies.

#include <portacl/portacl.hpp>

#include <atomic>
#include <chrono>
#include <utility>

#include "cpp/with_device.h"
#include "support/gate.h"

using namespace portacl_test;
using namespace std::chrono_literals;
using portacl::AfterWait;
using portacl::CountedNotify;
using portacl::CountIs;
using portacl::Notify;
using portacl::Stream;

namespace {

static_assert(kMoveOnly<Notify> && kMoveOnly<CountedNotify>);

using CppNotify = CppDevice;

TEST_F(CppNotify, OneRecordLetsOneWaitContinue) {
    const Stream from, to;
    const Notify notify;
    Gate gate;
    std::atomic<int> passed{0};
    ACL_OK(gate.Hold(from.get()));
    notify.record(from);
    notify.wait(to);
    to.launch([&passed] { ++passed; });
    EXPECT_FALSE(to.synchronize_for(20ms));
    EXPECT_EQ(passed, 0);
    gate.Open();
    to.synchronize();
    EXPECT_EQ(passed, 1);

    // The signal is consumed; a cleared one too.
    from.synchronize();
    notify.record(from);
    from.synchronize();
    notify.clear();
    notify.wait_for(to, 1ms);  // one second
    ExpectError(ACL_ERROR_RT_WAIT_TIMEOUT, [&] { to.synchronize(); }, {"aclrtSynchronizeStream"});
    notify.record(nullptr);
    notify.wait_for(to, 1h);
    to.synchronize();
}

TEST_F(CppNotify, TimeoutsWithoutTimeAreRefused) {
    const Stream stream;
    const Notify notify;
    const CountedNotify count;
    for (const auto none : {0s, -5s}) {
        ExpectError(ACL_ERROR_INVALID_PARAM, [&] { notify.wait_for(stream, none); },
                    {"portacl::Notify::wait_for: longest", "wait()"});
        ExpectError(ACL_ERROR_INVALID_PARAM, [&] { count.wait_for(stream, CountIs::equal, 1, none); },
                    {"portacl::CountedNotify::wait_for: longest"});
    }
    // Nothing was enqueued.
    stream.synchronize();
}

TEST_F(CppNotify, CountsChangeAndAreWaitedFor) {
    const Stream from, to;
    const CountedNotify count;
    count.set(from, 6);
    count.add(from, 3);         // 9
    count.set_bits(from, 6);    // 15
    count.keep_bits(from, 11);  // 11
    from.synchronize();
    count.wait(to, CountIs::equal, 11);
    count.wait(to, CountIs::greater, 10);
    count.wait(to, CountIs::less, 12);
    count.wait(to, CountIs::with_bits, 9);
    count.wait_for(to, CountIs::at_least, 11, 10s, AfterWait::clear);
    count.wait_for(to, CountIs::equal, 0, 10s);
    to.synchronize();

    // A count that does not come.
    count.wait_for(to, CountIs::equal, 1, 1ms);
    ExpectError(ACL_ERROR_RT_WAIT_TIMEOUT, [&] { to.synchronize(); }, {});
    EXPECT_THROW(count.wait(to, static_cast<CountIs>(77), 1), portacl::Error);
}

TEST_F(CppNotify, OwnersMoveReleaseAndAdopt) {
    Notify first;
    const aclrtNotify handle = first.get();
    Notify second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_EQ(second.get(), handle);
    {
        const Notify adopted = Notify::adopt(second.release());
        EXPECT_EQ(adopted.get(), handle);
    }
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordNotify(handle, nullptr));
    EXPECT_THROW(second.record(nullptr), portacl::Error);

    CountedNotify count;
    const aclrtCntNotify counted = count.get();
    { const CountedNotify adopted = CountedNotify::adopt(count.release()); }
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtCntNotifyReset(counted, nullptr));
}

}  // namespace
