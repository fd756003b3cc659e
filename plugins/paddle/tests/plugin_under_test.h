// The plug-in as Paddle sees it: a shared library, InitPlugin, and a table with a slot for each
// callback. Nothing of Paddle is needed.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../src/callbacks.h"
#include "../src/layout.h"

namespace paddle_test {

using portacl_paddle::kReleases;
inline constexpr int kColumns = static_cast<int>(std::size(kReleases));

// The callbacks of a table, each as a function with the name of its slot; null where it is empty.
struct Callbacks {
#define PORTACL_PADDLE_MEMBER(name, ...) decltype(&portacl_paddle::name) name = nullptr;
    PORTACL_PADDLE_CALLBACKS(PORTACL_PADDLE_MEMBER)
#undef PORTACL_PADDLE_MEMBER
};

// A table of a release's size, all zero but for the size, and the parameters around it.
class Table {
  public:
    // `column` of slots.inc.
    explicit Table(int column) : Table(kReleases[column].table, kReleases[column].params) {}
    Table(std::size_t size, std::size_t params_size);

    CustomRuntimeParams& Params() { return params_; }
    std::size_t Size() const { return bytes_.size(); }
    void* At(std::size_t offset) const;
    void Init();  // InitPlugin of the loaded plug-in
    Callbacks In(int column) const;

  private:
    std::vector<unsigned char> bytes_;
    CustomRuntimeParams params_{};
};

// Loads the plug-in: the program's first argument that begins with --plugin=, else the one of this
// build. It stays loaded until Unload.
void Load();
void Unload();
bool IsLoaded();
void SetPath(const std::string& path);
const std::string& Path();
std::string Program();  // this one's path

// What `--unload` does instead of the tests: 0 if nothing of the plug-in is left after its end.
int UseAndUnload();

// The callbacks of the newest release's table. Loads the plug-in and starts it up if need be.
const Callbacks& Plugin();

// finalize, as Paddle calls it at exit.
void Finalize();

int DeviceCount();

// What the code under test writes to the standard error stream while this lives.
class ErrorOutput {
  public:
    ErrorOutput() { testing::internal::CaptureStderr(); }
    ~ErrorOutput() {
        if (!taken_) Take();
    }
    std::string Take() {
        taken_ = true;
        return testing::internal::GetCapturedStderr();
    }

  private:
    bool taken_ = false;
};

// Device 0, initialised and set.
class WithDevice : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(Plugin().init_device(&device_), C_SUCCESS);
        ASSERT_EQ(Plugin().set_device(&device_), C_SUCCESS);
    }
    C_Device device() { return &device_; }

  private:
    C_Device_st device_{0};
};

class WithTwoDevices : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
        ASSERT_EQ(Plugin().init_device(&other_), C_SUCCESS);
    }
    C_Device other() { return &other_; }

  private:
    C_Device_st other_{1};
};

// Device memory with contents.
class Memory {
  public:
    Memory(int device, std::size_t size, unsigned char value = 0);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void* At(std::size_t offset = 0) const { return static_cast<char*>(pointer_) + offset; }
    std::vector<unsigned char> Read() const;
    // Whether every byte is `value`; waits for nothing.
    bool Holds(unsigned char value) const;

  private:
    C_Device_st device_;
    std::size_t size_;
    void* pointer_ = nullptr;
};

class Stream {
  public:
    explicit Stream(int device) : device_{device} {
        EXPECT_EQ(Plugin().create_stream(&device_, &stream_), C_SUCCESS);
        EXPECT_NE(stream_, nullptr);
    }
    ~Stream() { EXPECT_EQ(Plugin().destroy_stream(&device_, stream_), C_SUCCESS); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    operator C_Stream() const { return stream_; }
    C_Status Synchronize() { return Plugin().synchronize_stream(&device_, stream_); }

  private:
    C_Device_st device_;
    C_Stream stream_ = nullptr;
};

// A stream waits at it until it is opened.
class Gate {
  public:
    ~Gate() { Open(); }
    C_Status Close(C_Device device, C_Stream stream) {
        return Plugin().stream_add_callback(device, stream, Wait, new Holder{state_});
    }
    void Open() {
        const std::lock_guard<std::mutex> held(state_->lock);
        state_->open = true;
        state_->changed.notify_all();
    }

  private:
    struct State {
        std::mutex lock;
        std::condition_variable changed;
        bool open = false;
    };
    struct Holder {
        std::shared_ptr<State> state;
    };
    static void Wait(C_Device, C_Stream, void* argument, C_Status*) {
        const std::unique_ptr<Holder> holder(static_cast<Holder*>(argument));
        std::unique_lock<std::mutex> held(holder->state->lock);
        holder->state->changed.wait(held, [&] { return holder->state->open; });
    }

    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace paddle_test
