// Decodes tokens greedily with llama.cpp, on one device: decode MODEL DEVICE FLASH COUNT
// DEVICE is cpu, or the name of a device of ggml. Prints the numbers of the tokens.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "llama.h"

namespace {

[[noreturn]] void Fail(const char* what) {
    std::fprintf(stderr, "decode: %s\n", what);
    std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) Fail("usage: decode MODEL DEVICE FLASH COUNT");
    const std::string device = arguments[2];
    llama_log_set(
        [](ggml_log_level level, const char* text, void*) {
            if (level >= GGML_LOG_LEVEL_WARN) std::fputs(text, stderr);
        },
        nullptr);
    llama_backend_init();

    ggml_backend_dev_t devices[] = {nullptr, nullptr};
    llama_model_params model_params = llama_model_default_params();
    model_params.devices = devices;
    model_params.n_gpu_layers = 0;
    model_params.use_extra_bufts = false;
    if (device != "cpu") {
        devices[0] = ggml_backend_dev_by_name(device.c_str());
        if (devices[0] == nullptr) Fail("ggml has no such device");
        model_params.n_gpu_layers = 99;
    }
    llama_model* const model = llama_model_load_from_file(arguments[1], model_params);
    if (model == nullptr) Fail("the model cannot be loaded");

    llama_context_params context_params = llama_context_default_params();
    context_params.n_ctx = 256;
    context_params.n_threads = context_params.n_threads_batch = 1;
    context_params.flash_attn_type =
        std::atoi(arguments[3]) != 0 ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    llama_context* const context = llama_init_from_model(model, context_params);
    if (context == nullptr) Fail("no context can be created");

    const int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
    std::vector<llama_token> tokens{1, 7, 42, 3, 19, 23};
    const int wanted = std::atoi(arguments[4]);
    for (int i = 0; i < wanted; ++i) {
        if (llama_decode(context, llama_batch_get_one(tokens.data(), static_cast<int32_t>(tokens.size()))) != 0)
            Fail("llama_decode failed");
        const float* const logits = llama_get_logits_ith(context, -1);
        const auto best = static_cast<llama_token>(std::max_element(logits, logits + vocabulary) - logits);
        std::printf("%d%c", best, i + 1 < wanted ? ' ' : '\n');
        tokens = {best};
    }
    llama_free(context);
    llama_model_free(model);
    llama_backend_free();
}
