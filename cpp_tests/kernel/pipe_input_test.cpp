// The library reads a FIFO: it never blocks without a writer.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class Fifo {
  public:
    Fifo() : path_(InOwnFolder("fifo")) { EXPECT_EQ(0, mkfifo(path_.c_str(), 0600)); }
    const char* Path() const { return path_.c_str(); }
    // A writer that opens the FIFO, then writes nothing until it is closed.
    int SilentWriter() const { return open(path_.c_str(), O_RDWR); }

    // Runs `read()` while a writer supplies these bytes.
    template <typename Read>
    void WhileWriting(const std::vector<char>& bytes, Read read) const {
        // Opened for reading as well, so it can be opened before its reader and can write without
        // one.
        const int file = SilentWriter();
        std::thread writer([&] {
            size_t at = 0;
            while (at < bytes.size()) {
                const ssize_t written = write(file, &bytes[at], bytes.size() - at);
                if (written <= 0) break;
                at += static_cast<size_t>(written);
            }
            EXPECT_EQ(at, bytes.size());
            // Closing the FIFO discards what is not read yet.
            for (int left = 1; left > 0; std::this_thread::yield())
                if (ioctl(file, FIONREAD, &left) != 0) break;
            close(file);
        });
        read();
        writer.join();
    }

  private:
    std::string path_;
};

std::vector<char> Text(const std::string& text) {
    return {text.begin(), text.end()};
}

}  // namespace

OWN_PROCESS_TEST(PipeInput, AConfigurationWithoutAWriterIsRefused) {
    const Fifo fifo;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(fifo.Path()), fifo.Path(), "configPath", "it is a FIFO",
                     "start a process that writes to it first");
    const int silent = fifo.SilentWriter();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(fifo.Path()), fifo.Path(), "nothing was written to it for 5s");
    close(silent);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit("/dev/zero"), "/dev/zero", "a pipe or a device");
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(PipeInput, AConfigurationIsReadFromAPipe) {
    const Fifo fifo;
    fifo.WhileWriting(Text(R"({"defaultDevice": {"default_device": "0"}})"), [&] { ACL_OK(aclInit(fifo.Path())); });
    int32_t device = -1;
    ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, 0);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(PipeInput, SuppressionsAreReadFromAPipe) {
    const Fifo fifo;
    setenv("PORTACL_CHECK", "misuse", 1);
    setenv("PORTACL_CHECK_SUPPRESS", fifo.Path(), 1);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(nullptr), fifo.Path(), "PORTACL_CHECK_SUPPRESS", "it is a FIFO");
    fifo.WhileWriting(Text("aclrtFree\n"), [] { ACL_OK(aclInit(nullptr)); });
    testing::internal::CaptureStderr();
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFree(nullptr));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(PipeInput, AProgramIsReadFromAPipe) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const Fifo fifo;
    aclrtBinHandle program = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclrtBinaryLoadFromFile(fifo.Path(), nullptr, &program), fifo.Path(),
                     "binPath", "it is a FIFO");
    fifo.WhileWriting(Read(ProgramPath()), [&] { ACL_OK(aclrtBinaryLoadFromFile(fifo.Path(), nullptr, &program)); });
    aclrtFuncHandle kernel = nullptr;
    ACL_OK(aclrtBinaryGetFunction(program, "mark", &kernel));
    ACL_OK(aclrtBinaryUnLoad(program));
    ACL_OK(aclFinalize());
}
