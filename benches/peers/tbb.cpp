// Runs the workloads on a serial node of a oneTBB flow graph. Waiting runs the work on the waiter.
#include <tbb/flow_graph.h>

#include <utility>

#include "../workloads.h"

namespace {

class Tbb {
  public:
    static constexpr bool kHasEvents = false, kHasHostFunctions = true, kHasMemory = false, kHasHops = false;
    using Work = std::pair<void (*)(void*), void*>;

    void Mark(int queue) {
        Call(
            queue, [](void*) {}, nullptr);
    }
    void Call(int, void (*function)(void*), void* argument) { node_.try_put({function, argument}); }
    void Finish(int) { graph_.wait_for_all(); }

  private:
    tbb::flow::graph graph_;
    tbb::flow::function_node<Work> node_{graph_, tbb::flow::serial, [](const Work& work) {
                                             work.first(work.second);
                                             return tbb::flow::continue_msg();
                                         }};
};

}  // namespace

int main() {
    Tbb runtime;
    bench::RunAll(runtime);
}
