# ggml's backend for Ascend devices computes as its CPU backend. Fetches torch and llama-cpp-python once, and compiles ggml:
# --deep only.
repair="./dev ggml; a changed number of cases: PORTACL_UPDATE=1 writes operators.tsv"
check() {
    tools/ggml.sh install || return
    tools/ggml.sh
}
sabotage() { sed -i 's/std::get<1>(at::sort(self, true, dim, descending))/std::get<1>(at::sort(self, true, dim, !descending))/' integrations/operators/ops/reduction.cpp; }
