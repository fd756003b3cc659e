// 08_mem_pool in C++: stream-ordered memory. Two streams share a pool, and neither waits for
// memory: buffers go out of scope before the work that uses them has started, and the pool reuses
// their memory for the next ones.
//
// usage: 12_async_buffers [ROUNDS]     default: 100

#include <portacl/portacl.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace {

constexpr std::size_t kBytes = 8 << 20;

// Fills memory of the pool in one stream and copies it in the other. It is allocated in the order
// of the first stream and freed in the order of the second, which hand_over orders after the fill.
void UseMemory(portacl::MemPoolRef pool, portacl::StreamRef first, portacl::StreamRef second, unsigned char value,
               portacl::Span<unsigned char> last_byte) {
    portacl::AsyncBuffer<unsigned char> buffer(kBytes, first, pool);
    portacl::fill_bytes_async(buffer, value, first);
    buffer.hand_over(second);
    portacl::copy_async(last_byte, buffer.span().subspan(kBytes - 1, 1), second);
}

void Run(std::size_t rounds) {
    const portacl::Runtime runtime;
    const portacl::Device device(0);
    const portacl::MemPool pool(device.id());
    // The release threshold: the pool keeps up to this much at a synchronize, for the next round.
    pool.set_release_threshold(64 << 20);

    // Page-locked, so that copies to it are asynchronous.
    const portacl::HostBuffer<unsigned char> last_bytes(rounds);
    const portacl::Stream first, second;
    for (std::size_t round = 0; round < rounds; ++round) {
        UseMemory(pool, first, second, static_cast<unsigned char>(round % 251), {last_bytes.data() + round, 1});
        // From time to time the first stream waits for the second, and can reuse its memory.
        if (round % 4 == 3) {
            const portacl::Event freed;
            second.record(freed);
            first.wait(freed);
        }
    }
    second.synchronize();
    first.synchronize();

    std::size_t wrong = 0;
    for (std::size_t round = 0; round < rounds; ++round) wrong += last_bytes[round] != round % 251;
    std::printf("%zu buffers of %zu MiB, %zu of them wrong\n", rounds, kBytes >> 20, wrong);
    std::printf("most in use at once: %llu MiB, most taken from the device: %llu MiB\n",
                static_cast<unsigned long long>(pool.used().peak >> 20),
                static_cast<unsigned long long>(pool.reserved().peak >> 20));
    if (wrong != 0) throw std::runtime_error("the contents are wrong");
    pool.trim_to(0);
}

}  // namespace

int main(int argc, char** argv) {
    const long rounds = argc > 1 ? std::atol(argv[1]) : 100;
    if (rounds < 1) {
        std::fprintf(stderr, "usage: %s [ROUNDS], at least 1\n", argv[0]);
        return EXIT_FAILURE;
    }
    try {
        Run(static_cast<std::size_t>(rounds));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
