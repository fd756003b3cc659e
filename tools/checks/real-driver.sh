# NVIDIA's driver libraries of several releases, without a device: each function that the backend uses exists, and a
# program ends with an error. Fetches some 12 MB from Debian's component non-free into build/real-driver; only on request.
# The table of final errors is that of CUDA's header (4 MB more).
repair="look the function up by a name that those releases have (src/cuda/base/api.rs)"
check() {
    build demo --target sample_01_device_memory
    tools/final_errors.py --check build/real-driver/cuda
    tools/real_driver.py build/real-driver build/demo/samples/01_device_memory
}
sabotage() { sed -i 's/"cuStreamSynchronize"/"cuStreamSynchronise"/' src/cuda/base/api.rs; }
