# The Rust target of a cross build, from CMAKE_SYSTEM_PROCESSOR (see cmake/aarch64-linux-gnu.cmake).
#
# portacl_rust_target: empty for a native build. portacl_cargo_env: cargo's environment. portacl_cargo_cxx_env: what it has
# beside that where it compiles C++.
set(portacl_rust_target "")
# Cargo uses cc and c++. A variable that only some of its calls have makes cargo build again what depends on it, also
# while the tests of another call use it, so these are set for other compilers only.
set(portacl_cargo_env "")
set(portacl_cargo_cxx_env "")
find_program(portacl_default_cc cc NO_CACHE)
find_program(portacl_default_cxx c++ NO_CACHE)
if(NOT CMAKE_C_COMPILER STREQUAL portacl_default_cc)
    list(APPEND portacl_cargo_env "CC=${CMAKE_C_COMPILER}")
endif()
if(NOT CMAKE_CXX_COMPILER STREQUAL portacl_default_cxx)
    list(APPEND portacl_cargo_cxx_env "CXX=${CMAKE_CXX_COMPILER}")
endif()
if(CMAKE_CROSSCOMPILING)
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|x86_64)$")
        message(FATAL_ERROR "portacl supports aarch64 and x86_64, not CMAKE_SYSTEM_PROCESSOR=${CMAKE_SYSTEM_PROCESSOR}")
    endif()
    set(portacl_rust_target "${CMAKE_SYSTEM_PROCESSOR}-unknown-linux-gnu")
    find_program(PORTACL_RUSTC rustc HINTS "$ENV{HOME}/.cargo/bin" REQUIRED)
    execute_process(
        COMMAND "${PORTACL_RUSTC}" --print target-libdir --target ${portacl_rust_target}
        OUTPUT_VARIABLE portacl_target_libdir OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(NOT IS_DIRECTORY "${portacl_target_libdir}")
        message(FATAL_ERROR "Rust's standard library for ${portacl_rust_target} is missing: "
                            "run 'rustup target add ${portacl_rust_target}'")
    endif()
    # The host's compiler builds what runs during the build.
    string(REPLACE "-" "_" portacl_target_variable "${portacl_rust_target}")
    string(TOUPPER "${portacl_target_variable}" portacl_target_upper)
    set(portacl_cargo_env
        "CC_${portacl_target_variable}=${CMAKE_C_COMPILER}"
        "AR_${portacl_target_variable}=${CMAKE_AR}"
        "CARGO_TARGET_${portacl_target_upper}_LINKER=${CMAKE_C_COMPILER}")
    set(portacl_cargo_cxx_env "CXX_${portacl_target_variable}=${CMAKE_CXX_COMPILER}")
endif()
