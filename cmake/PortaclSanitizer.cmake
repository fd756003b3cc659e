# PORTACL_SANITIZER: the same sanitizer for the Rust library, its C files and every C++ program of this
# build. Crates compile their C files with CFLAGS. A stable compiler takes -Zsanitizer only with
# RUSTC_BOOTSTRAP=1. The target is named explicitly, so that cargo does not instrument build scripts,
# which run on the host.
#
# rustc has no UndefinedBehaviorSanitizer. With PORTACL_SANITIZER=undefined the Rust code is built
# in the dev profile, whose debug assertions check overflows, alignment, null pointers and the
# preconditions of unsafe functions. C and C++ get GCC's or Clang's sanitizer, and the first report
# ends the program. Not -fsanitize=enum: C programs may pass any number as an enum, the library refuses those that it does
# not know, and tests pass them on purpose. Compilers take each number of the underlying type (no -fstrict-enums).
set(portacl_build_std "")

if(PORTACL_SANITIZER AND CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "PORTACL_SANITIZER needs a native build")
elseif(PORTACL_SANITIZER STREQUAL "undefined")
    if(NOT PORTACL_CARGO_PROFILE STREQUAL "dev")
        message(FATAL_ERROR "PORTACL_SANITIZER=undefined needs PORTACL_CARGO_PROFILE=dev, which has debug assertions")
    endif()
    set(portacl_sanitizer_c_flags -fsanitize=undefined -fno-sanitize=enum -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    add_link_options(-fsanitize=undefined)
elseif(PORTACL_SANITIZER)
    if(NOT PORTACL_SANITIZER MATCHES "^(address|thread)$")
        message(FATAL_ERROR "PORTACL_SANITIZER is '${PORTACL_SANITIZER}'; it can be empty, address, thread or undefined")
    endif()
    find_program(PORTACL_RUSTC rustc HINTS "$ENV{HOME}/.cargo/bin" REQUIRED)
    execute_process(COMMAND "${PORTACL_RUSTC}" -vV OUTPUT_VARIABLE portacl_rustc_verbose
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "host: ([^\n]+)" _ "${portacl_rustc_verbose}")
    set(portacl_rust_target "${CMAKE_MATCH_1}")
    execute_process(COMMAND "${PORTACL_RUSTC}" --print sysroot OUTPUT_VARIABLE portacl_sysroot
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    # The prebuilt standard library is not instrumented, and by default rustc refuses to mix.
    # ThreadSanitizer needs an instrumented one: it does not understand the fence in Arc, and
    # reports every last drop.
    set(portacl_sanitizer_flags "-Zsanitizer=${PORTACL_SANITIZER} -Cforce-frame-pointers=yes")
    if(PORTACL_SANITIZER STREQUAL "thread")
        if(NOT EXISTS "${portacl_sysroot}/lib/rustlib/src/rust/library/std/Cargo.toml")
            message(FATAL_ERROR "PORTACL_SANITIZER=thread builds Rust's standard library: "
                                "'rustup component add rust-src' brings its sources")
        endif()
        set(portacl_build_std -Zbuild-std=std,panic_unwind)
    else()
        string(APPEND portacl_sanitizer_flags " -Cunsafe-allow-abi-mismatch=sanitizer")
    endif()
    list(APPEND portacl_cargo_env "RUSTC_BOOTSTRAP=1" "RUSTFLAGS=${portacl_sanitizer_flags}")
    set(portacl_sanitizer_c_flags -fsanitize=${PORTACL_SANITIZER} -fno-omit-frame-pointer -g)

    # Both languages use rustc's sanitizer runtime, because rustc's LLVM emits calls that an older
    # GCC's runtime lacks. Programs contain the runtime; shared libraries use the program's.
    string(SUBSTRING ${PORTACL_SANITIZER} 0 1 portacl_initial)
    file(GLOB portacl_runtime
         "${portacl_sysroot}/lib/rustlib/${portacl_rust_target}/lib/librustc-*_rt.${portacl_initial}san.a")
    if(NOT portacl_runtime)
        message(FATAL_ERROR "rustc has no ${PORTACL_SANITIZER} sanitizer runtime in ${portacl_sysroot}")
    endif()
    add_link_options(
        "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,--whole-archive,${portacl_runtime},--no-whole-archive;-Wl,--export-dynamic>")
    link_libraries(pthread dl rt m)
endif()

if(PORTACL_SANITIZER)
    add_compile_options(${portacl_sanitizer_c_flags})
    list(JOIN portacl_sanitizer_c_flags " " portacl_cflags)
    list(APPEND portacl_cargo_env "CFLAGS=${portacl_cflags} $ENV{CFLAGS}")
endif()
