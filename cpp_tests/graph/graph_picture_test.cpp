// Dumps of graphs as text, as JSON, and for Graphviz.
#include <portacl/portacl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/condition.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/process/temporary_folder.h"
#include "support/says.h"

#include <unistd.h>

namespace {

using Json = nlohmann::json;

using namespace portacl_test;

std::string ReadText(const std::string& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A graph on two streams, with a name that every format must escape.
class GraphPicture : public WithDevice {
  protected:
    static constexpr const char* kName = "a \"graph\" \\ of\n\x01tasks";

    struct Scene {
        Program program;
        Stream stream, other;
        Event timed, fork{ACL_EVENT_SYNC}, join{ACL_EVENT_SYNC};
        DeviceMemory memory{256};
        ZeroWords words{4};
        PinnedMemory host{256};
    };

    // Tasks: a copy, a record, a wait, a fill, a record, a kernel, a timed record, a host function,
    // a wait, a value.
    static Graph Draw(const Scene& s) {
        Graph graph = Capture(s.stream, [&] {
            ACL_OK(aclrtMemcpyAsync(s.memory.At(), 256, s.host.At(), 200, ACL_MEMCPY_HOST_TO_DEVICE, s.stream));
            ACL_OK(aclrtRecordEvent(s.fork, s.stream));
            ACL_OK(aclrtStreamWaitEvent(s.other, s.fork));
            ACL_OK(aclrtMemsetAsync(s.memory.At(), 64, 9, 64, s.other));
            ACL_OK(aclrtRecordEvent(s.join, s.other));
            ACL_OK(Mark(s.program.Kernel("mark"), s.words.At(), 1, 4, s.stream));
            ACL_OK(aclrtRecordEvent(s.timed, s.stream));
            ACL_OK(aclrtLaunchHostFunc(
                s.stream, [](void*) {}, nullptr));
            ACL_OK(aclrtStreamWaitEvent(s.stream, s.join));
            ACL_OK(aclrtValueWrite(s.memory.At(128), 5, 0, s.stream));
        });
        ExpectOk("aclmdlRISetName", aclmdlRISetName(graph, kName));
        return graph;
    }

    const TemporaryFolder folder_;
    const std::string path_ = folder_.At("picture");
};

const std::vector<std::string> kKinds = {"copy",   "event_record", "event_wait",    "fill",       "event_record",
                                         "kernel", "event_record", "host_function", "event_wait", "value_write"};
// The dependencies of each task.
const std::vector<std::vector<size_t>> kAfter = {{}, {0}, {1}, {2}, {3}, {1}, {5}, {6}, {7, 4}, {8}};
const std::set<size_t> kOfOther = {2, 3, 4};

TEST_F(GraphPicture, JsonHasTasksAndEdges) {
    const Scene scene;
    const Graph graph = Draw(scene);
    uint32_t id = 0;
    ACL_OK(aclmdlRIGetId(graph, &id));
    ACL_OK(aclmdlRITaskDisable(TasksOf(scene.other)[1]));
    ACL_OK(aclmdlRIUpdate(graph));
    for (uint32_t flags : {ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY, ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE}) {
        const bool verbose = flags != ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY;
        ACL_OK(aclmdlRIDebugJsonPrint(graph, path_.c_str(), flags));
        const Json json = Json::parse(ReadText(path_));
        EXPECT_EQ(json.at("name"), kName);
        EXPECT_EQ(json.at("id"), id);
        EXPECT_EQ(json.at("device"), 0);
        ASSERT_EQ(json.at("streams").size(), 2u);
        EXPECT_EQ(json.at("streams")[0].at("tasks"), 7);
        EXPECT_EQ(json.at("streams")[1].at("tasks"), 3);
        int32_t stream_id = -1;
        ACL_OK(aclrtStreamGetId(scene.other, &stream_id));
        EXPECT_EQ(json.at("streams")[1].at("id"), stream_id);
        const auto& tasks = json.at("tasks");
        ASSERT_EQ(tasks.size(), kKinds.size());
        std::map<size_t, double> next;
        for (size_t i = 0; i < tasks.size(); ++i) {
            SCOPED_TRACE(i);
            const size_t stream = kOfOther.count(i);
            EXPECT_EQ(tasks[i].at("id"), static_cast<double>(i));
            EXPECT_EQ(tasks[i].at("stream"), static_cast<double>(stream));
            EXPECT_EQ(tasks[i].at("sequence"), next[stream]++);
            EXPECT_EQ(tasks[i].at("kind"), kKinds[i]);
            EXPECT_EQ(tasks[i].at("disabled"), i == 3);
            std::vector<size_t> after;
            for (const auto& item : tasks[i].at("after")) after.push_back(item.get<size_t>());
            EXPECT_EQ(after, kAfter[i]);
        }
        EXPECT_EQ(tasks[0].at("bytes"), 200);
        EXPECT_EQ(tasks[0].at("direction"), "pinned to device");
        EXPECT_EQ(tasks[0].contains("dst"), verbose);
        EXPECT_EQ(tasks[1].at("event"), Shown(aclrtEvent(scene.fork)));
        EXPECT_EQ(tasks[3].at("bytes"), 64);
        EXPECT_EQ(tasks[3].at("value"), 9);
        EXPECT_EQ(tasks[5].at("name"), "mark");
        EXPECT_EQ(tasks[5].at("blocks"), "4 x 1 x 1");
        EXPECT_EQ(tasks[5].at("type"), ACL_MODEL_RI_TASK_KERNEL);
        EXPECT_EQ(tasks[5].value("arguments", "").size(), verbose ? 24u : 0u);
        EXPECT_EQ(tasks[9].at("value"), "0x5");
        if (verbose) {
            EXPECT_EQ(tasks[0].at("dst"), Shown(scene.memory.At()));
            EXPECT_EQ(tasks[0].at("src"), Shown(scene.host.At()));
            EXPECT_EQ(tasks[9].at("dst"), Shown(scene.memory.At(128)));
        }
    }
}

// The parts of a Graphviz file, which this reads line by line.
struct Dot {
    std::map<size_t, std::vector<size_t>> clusters;
    std::map<size_t, std::string> labels;
    std::vector<std::string> cluster_labels;
    std::set<std::pair<size_t, size_t>> edges;
    std::set<size_t> dashed;

    explicit Dot(const std::string& text) {
        const std::string string = "\"((?:[^\"\\\\]|\\\\.)*)\"";
        const std::regex cluster(R"(  subgraph cluster_(\d+) \{)"), name("    label=" + string + ";");
        const std::regex node(R"(    task_(\d+) \[label=)" + string + R"((, style=dashed)?\];)");
        const std::regex edge(R"(  task_(\d+) -> task_(\d+);)");
        const std::regex other("digraph graph_of_tasks \\{|  label=" + string +
                               ";|  labelloc=t;|  node \\[.*\\];|  \\}|\\}");
        std::istringstream lines(text);
        std::string line;
        size_t current = 0;
        std::smatch match;
        while (std::getline(lines, line)) {
            if (std::regex_match(line, match, cluster)) {
                current = std::stoul(match[1]);
            } else if (std::regex_match(line, match, name)) {
                cluster_labels.push_back(match[1]);
            } else if (std::regex_match(line, match, node)) {
                clusters[current].push_back(std::stoul(match[1]));
                labels[std::stoul(match[1])] = match[2];
                if (match[3].matched) dashed.insert(std::stoul(match[1]));
            } else if (std::regex_match(line, match, edge)) {
                edges.emplace(std::stoul(match[1]), std::stoul(match[2]));
            } else {
                EXPECT_TRUE(std::regex_match(line, other)) << line;
            }
        }
    }
};

TEST_F(GraphPicture, GraphvizHasBoxesFramesAndArrows) {
    const Scene scene;
    const Graph graph = Draw(scene);
    ACL_OK(aclmdlRITaskDisable(TasksOf(scene.other)[1]));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(portaclGraphPrintDot(graph, path_.c_str()));
    const Dot dot(ReadText(path_));
    EXPECT_EQ(dot.clusters.at(0), (std::vector<size_t>{0, 1, 5, 6, 7, 8, 9}));
    EXPECT_EQ(dot.clusters.at(1), (std::vector<size_t>{2, 3, 4}));
    ASSERT_EQ(dot.cluster_labels.size(), 2u);
    EXPECT_EQ(dot.cluster_labels[0].rfind("stream 0 (id ", 0), 0u);
    std::set<std::pair<size_t, size_t>> edges;
    for (size_t i = 0; i < kAfter.size(); ++i)
        for (size_t before : kAfter[i]) edges.emplace(before, i);
    EXPECT_EQ(dot.edges, edges);
    EXPECT_EQ(dot.dashed, std::set<size_t>{3});
    for (size_t i = 0; i < kKinds.size(); ++i) {
        const std::string begin = std::to_string(i) + " " + kKinds[i];
        EXPECT_EQ(dot.labels.at(i).rfind(begin, 0), 0u) << dot.labels.at(i);
    }
    EXPECT_NE(dot.labels.at(0).find("bytes 200"), std::string::npos);
    EXPECT_NE(dot.labels.at(5).find("name mark"), std::string::npos);
    if (std::system("dot -V >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs Graphviz, which draws what was read here";
    const std::string svg = path_ + ".svg";
    EXPECT_EQ(std::system(("dot -Tsvg '" + path_ + "' -o '" + svg + "'").c_str()), 0);
    EXPECT_NE(ReadText(svg).find("host_function"), std::string::npos);
    std::filesystem::remove(svg);
}

// The text that aclmdlRIDebugPrint writes to a file.
std::string Printed(aclmdlRI graph, const std::string& path) {
    // A folder in which the library may write, too.
    std::fflush(stdout);
    const int before = dup(1);
    EXPECT_GE(before, 0);
    std::FILE* file = std::fopen(path.c_str(), "w");
    EXPECT_NE(file, nullptr);
    EXPECT_EQ(dup2(fileno(file), 1), 1);
    const aclError printed = aclmdlRIDebugPrint(graph);
    EXPECT_EQ(dup2(before, 1), 1);
    close(before);
    std::fclose(file);
    EXPECT_EQ(printed, ACL_SUCCESS);
    return ReadText(path);
}

// The text contains all of these.
void ExpectParts(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST_F(GraphPicture, TextHasALineForEachTask) {
    const Scene scene;
    const Graph graph = Draw(scene);
    const std::string text = Printed(graph, path_);
    ExpectParts(text, {"tasks 10, streams 2\n", "\n    0 copy, bytes 200, direction pinned to device, dst 0x",
                       "\n    5 kernel, name mark, blocks 4 x 1 x 1", ", after 7 4\n", "(id "});
}

// The picture of a choice in JSON: its handle, the address of its value if there is one, and its bodies.
void ExpectChoice(const Json& json, const std::string& handle, const std::string& value) {
    const auto& tasks = json.at("tasks");
    ASSERT_EQ(tasks.size(), 3u);
    EXPECT_FALSE(json.contains("captured"));
    EXPECT_FALSE(tasks[0].contains("bodies"));
    EXPECT_EQ(tasks[1].at("kind"), "if");
    EXPECT_EQ(tasks[1].at("type"), ACL_MODEL_RI_TASK_DEFAULT);
    EXPECT_EQ(tasks[1].at("condition"), handle);
    EXPECT_EQ(tasks[1].value("value", ""), value);
    const auto& either = tasks[1].at("bodies");
    ASSERT_EQ(either.size(), 2u);
    EXPECT_EQ(either[0].at("name"), "yes");
    EXPECT_FALSE(either[0].contains("captured"));
    EXPECT_EQ(either[1].at("captured"), false);
    EXPECT_TRUE(either[1].at("tasks").empty());
    const auto& then = either[0].at("tasks");
    ASSERT_EQ(then.size(), 2u);
    EXPECT_EQ(then[0].at("kind"), "while");
    EXPECT_EQ(then[1].at("bytes"), 32);
    ASSERT_EQ(then[0].at("bodies").size(), 1u);
    EXPECT_EQ(then[0].at("bodies")[0].at("tasks")[0].at("bytes"), 16);
}

// A choice between a loop and an empty body.
TEST_F(GraphPicture, ConditionalTasksShowTheirBodies) {
    const Stream stream, inner;
    const DeviceMemory memory(64);
    aclmdlRICondHandle handle = nullptr;
    uint64_t* value = nullptr;
    const Graph graph = Capture(stream, [&] {
        const Condition choice(GraphOf(stream), 1);
        handle = choice;
        value = choice.At();
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
        const auto either = AddTask(choice, kIf, 2, stream);
        ACL_OK(aclmdlRISetName(either[0], "yes"));
        std::vector<aclmdlRI> loop;
        CaptureBody(either[0], inner, [&] {
            const Condition rounds(either[0], 1);
            loop = AddTask(rounds, kWhile, 1, inner);
            ACL_OK(aclrtMemsetAsync(memory.At(), 32, 2, 32, inner));
        });
        CaptureBody(loop[0], inner, [&] { ACL_OK(aclrtMemsetAsync(memory.At(), 16, 3, 16, inner)); });
        ACL_OK(aclrtMemsetAsync(memory.At(), 8, 4, 8, stream));
    });
    for (uint32_t flags : {0u, 1u}) {
        ACL_OK(aclmdlRIDebugJsonPrint(graph, path_.c_str(), flags));
        ExpectChoice(Json::parse(ReadText(path_)), Shown(handle), flags ? Shown(value) : "");
    }
    const std::string text = Printed(graph, path_);
    ExpectParts(text,
                {"tasks 3, streams 1\n", "\n    1 if, condition 0x", ", after 0\n      then: graph ",
                 " \"yes\": tasks 2, streams 1\n        stream 0 (id ", "\n          0 while, ",
                 "\n            again: graph ", "\n                0 fill, bytes 16", "\n          1 fill, bytes 32",
                 "\n      else: graph ", ", not captured: tasks 0", "\n    2 fill, bytes 8"});
    ACL_OK(portaclGraphPrintDot(graph, path_.c_str()));
    const std::string dot = ReadText(path_);
    ExpectParts(dot, {"\n    subgraph cluster_1_0_body {\n", "\n      label=\"then: graph ",
                      "task_1_0_0 [label=\"0 while", "task_1_0_0_0_0 [label=\"0 fill", "task_1_0_0 -> task_1_0_1;\n",
                      "task_1_0_0 -> task_1_0_0_0_0 [label=\"again\", style=dashed];\n",
                      "task_1 -> task_1_0_0 [label=\"then\", style=dashed];\n", "task_1_1_0 [label=\"nothing\"",
                      "task_1 -> task_1_1_0 [label=\"else\", style=dashed];\n", "  task_1 -> task_2;\n"});
    EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
    if (std::system("dot -V >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs Graphviz, which draws what was read here";
    EXPECT_EQ(std::system(("dot -Tsvg '" + path_ + "' >/dev/null").c_str()), 0);
}

// Streams and kernels may be destroyed before a graph is drawn, and graphs may be empty.
TEST_F(GraphPicture, DestroyedObjectsAreMarked) {
    Stream stream;
    const Stream other;
    const DeviceMemory memory(64);
    const Graph graph = Capture(stream, [&] { ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream)); });
    const Graph empty = Capture(other, [] {});
    ACL_OK(aclrtDestroyStream(stream.Release()));
    ACL_OK(aclmdlRIDebugJsonPrint(graph, path_.c_str(), 0));
    EXPECT_EQ(Json::parse(ReadText(path_)).at("streams")[0].at("id"), nullptr);
    ACL_OK(portaclGraphPrintDot(graph, path_.c_str()));
    EXPECT_EQ(Dot(ReadText(path_)).cluster_labels.at(0), "stream 0 (destroyed)");
    ACL_OK(aclmdlRIDebugJsonPrint(empty, path_.c_str(), 1));
    EXPECT_TRUE(Json::parse(ReadText(path_)).at("tasks").empty());
    ACL_OK(portaclGraphPrintDot(empty, path_.c_str()));
    EXPECT_TRUE(Dot(ReadText(path_)).labels.empty());
}

TEST_F(GraphPicture, ArgumentsAreChecked) {
    const Stream stream;
    const char* path = path_.c_str();
    Graph graph = Capture(stream, [&] {
        aclmdlRI early = nullptr;
        StatusOf(stream, &early);
        constexpr aclError kCaptured = ACL_ERROR_RT_MODEL_CAPTURED;
        ACL_FAILS_SAYING(kCaptured, aclmdlRIDebugPrint(early), Shown(early));
        ACL_FAILS_SAYING(kCaptured, aclmdlRIDebugJsonPrint(early, path, 0), Shown(early));
        ACL_FAILS_SAYING(kCaptured, portaclGraphPrintDot(early, path), Shown(early));
    });
    constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
    ACL_FAILS_SAYING(kInvalid, aclmdlRIDebugPrint(nullptr), "modelRI is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRIDebugJsonPrint(nullptr, path, 0), "modelRI is null");
    ACL_FAILS_SAYING(kInvalid, portaclGraphPrintDot(nullptr, path), "modelRI is null");
    ACL_FAILS_SAYING(kInvalid, aclmdlRIDebugJsonPrint(graph, nullptr, 0), "path is null");
    ACL_FAILS_SAYING(kInvalid, portaclGraphPrintDot(graph, nullptr), "path is null");
    for (uint32_t flags : {2u, 3u, UINT32_MAX})
        ACL_FAILS_SAYING(kInvalid, aclmdlRIDebugJsonPrint(graph, path, flags), "flags is 0x");
    const std::string nowhere = path_ + "/no/such/folder";
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclmdlRIDebugJsonPrint(graph, nowhere.c_str(), 0), nowhere);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, portaclGraphPrintDot(graph, nowhere.c_str()), nowhere);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, portaclGraphPrintDot(graph, ""), "path");
    int local = 0;
    aclmdlRI dead = graph.Release();
    ACL_OK(aclmdlRIDestroy(dead));
    for (void* bad : {dead, static_cast<void*>(&local), static_cast<void*>(aclrtStream(stream))}) {
        constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
        ACL_FAILS_SAYING(kDead, aclmdlRIDebugPrint(bad), Shown(bad));
        ACL_FAILS_SAYING(kDead, aclmdlRIDebugJsonPrint(bad, path, 0), Shown(bad));
        ACL_FAILS_SAYING(kDead, portaclGraphPrintDot(bad, path), Shown(bad));
    }
    EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
