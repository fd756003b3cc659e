// Tests that operators compute with as many threads as the program has set for ATen.
#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/version.h>

#include <atomic>
#include <thread>

#include "properties.h"

using namespace properties;

namespace {

std::atomic<int> seen{0};

// Takes the place of ATen's erf.
at::Tensor& NoteThreads(const at::Tensor&, at::Tensor& out) {
    seen = at::get_num_threads();
    return out;
}

// Whether operators follow any thread. Before torch 2.7 they follow the thread that calls the first phase.
constexpr bool kFollowsAnyThread = TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR >= 207;

TEST(Properties, OperatorsUseTheThreadsOfATen) {
    torch::Library replacement(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__);
    replacement.impl("erf.out", NoteThreads);
    const int before = at::get_num_threads();
    const at::Tensor x = Random({4}), out = at::zeros({4});
    for (const int threads : {2, 3, 1, before}) {
        // The threads that run operators are older than this one, and have run operators.
        const auto set = [threads] { at::set_num_threads(threads); };
        kFollowsAnyThread ? std::thread(set).join() : set();
        const Outcome outcome = Call(aclnnErfGetWorkspaceSize, aclnnErf, x, out);
        EXPECT_EQ(ACL_SUCCESS, outcome.code) << outcome.text;
        EXPECT_EQ(threads, seen);
    }
}

}  // namespace
