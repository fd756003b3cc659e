//! NVIDIA GPUs, through the CUDA driver.
