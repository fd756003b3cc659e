// What aclInit reads: a JSON file and the environment.

#include "support/acl_test.h"
#include "support/process/temporary_folder.h"
#include "support/says.h"
#include "support/threads.h"

#include <cstdlib>
#include <fstream>
#include <string>

using namespace portacl_test;

namespace {

// A configuration file that is removed after the test.
class ConfigFile {
  public:
    explicit ConfigFile(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }

    const char* path() const { return path_.c_str(); }

  private:
    const TemporaryFolder folder_;
    const std::string path_ = folder_.At("settings.json");
};

// An environment variable that is restored after the test.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) {
            old_ = old;
            had_ = true;
        }
        setenv(name, value, 1);
    }
    ~Variable() {
        if (had_)
            setenv(name_, old_.c_str(), 1);
        else
            unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
    std::string old_;
    bool had_ = false;
};

class Config : public testing::Test {
  protected:
    // Also finalizes a session that was opened without aclInit or by a failed aclInit.
    void TearDown() override {
        aclInit(nullptr);
        aclFinalize();
        aclGetRecentErrMsg();
    }

    // aclInit with a file of this content fails with `code`; the text names the file and contains
    // `part`.
    static void ExpectRefused(aclError code, const std::string& content, const std::string& part) {
        SCOPED_TRACE(content);
        const ConfigFile file(content);
        ACL_FAILS_SAYING(code, aclInit(file.path()), file.path(), part);
        ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    }

    static void ExpectAccepted(const std::string& content) {
        SCOPED_TRACE(content);
        const ConfigFile file(content);
        ACL_EXPECT_OK(aclInit(file.path()));
        ACL_EXPECT_OK(aclFinalize());
    }

    // aclInit fails with 100000 while the variable has this value; the text names both.
    static void ExpectRefusedVariable(const char* name, const char* value, const char* allowed) {
        SCOPED_TRACE(std::string(name) + "=" + value);
        {
            const Variable variable(name, value);
            ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInit(nullptr), name, "\"" + std::string(value) + "\"",
                             allowed);
            ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetDevice(0), name);
        }
        ACL_EXPECT_OK(aclInit(nullptr));
        ACL_EXPECT_OK(aclFinalize());
    }
};

// A JSON value as error texts print it.
std::string Printed(const std::string& value) {
    if (value[0] == '[') return "a list";
    if (value[0] == '{') return "an object";
    if (value[0] != '"' && value.find('.') != std::string::npos) return "a fraction";
    return value;
}

std::string Nested(int depth, const char* open, const char* close) {
    std::string text = "{\"dump\": ";
    for (int i = 0; i < depth; ++i) text += open;
    text += "1";
    for (int i = 0; i < depth; ++i) text += close;
    return text + "}";
}

bool IsCpu() {
    const char* backend = std::getenv("PORTACL_BACKEND");
    return backend && std::string(backend) == "cpu";
}

}  // namespace

TEST_F(Config, FilesWithDefaultValues) {
    ExpectAccepted("{}");
    ExpectAccepted(" \n{ }\n");
    ExpectAccepted(R"({"err_msg_mode": "0"})");
}

TEST_F(Config, UnrelatedKeysAreIgnored) {
    ExpectAccepted(R"({
        "dump": {"dump_list": [], "dump_path": "/nowhere", "dump_mode": "all"},
        "profiler": {"switch": "on", "output": "/nowhere"},
        "StackSize": {"aicore_stack_size": 32768},
        "max_opqueue_num": "20000",
        "aicpu_printf_fifo_size": 4096,
        "something": [1, 2.5, true, null, "\u00fc"]
    })");
}

TEST_F(Config, MissingFile) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit("/nonexistent/portacl.json"), "configPath",
                     "/nonexistent/portacl.json", "No such file");
}

TEST_F(Config, DirectoryInsteadOfAFile) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit("/tmp"), "configPath", "/tmp");
}

TEST_F(Config, InvalidPaths) {
    const std::string longer = "/" + std::string(100000, 'x');
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(longer.c_str()), "configPath");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit("\xff\xfe"), "configPath");
}

TEST_F(Config, MalformedFiles) {
    for (const char* content : {"", " ", "{", "}", "[]", "3", "\"text\"", "null", "{} {}", "{\"a\": }", "{'a': 1}",
                                "{\"a\": 1,}", "{\"a\": \"\xff\"}",
                                "\x7f"
                                "ELF",
                                "{\"a\": 1"}) {
        ExpectRefused(ACL_ERROR_PARSE_FILE, content, "configPath");
    }
    ExpectRefused(ACL_ERROR_PARSE_FILE, std::string("{}\0", 3), "JSON");
    ExpectRefused(ACL_ERROR_PARSE_FILE, std::string(1 << 20, '['), "10");
}

TEST_F(Config, NestingIsLimitedToTen) {
    // The file adds one level itself.
    ExpectAccepted(Nested(9, "{\"a\": ", "}"));
    ExpectRefused(ACL_ERROR_PARSE_FILE, Nested(10, "{\"a\": ", "}"), "10");
    ExpectAccepted(Nested(10, "[", "]"));
    ExpectRefused(ACL_ERROR_PARSE_FILE, Nested(11, "[", "]"), "10");
    ExpectAccepted(R"({"braces in a text are none": "[[[[[[[[[[[[{{{{{{{{{{{{\"["})");
}

TEST_F(Config, BadErrMsgMode) {
    for (const char* value : {"\"2\"", "\"\"", "\"x\"", "\"-1\"", "2", "-1", "null", "true", "[]", "{}"})
        ExpectRefused(ACL_ERROR_INVALID_PARAM, std::string("{\"err_msg_mode\": ") + value + "}",
                      "err_msg_mode is " + Printed(value));
}

TEST_F(Config, ErrMsgModeSharesTheText) {
    const ConfigFile file(R"({"err_msg_mode": "1"})");
    ACL_OK(aclInit(file.path()));
    OnNewThread([] { EXPECT_EQ(aclrtSetDevice(-3), ACL_ERROR_RT_INVALID_DEVICEID); });
    EXPECT_NE(TakeText().find("deviceId is -3"), std::string::npos);
}

TEST_F(Config, BadDefaultDevice) {
    for (const char* value :
         {"\"x\"", "\"\"", "\"-1\"", "\" 0\"", "\"0.0\"", "\"99999999999999999999\"", "-1", "0.5", "null", "[0]"})
        ExpectRefused(ACL_ERROR_FAILURE, std::string("{\"defaultDevice\": {\"default_device\": ") + value + "}}",
                      "default_device is " + Printed(value));
    for (const char* section : {"{}", "3", "\"0\"", "[]", "null"})
        ExpectRefused(ACL_ERROR_FAILURE, std::string("{\"defaultDevice\": ") + section + "}", "default_device");
}

TEST_F(Config, DefaultDeviceThatDoesNotExist) {
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    const std::string id = std::to_string(count);
    ExpectRefused(ACL_ERROR_FAILURE, R"({"defaultDevice": {"default_device": ")" + id + R"("}})",
                  "default_device is " + id);
}

TEST_F(Config, DefaultDeviceIsSetOnFirstUse) {
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    const auto last = static_cast<int32_t>(count) - 1;
    const ConfigFile file(R"({"defaultDevice": {"default_device": ")" + std::to_string(last) + R"("}})");
    ACL_OK(aclInit(file.path()));

    int32_t device = -1;
    ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, last);
    aclrtContext shared = nullptr;
    ACL_OK(aclrtGetCurrentContext(&shared));

    // Each first call that makes the device current works, on every thread.
    OnNewThread([] {
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtMemset(memory, 4096, 1, 4096));
        ACL_OK(aclrtFree(memory));
    });
    OnNewThread([&] {
        aclrtContext context = nullptr;
        ACL_OK(aclrtGetCurrentContext(&context));
        EXPECT_EQ(context, shared);
    });
    OnNewThread([] { ACL_EXPECT_OK(aclrtSynchronizeStream(nullptr)); });
    OnNewThread([] { ACL_EXPECT_OK(aclrtSynchronizeDevice()); });
    OnNewThread([] {
        size_t free = 0, total = 0;
        ACL_EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    });

    // A thread may still set another device.
    OnNewThread([] {
        ACL_OK(aclrtSetDevice(0));
        int32_t chosen = -1;
        ACL_OK(aclrtGetDevice(&chosen));
        EXPECT_EQ(chosen, 0);
    });
}

TEST_F(Config, DefaultDeviceEndsWithItsSession) {
    const ConfigFile file(R"({"defaultDevice": {"default_device": "0"}})");
    ACL_OK(aclInit(file.path()));
    int32_t device = -1;
    ACL_OK(aclrtGetDevice(&device));
    ACL_OK(aclFinalize());
    auto poison = Poison<int32_t>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&poison));
    ACL_OK(aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&poison));
    OnNewThread([] {
        auto inside = Poison<int32_t>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&inside));
        EXPECT_TRUE(IsPoison(inside));
    });
    EXPECT_TRUE(IsPoison(poison));
}

TEST_F(Config, TheFirstConfigurationStays) {
    const ConfigFile first(R"({"defaultDevice": {"default_device": "0"}})");
    const ConfigFile second(R"({"err_msg_mode": "1"})");
    ACL_OK(aclInit(first.path()));
    ACL_FAILS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(second.path()));
    int32_t device = -1;
    ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, 0);
    OnNewThread([] { EXPECT_EQ(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID); });
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "texts are shared as in the second file";
}

TEST_F(Config, InvalidVariables) {
    for (const char* value : {"gpu", "CPU", "cpu ", "0"})
        ExpectRefusedVariable("PORTACL_BACKEND", value, "auto, cpu or cuda");
    for (const char* value : {"0", "65", "-1", "two", "1.5", "4294967297", " 4"})
        ExpectRefusedVariable("PORTACL_CPU_DEVICES", value, "1 to 64");
    for (const char* value : {"1", "1K", "x", "M", "-1G", "1.5G", "99999999999999999999", "99999999T"})
        ExpectRefusedVariable("PORTACL_CPU_MEMORY", value, "4M");
    for (const char* value : {"yes", "1", "Always"})
        ExpectRefusedVariable("PORTACL_CPU_ASYNC", value, "auto or always");
    for (const char* value : {"0", "255K", "65G", "8MB", "-1", "unlimited", "99999999T"})
        ExpectRefusedVariable("PORTACL_THREAD_STACK", value, "256K to 64G");
    for (const char* value : {"x", "-1"}) ExpectRefusedVariable("PORTACL_CPU_SEED", value, "0 to");
    for (const char* value : {"0", "x", "-5", "3600001"}) {
        ExpectRefusedVariable("PORTACL_FINALIZE_TIMEOUT_MS", value, "1 to 3600000");
        ExpectRefusedVariable("PORTACL_SNAPSHOT_TIMEOUT_MS", value, "1 to 3600000");
    }
}

TEST_F(Config, EmptyVariablesMeanDefaults) {
    for (const char* name : {"PORTACL_CPU_DEVICES", "PORTACL_CPU_MEMORY", "PORTACL_CPU_SEED", "PORTACL_THREAD_STACK",
                             "PORTACL_FINALIZE_TIMEOUT_MS", "PORTACL_SNAPSHOT_TIMEOUT_MS"}) {
        SCOPED_TRACE(name);
        const Variable variable(name, "");
        ACL_EXPECT_OK(aclInit(nullptr));
        ACL_EXPECT_OK(aclFinalize());
    }
}

// The environment is read when a session begins, not later.
TEST_F(Config, VariablesAreReadWhenASessionBegins) {
    ACL_OK(aclInit(nullptr));
    const Variable variable("PORTACL_BACKEND", "nonsense");
    ACL_EXPECT_OK(aclrtSetDevice(0));
    uint32_t count = 0;
    ACL_EXPECT_OK(aclrtGetDeviceCount(&count));
}

TEST_F(Config, CpuDevicesAndMemory) {
    if (!IsCpu()) GTEST_SKIP() << "for CPUs only: the settings are those of this backend";
    const Variable devices("PORTACL_CPU_DEVICES", "3");
    const Variable memory("PORTACL_CPU_MEMORY", "64m");
    ACL_OK(aclInit(nullptr));
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    EXPECT_EQ(count, 3u);
    ACL_OK(aclrtSetDevice(2));
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(3), "deviceId is 3", "3 devices");
    size_t free = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    EXPECT_EQ(total, size_t{64} << 20);
    EXPECT_LE(free, total);
}

// Requesting CUDA by name without a driver is an error; the library does not fall back to the CPU.
