// Measures the most frequent callbacks of Paddle: nanoseconds above an empty call through a
// pointer, the minimum of many rounds. Loads the plug-in as Paddle does.
//
// usage: calls PLUGIN [CALLBACK COUNT]   with a callback, only makes COUNT calls of it, for
// counting instructions
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/callbacks.h"
#include "base/layout.h"

using namespace portacl_paddle;

namespace {

constexpr int kRounds = 2000;
constexpr int kCalls = 500;

__attribute__((noinline)) C_Status Empty(C_Device device) {
    asm volatile("" : : "r"(device));
    return C_SUCCESS;
}

template <typename Call>
double Nanoseconds(Call call) {
    double least = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        const auto started = std::chrono::steady_clock::now();
        for (int number = 0; number < kCalls; ++number) call();
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - started;
        least = std::min(least, took.count() / kCalls);
    }
    return least;
}

template <typename Callback>
Callback At(const std::vector<unsigned char>& table, std::size_t offset) {
    Callback found = nullptr;
    std::memcpy(&found, table.data() + offset, sizeof found);
    return found;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int kColumn = static_cast<int>(std::size(kReleases)) - 1;
    const bool usage = argc != 2 && argc != 4;
    void* library = usage ? nullptr : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::fprintf(stderr, "usage: calls PLUGIN [CALLBACK COUNT]\n%s\n", usage ? "" : dlerror());
        return 2;
    }
    std::vector<unsigned char> table(kReleases[kColumn].table);
    std::memcpy(table.data(), &kReleases[kColumn].table, sizeof(std::size_t));
    CustomRuntimeParams params{};
    params.size = kReleases[kColumn].params;
    params.interface = reinterpret_cast<C_DeviceInterface*>(table.data());
    reinterpret_cast<decltype(&InitPlugin)>(dlsym(library, "InitPlugin"))(&params);
    if (params.device_type == nullptr) return 1;

    C_Device_st device{0};
    C_Stream stream = nullptr;
    At<decltype(&initialize)>(table, slot_of::initialize[kColumn])();
    At<decltype(&init_device)>(table, slot_of::init_device[kColumn])(&device);
    At<decltype(&create_stream)>(table, slot_of::create_stream[kColumn])(&device, &stream);
    const auto set = At<decltype(&set_device)>(table, slot_of::set_device[kColumn]);
    const auto get = At<decltype(&get_device)>(table, slot_of::get_device[kColumn]);
    const auto wait = At<decltype(&synchronize_stream)>(table, slot_of::synchronize_stream[kColumn]);
    C_Status (*volatile empty)(C_Device) = Empty;
    set(&device);

    double nothing = 0;  // until the empty call has been measured
    const auto measure = [&](const char* name, auto call) {
        if (argc == 2) {
            const double took = Nanoseconds(call);
            if (nothing == 0) nothing = took;
            std::printf("%s %.2f %.2f\n", name, took, took - nothing);
        } else if (std::strcmp(argv[2], name) == 0) {
            for (int number = std::atoi(argv[3]); number > 0; --number) call();
        }
    };
    measure("empty", [&] { empty(&device); });
    measure("set_device", [&] { set(&device); });
    measure("get_device", [&] { get(&device); });
    measure("synchronize_stream", [&] { wait(&device, stream); });
    At<decltype(&finalize)>(table, slot_of::finalize[kColumn])();
    return 0;
}
