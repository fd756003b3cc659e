// Random programs with nested choices and loops: a graph computes the same as an interpreter.
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/condition.h"
#include "support/graph/control.h"
#include "support/graph/graph.h"
#include "support/objects.h"

namespace {

using portacl_test::AddTask;
using portacl_test::Condition;
using portacl_test::Event;
using portacl_test::Graph;
using portacl_test::GraphOf;
using portacl_test::kIf;
using portacl_test::kSwitch;
using portacl_test::kWhile;
using portacl_test::Number;
using portacl_test::Stream;

constexpr int kNumbers = 4;
using Variables = std::array<int32_t, kNumbers>;

struct Statement;
using Statements = std::vector<Statement>;

enum class StatementKind { kSet, kAdd, kCopy, kHop, kIf, kSwitch, kLoop };

// `to` and `from` are indices of numbers. A loop runs `amount` times; a switch reads `from`.
struct Statement {
    StatementKind kind;
    int to = 0, from = 0;
    int32_t amount = 0;
    std::vector<Statements> bodies;
};

class Generator {
  public:
    explicit Generator(uint32_t seed) : random_(seed) {}

    int Below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

    Statements MakeBlock(int depth) {
        Statements block;
        for (int left = 1 + Below(5); left > 0; --left) block.push_back(MakeStatement(depth));
        return block;
    }

  private:
    Statement MakeStatement(int depth) {
        Statement made{
            static_cast<StatementKind>(Below(depth > 0 ? 7 : 4)), Below(kNumbers), Below(kNumbers), Below(7) - 3, {}};
        int bodies = 0;
        switch (made.kind) {
            case StatementKind::kIf:
                bodies = 1 + Below(2);
                break;
            case StatementKind::kSwitch:
                bodies = 1 + Below(4);
                break;
            case StatementKind::kLoop:
                bodies = 1;
                made.amount = Below(4);
                break;
            default:
                break;
        }
        for (; bodies > 0; --bodies) made.bodies.push_back(MakeBlock(depth - 1));
        return made;
    }

    std::mt19937 random_;
};

void Interpret(const Statements& block, Variables& state) {
    for (const Statement& it : block) {
        const auto value = static_cast<uint32_t>(state[static_cast<size_t>(it.from)]);
        int32_t& to = state[static_cast<size_t>(it.to)];
        switch (it.kind) {
            case StatementKind::kSet:
                to = it.amount;
                break;
            case StatementKind::kAdd:
                to += it.amount;
                break;
            case StatementKind::kCopy:
                to = state[static_cast<size_t>(it.from)];
                break;
            case StatementKind::kHop:
                break;
            case StatementKind::kIf:
                if (value != 0)
                    Interpret(it.bodies[0], state);
                else if (it.bodies.size() > 1)
                    Interpret(it.bodies[1], state);
                break;
            case StatementKind::kSwitch:
                if (value < it.bodies.size()) Interpret(it.bodies[value], state);
                break;
            case StatementKind::kLoop:
                for (int32_t i = 0; i < it.amount; ++i) Interpret(it.bodies[0], state);
                break;
        }
    }
}

// Captures programs. Each block is captured from two streams, and the work alternates between them.
class Capturer {
  public:
    Graph Program(const Statements& block) {
        ACL_EXPECT_OK(aclmdlRICaptureBegin(streams_[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        Submit(block, nullptr);
        aclmdlRI graph = nullptr;
        ACL_EXPECT_OK(aclmdlRICaptureEnd(streams_[0], &graph));
        for (; !waiting_.empty(); waiting_.pop_front()) {
            const Waiting next = waiting_.front();
            ACL_EXPECT_OK(aclmdlRICaptureToModelRIBegin(streams_[0], next.body, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
            Submit(*next.block, next.rounds);
            aclmdlRI body = nullptr;
            ACL_EXPECT_OK(aclmdlRICaptureEnd(streams_[0], &body));
        }
        return Graph(graph);
    }

    void Set(const Variables& state) const {
        for (size_t i = 0; i < kNumbers; ++i) numbers_[i].Set(state[i]);
    }
    Variables Get() const {
        Variables state;
        for (size_t i = 0; i < kNumbers; ++i) state[i] = numbers_[i].Get();
        return state;
    }

  private:
    struct Waiting {
        aclmdlRI body;
        const Statements* block;
        // The counter of a loop.
        uint64_t* rounds;
    };

    void Hop() {
        events_.push_back(std::make_unique<Event>(ACL_EVENT_SYNC));
        ACL_EXPECT_OK(aclrtRecordEvent(*events_.back(), streams_[current_]));
        current_ = 1 - current_;
        ACL_EXPECT_OK(aclrtStreamWaitEvent(streams_[current_], *events_.back()));
    }

    void Choose(const Statement& it, const Condition& value, aclmdlRICondTaskType type) {
        const aclrtStream stream = streams_[current_];
        const auto count = static_cast<uint32_t>(it.bodies.size());
        const auto bodies = AddTask(value, type, count, stream);
        for (size_t i = 0; i < bodies.size(); ++i)
            waiting_.push_back({bodies[i], &it.bodies[i], type == kWhile ? value.At() : nullptr});
    }

    void Submit(const Statements& block, uint64_t* rounds) {
        for (const Statement& it : block) {
            const aclrtStream stream = streams_[current_];
            const Number& to = numbers_[static_cast<size_t>(it.to)];
            const Number& from = numbers_[static_cast<size_t>(it.from)];
            switch (it.kind) {
                case StatementKind::kSet:
                    ACL_EXPECT_OK(to.Write(static_cast<uint32_t>(it.amount), stream));
                    break;
                case StatementKind::kAdd:
                    ACL_EXPECT_OK(to.Add(constants_[static_cast<size_t>(it.amount + 3)], stream));
                    break;
                case StatementKind::kCopy:
                    if (it.to != it.from) {
                        ACL_EXPECT_OK(aclrtMemcpyAsync(to.At(), 4, from.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
                    }
                    break;
                case StatementKind::kHop:
                    Hop();
                    break;
                case StatementKind::kIf:
                case StatementKind::kSwitch: {
                    const Condition value(GraphOf(stream));
                    ACL_EXPECT_OK(aclrtMemcpyAsync(value.At(), 4, from.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
                    Choose(it, value, it.kind == StatementKind::kIf ? kIf : kSwitch);
                    break;
                }
                case StatementKind::kLoop: {
                    const Condition value(GraphOf(stream), static_cast<uint32_t>(it.amount));
                    Choose(it, value, kWhile);
                    break;
                }
            }
        }
        if (current_ == 1) Hop();
        if (rounds) {
            ACL_EXPECT_OK(aclrtReduceAsync(rounds, constants_[2].At(), 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32,
                                           streams_[0], nullptr));
        }
    }

    Stream streams_[2];
    size_t current_ = 0;
    Number numbers_[kNumbers];
    Number constants_[7] = {Number(-3), Number(-2), Number(-1), Number(0), Number(1), Number(2), Number(3)};
    std::vector<std::unique_ptr<Event>> events_;
    std::deque<Waiting> waiting_;
};

using GraphConditionRandom = portacl_test::WithDevice;

// A handle's default is assigned when its graph begins, so a loop in a body starts from it each
// time.
TEST_F(GraphConditionRandom, GraphsMatchAnInterpreter) {
    const Stream running;
    for (uint32_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Generator random(seed);
        const Statements program = random.MakeBlock(3);
        Capturer capturer;
        const Graph graph = capturer.Program(program);
        for (int run = 0; run < 3; ++run) {
            Variables state;
            for (int32_t& number : state) number = random.Below(7) - 2;
            capturer.Set(state);
            ACL_OK(aclmdlRIExecuteAsync(graph, running));
            ACL_OK(aclrtSynchronizeStream(running));
            Interpret(program, state);
            ASSERT_EQ(capturer.Get(), state) << "run " << run;
        }
    }
}

}  // namespace
