# Toolchain file: builds for aarch64 Linux with Debian's cross compiler (gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu)
# and runs tests under qemu-user.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake ...
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(PORTACL_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(PORTACL_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${PORTACL_QEMU};-L;/usr/aarch64-linux-gnu")
endif()
