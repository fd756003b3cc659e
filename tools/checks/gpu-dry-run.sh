# The pack for a machine with a GPU: all shards on the fake driver, with as many tests as the suite has. Takes long: --deep
# only.
check() {
    tools/gpu_pack.sh
    tools/gpu_try.sh
}
sabotage() { sed -i 's/^cp tools.gpu_run.sh.*/head -c 100 tools\/gpu_run.sh >"$pack\/run"/' tools/gpu_pack.sh; }
