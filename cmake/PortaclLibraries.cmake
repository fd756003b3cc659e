# The targets portacl::portacl (static) and portacl::shared.
#
#   cargo rustc --crate-type staticlib   ->  libportacl.a with everything in it, all symbols global
#   make_libraries.sh                    ->  libportacl.a   one object, only API symbols global
#                                            libportacl.so.MAJOR.MINOR.PATCH   from the same object
#
# cargo runs on every build, because only cargo knows whether something changed. It takes a fraction
# of a second and leaves unchanged output alone, so nothing is rebuilt after it.

find_program(PORTACL_CARGO cargo HINTS "$ENV{HOME}/.cargo/bin")
find_program(PORTACL_RUSTC rustc HINTS "$ENV{HOME}/.cargo/bin")
if(NOT PORTACL_CARGO OR NOT PORTACL_RUSTC)
    message(FATAL_ERROR "cargo and rustc are needed: run './dev setup', or install them from https://rustup.rs")
endif()

# System libraries that Rust's standard library needs, as rustc lists them. Linking the shared
# library with -z defs proves that they are enough for portacl.
set(portacl_probe_target "")
if(portacl_rust_target)
    set(portacl_probe_target --target ${portacl_rust_target})
endif()
set(portacl_probe "${CMAKE_CURRENT_BINARY_DIR}/portacl_probe")
file(WRITE "${portacl_probe}.rs" "")
execute_process(
    COMMAND "${PORTACL_RUSTC}" ${portacl_probe_target} --crate-type staticlib --print native-static-libs
            -o "${portacl_probe}.a" "${portacl_probe}.rs"
    ERROR_VARIABLE portacl_probe_text RESULT_VARIABLE portacl_probe_result)
if(NOT portacl_probe_result EQUAL 0 OR NOT portacl_probe_text MATCHES "native-static-libs: ([^\n]*)")
    message(FATAL_ERROR "rustc --print native-static-libs failed:\n${portacl_probe_text}")
endif()
separate_arguments(PORTACL_NATIVE_LIBS UNIX_COMMAND "${CMAKE_MATCH_1}")
list(REMOVE_DUPLICATES PORTACL_NATIVE_LIBS)
# Compilers add the C library and their runtime themselves, and choose the right one: a program that
# is linked with -static has no shared libgcc_s.
list(REMOVE_ITEM PORTACL_NATIVE_LIBS -lc -lgcc_s)

if(PORTACL_CARGO_PROFILE STREQUAL "dev")
    set(portacl_profile_dir debug)
else()
    set(portacl_profile_dir "${PORTACL_CARGO_PROFILE}")
endif()
set(portacl_cargo_args rustc --lib --crate-type staticlib --profile ${PORTACL_CARGO_PROFILE} --locked)
if(NOT PORTACL_CUDA)
    list(APPEND portacl_cargo_args --no-default-features)
endif()
if(portacl_rust_target)
    list(APPEND portacl_cargo_args --target ${portacl_rust_target} ${portacl_build_std})
    string(PREPEND portacl_profile_dir "${portacl_rust_target}/")
endif()
set(portacl_archive "${PORTACL_CARGO_TARGET_DIR}/${portacl_profile_dir}/libportacl.a")
set(portacl_stage "${CMAKE_CURRENT_BINARY_DIR}/lib")
set(portacl_static "${portacl_stage}/libportacl.a")
set(portacl_soname "libportacl.so.${PROJECT_VERSION_MAJOR}")
set(portacl_shared "${portacl_stage}/libportacl.so.${PROJECT_VERSION}")

add_custom_target(portacl_cargo
    COMMAND ${CMAKE_COMMAND} -E env ${portacl_cargo_env}
            "CARGO_TARGET_DIR=${PORTACL_CARGO_TARGET_DIR}"
            "${PORTACL_CARGO}" ${portacl_cargo_args}
    BYPRODUCTS "${portacl_archive}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "cargo: libportacl (${PORTACL_CARGO_PROFILE})"
    USES_TERMINAL VERBATIM)

set(portacl_make_options "")
if(PORTACL_CARGO_PROFILE STREQUAL "release" AND NOT PORTACL_SANITIZER)
    list(APPEND portacl_make_options --strip-debug)
endif()
if(PORTACL_SANITIZER)
    # The sanitizer's functions come from the program.
    list(APPEND portacl_make_options --allow-undefined)
endif()
list(JOIN PORTACL_NATIVE_LIBS " " portacl_native_libs)
add_custom_command(
    OUTPUT "${portacl_static}" "${portacl_shared}" "${portacl_stage}/${portacl_soname}"
           "${portacl_stage}/libportacl.so" "${portacl_stage}/symbols.txt"
    COMMAND ${CMAKE_COMMAND} -E env
            "LD=${CMAKE_LINKER}" "NM=${CMAKE_NM}" "OBJCOPY=${CMAKE_OBJCOPY}"
            "AR=${CMAKE_AR}" "CC=${CMAKE_C_COMPILER}"
            bash "${PROJECT_SOURCE_DIR}/cmake/make_libraries.sh" ${portacl_make_options}
            "${portacl_archive}" "${portacl_stage}" "${PROJECT_VERSION}" "${portacl_native_libs}"
    DEPENDS "${portacl_archive}" "${PROJECT_SOURCE_DIR}/cmake/make_libraries.sh"
    COMMENT "libportacl.a and ${portacl_soname}: only the API's symbols stay global"
    VERBATIM)
add_custom_target(portacl_libraries ALL DEPENDS "${portacl_static}" "${portacl_shared}")
add_dependencies(portacl_libraries portacl_cargo)

add_library(portacl::portacl STATIC IMPORTED GLOBAL)
set_target_properties(portacl::portacl PROPERTIES
    IMPORTED_LOCATION "${portacl_static}"
    INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include"
    # Programs contain only what they use.
    INTERFACE_LINK_OPTIONS "-Wl,--gc-sections"
    INTERFACE_LINK_LIBRARIES "${PORTACL_NATIVE_LIBS}")
add_dependencies(portacl::portacl portacl_libraries)

add_library(portacl::shared SHARED IMPORTED GLOBAL)
set_target_properties(portacl::shared PROPERTIES
    IMPORTED_LOCATION "${portacl_shared}"
    IMPORTED_SONAME "${portacl_soname}"
    INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include")
add_dependencies(portacl::shared portacl_libraries)

# portacl_run_path_is_own_folder(TARGET): the library finds others beside itself, in the build as after installation. By
# default CMake links it with the folders of the build, and at installation overwrites them with zeros: their length, and
# the build id of the linker, would depend on where the library was built.
function(portacl_run_path_is_own_folder target)
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
endfunction()
