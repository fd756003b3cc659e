# The pack for a machine with a GPU: on the fake driver, with 8 and with 32 hardware queues. Takes long: --deep
# only.
repair="run the test that failed alone; if it passes, it reads what other tests of its process leave behind"
check() {
    tools/gpu_pack.sh
    tools/gpu_try.sh
}
sabotage() { sed -i "s|^cp tools.gpu.{.*||" tools/gpu_pack.sh; }
