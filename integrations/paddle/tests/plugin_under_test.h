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

#include "base/callbacks.h"
#include "base/layout.h"

namespace paddle_test {

using portacl_paddle::kReleases;
inline constexpr int kColumns = static_cast<int>(std::size(kReleases));

// The callbacks of a table, each as a function with the name of its slot; null where it is empty.
struct Callbacks {
#define PORTACL_PADDLE_MEMBER(name, ...) decltype(&portacl_paddle::name) name = nullptr;
    PORTACL_PADDLE_CALLBACKS(PORTACL_PADDLE_MEMBER)
#undef PORTACL_PADDLE_MEMBER
};

// A table of a release's size, zero except for the size, with its parameters.
class Table {
  public:
    // Creates the table for `column` of slots.inc.
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

// Loads the plug-in of the program's first argument that begins with --plugin=, else the one of
// this build. It stays loaded until Unload.
void Load();
void Unload();
bool IsLoaded();
void SetPath(const std::string& path);
const std::string& Path();
std::string Program();  // this one's path

// Runs for `--unload` instead of the tests: returns 0 if nothing of the plug-in is left after its
// end.
int UseAndUnload();

// The callbacks of the newest release's table. Loads and initializes the plug-in if necessary.
const Callbacks& Plugin();

// Calls finalize, as Paddle does at exit.
void Finalize();

int DeviceCount();

// Captures standard error while this object lives.
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

// Device 0, initialized and set.
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
    // Returns whether every byte is `value`; does not wait.
    bool Holds(unsigned char value) const;

  private:
    C_Device_st device_;
    std::size_t size_;
    void* pointer_ = nullptr;
};

class PluginStream {
  public:
    explicit PluginStream(int device) : device_{device} {
        EXPECT_EQ(Plugin().create_stream(&device_, &stream_), C_SUCCESS);
        EXPECT_NE(stream_, nullptr);
    }
    ~PluginStream() { EXPECT_EQ(Plugin().destroy_stream(&device_, stream_), C_SUCCESS); }
    PluginStream(const PluginStream&) = delete;
    PluginStream& operator=(const PluginStream&) = delete;

    operator C_Stream() const { return stream_; }
    C_Status Synchronize() { return Plugin().synchronize_stream(&device_, stream_); }

  private:
    C_Device_st device_;
    C_Stream stream_ = nullptr;
};

// Blocks a stream until it is opened.
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
    struct GateState {
        std::mutex lock;
        std::condition_variable changed;
        bool open = false;
    };
    struct Holder {
        std::shared_ptr<GateState> state;
    };
    static void Wait(C_Device, C_Stream, void* argument, C_Status*) {
        const std::unique_ptr<Holder> holder(static_cast<Holder*>(argument));
        std::unique_lock<std::mutex> held(holder->state->lock);
        holder->state->changed.wait(held, [&] { return holder->state->open; });
    }

    std::shared_ptr<GateState> state_ = std::make_shared<GateState>();
};

}  // namespace paddle_test
