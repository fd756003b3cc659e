// Runs sequences of API calls that are decoded from bytes: first the committed corpus, then random
// mutations of it. An input that covers a new pair of call and code is kept and mutated further.
//
// usage: fuzz_calls CORPUS [COUNT [SEED [COLLECT]]]
//   COUNT    mutated inputs; PORTACL_TEST_FUZZ_INPUTS, else 100
//   SEED     the same seed produces the same inputs
//   COLLECT  a folder for the inputs with new coverage, from which the corpus is made
// A run that fails leaves its input in a file fuzz_failed_input.* of the working directory.

#include <acl/acl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "calls.h"

namespace {

using portacl_fuzz::Bytes;
using portacl_fuzz::Seen;

constexpr size_t kLongest = 1200;
// Far more than any input takes: SIGALRM ends an input that hangs.
constexpr unsigned kPatience = 240;

class Fuzzer {
  public:
    Fuzzer(uint32_t seed, std::string collect) : random_(seed), collect_(std::move(collect)) {
        const int file = mkstemp(failed_.data());
        if (file >= 0) close(file);
    }
    ~Fuzzer() { std::filesystem::remove(failed_); }

    void Try(Bytes bytes) {
        // The file remains if the program crashes here.
        std::ofstream(failed_, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        alarm(kPatience);
        const Seen seen = portacl_fuzz::RunInput(bytes);
        alarm(0);
        const size_t before = seen_.size();
        seen_.insert(seen.begin(), seen.end());
        if (seen_.size() == before) return;
        if (!collect_.empty()) {
            std::ofstream(collect_ + "/" + std::to_string(kept_.size()), std::ios::binary)
                .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        }
        kept_.push_back(std::move(bytes));
    }

    Bytes Made() {
        Bytes bytes;
        if (!kept_.empty() && Below(8) != 0) bytes = kept_[Below(kept_.size())];
        if (!kept_.empty() && Below(4) == 0) {
            const Bytes& other = kept_[Below(kept_.size())];
            bytes.insert(bytes.end(), other.begin(), other.end());
        }
        if (bytes.empty()) {
            bytes.resize(1 + Below(400));
            std::generate(bytes.begin(), bytes.end(), [this] { return Below(256); });
        }
        for (size_t change = Below(12); change > 0; change--) Change(bytes);
        bytes.resize(std::min(bytes.size(), kLongest));
        return bytes;
    }

    size_t Features() const { return seen_.size(); }

  private:
    size_t Below(size_t end) { return random_() % end; }

    void Change(Bytes& bytes) {
        const size_t at = Below(bytes.size() + 1);
        const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        if (at == bytes.size() || Below(3) == 0) {
            bytes.insert(place, static_cast<uint8_t>(Below(256)));
        } else if (Below(4) == 0 && bytes.size() > 1) {
            bytes.erase(place);
        } else {
            *place = static_cast<uint8_t>(Below(256));
        }
    }

    std::mt19937 random_;
    std::string collect_, failed_ = "fuzz_failed_input.XXXXXX";
    Seen seen_;
    std::vector<Bytes> kept_;
};

long Number(const char* text, long fallback) {
    return text && *text ? std::atol(text) : fallback;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS [COUNT [SEED [COLLECT]]]\n", argv[0]);
        return 2;
    }
    const long count = Number(argc > 2 ? argv[2] : std::getenv("PORTACL_TEST_FUZZ_INPUTS"), 100);
    const long seed = Number(argc > 3 ? argv[3] : nullptr, 1);
    if (const aclError code = aclInit(nullptr)) {
        std::printf("aclInit returned %d\n", code);
        return 1;
    }
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    Fuzzer fuzzer(static_cast<uint32_t>(seed), argc > 4 ? argv[4] : "");
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        fuzzer.Try(Bytes(std::istreambuf_iterator<char>(file), {}));
    }
    const size_t of_corpus = fuzzer.Features();
    for (long made = 0; made < count; made++) fuzzer.Try(fuzzer.Made());
    std::printf("%zu inputs of the corpus showed %zu pairs of call and code, %ld more inputs %zu pairs\n", paths.size(),
                of_corpus, count, fuzzer.Features());
    if (const aclError code = aclFinalize()) {
        std::printf("aclFinalize returned %d\n", code);
        return 1;
    }
    // Without this check, a program that no longer reaches the calls would pass.
    return paths.empty() || fuzzer.Features() < 60 ? 1 : 0;
}
