// The library writes to a FIFO or a pipe: it never blocks without a reader, and a closed reader
// does not kill the process.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class Fifo {
  public:
    Fifo() : path_(InOwnFolder("fifo")) {
        EXPECT_EQ(0, mkfifo(path_.c_str(), 0600));
        // The default disposition of SIGPIPE, as in a C program.
        std::signal(SIGPIPE, SIG_DFL);
    }
    const std::string& Path() const { return path_; }
    int Reader() const { return open(path_.c_str(), O_RDONLY | O_NONBLOCK); }

  private:
    std::string path_;
};

void UseSomeMemory(int times = 1) {
    for (int i = 0; i < times; ++i) {
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
        ACL_OK(aclrtFree(memory));
    }
}

}  // namespace

OWN_PROCESS_TEST(PipeOutput, ATraceWantsAFile) {
    const Fifo fifo;
    setenv("PORTACL_TRACE", fifo.Path().c_str(), 1);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(nullptr), fifo.Path(), "regular file");
    // Also with a reader.
    const int reader = fifo.Reader();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(nullptr), fifo.Path(), "regular file");
    close(reader);
}

OWN_PROCESS_TEST(PipeOutput, ALogWithoutAReaderIsRefused) {
    const Fifo fifo;
    setenv("PORTACL_MEMORY_HOOK", ("log:" + fifo.Path()).c_str(), 1);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(nullptr), fifo.Path(), "no process reads it");
}

OWN_PROCESS_TEST(PipeOutput, OutputsOfChecksAndSchedulesWithoutAReaderAreRefused) {
    const Fifo fifo;
    setenv("PORTACL_BACKEND", "cpu", 1);
    for (const auto& [variable, reason] :
         {std::pair("PORTACL_CHECK_LOG", "PORTACL_CHECK"), std::pair("PORTACL_CHECK_REPORT", "PORTACL_CHECK"),
          std::pair("PORTACL_SCHEDULE_LOG", "PORTACL_SCHEDULE")}) {
        SCOPED_TRACE(variable);
        setenv(reason, variable == std::string("PORTACL_SCHEDULE_LOG") ? "lazy" : "all", 1);
        setenv(variable, fifo.Path().c_str(), 1);
        EXPECT_NE(aclInit(nullptr), ACL_SUCCESS);
        const std::string text = TakeText();
        for (const std::string& word : {std::string(variable), fifo.Path(), std::string("no process reads it")})
            EXPECT_NE(text.find(word), std::string::npos) << text;
        unsetenv(variable);
        unsetenv(reason);
    }
}

// What is written at the end: no call can return the failure.
OWN_PROCESS_TEST(PipeOutput, AReportAtTheEndNeedsAReader) {
    const Fifo fifo;
    setenv("PORTACL_MEMORY_HOOK", ("profile:" + fifo.Path()).c_str(), 1);
    setenv("PORTACL_FAULT_COUNT", fifo.Path().c_str(), 1);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    UseSomeMemory();
    testing::internal::CaptureStderr();
    ACL_OK(aclFinalize());
    const std::string text = testing::internal::GetCapturedStderr();
    for (const char* what : {"PORTACL_FAULT_COUNT: ", "the memory profile was not written: "}) {
        const size_t line = text.find(what);
        ASSERT_NE(line, std::string::npos) << text;
        EXPECT_NE(text.find("no process reads it", line), std::string::npos) << text;
    }
}

OWN_PROCESS_TEST(PipeOutput, ALogIsReadFromAPipe) {
    const Fifo fifo;
    const int reader = fifo.Reader();
    setenv("PORTACL_MEMORY_HOOK", ("log:" + fifo.Path()).c_str(), 1);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    UseSomeMemory();
    char text[64] = {};
    EXPECT_GT(read(reader, text, sizeof text - 1), 0);
    // The reader closes the pipe: lines are lost, the program continues.
    close(reader);
    UseSomeMemory(10);
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(PipeOutput, ALogWaitsNotForEverForAReader) {
    const Fifo fifo;
    const int reader = fifo.Reader();
    // The smallest capacity of a pipe.
    fcntl(reader, F_SETPIPE_SZ, 4096);
    setenv("PORTACL_MEMORY_HOOK", ("log:" + fifo.Path()).c_str(), 1);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    UseSomeMemory(200);
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
    close(reader);
}

OWN_PROCESS_TEST(PipeOutput, APictureOfAGraphWithoutAReaderIsRefused) {
    const Fifo fifo;
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream, &graph));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, portaclGraphPrintDot(graph, fifo.Path().c_str()), fifo.Path(),
                     "no process reads it");
    ACL_OK(aclmdlRIDestroy(graph));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
}
