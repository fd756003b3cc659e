# The component portacl::cxx: a static library over the C API (integrations/cxx/).
#
#   cargo rustc -p portacl-cxx      ->  libportacl_cxx.a, including Rust's standard library
#   make_cxx.sh                     ->  portacl_cxx.o    one object; only what C++ calls is global
#   with the generated C++, src/bridge.cpp: libportacl_cxx.a
#
# It contains nothing of portacl's core: the program is linked with one portacl, which the component
# calls.

set(portacl_cxx_archive "${PORTACL_CARGO_TARGET_DIR}/${portacl_profile_dir}/libportacl_cxx.a")
set(portacl_cxx_object "${CMAKE_CURRENT_BINARY_DIR}/cxx/portacl_cxx.o")
set(portacl_cxx_args ${portacl_cargo_args})
list(INSERT portacl_cxx_args 1 -p portacl-cxx)

add_custom_target(portacl_cxx_cargo
    COMMAND ${CMAKE_COMMAND} -E env ${portacl_cargo_env} ${portacl_cargo_cxx_env}
            "CARGO_TARGET_DIR=${PORTACL_CARGO_TARGET_DIR}"
            "${PORTACL_CARGO}" ${portacl_cxx_args}
    BYPRODUCTS "${portacl_cxx_archive}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "cargo: libportacl_cxx (${PORTACL_CARGO_PROFILE})"
    USES_TERMINAL VERBATIM)
# Sequentially: cargo would make the second build wait anyway, with a message.
add_dependencies(portacl_cxx_cargo portacl_cargo)

set(portacl_cxx_options "")
if(PORTACL_CARGO_PROFILE STREQUAL "release" AND NOT PORTACL_SANITIZER)
    list(APPEND portacl_cxx_options --strip-debug)
endif()
add_custom_command(
    OUTPUT "${portacl_cxx_object}"
    COMMAND ${CMAKE_COMMAND} -E env "LD=${CMAKE_LINKER}" "NM=${CMAKE_NM}" "OBJCOPY=${CMAKE_OBJCOPY}"
            bash "${PROJECT_SOURCE_DIR}/cmake/make_cxx.sh" ${portacl_cxx_options}
            "${portacl_cxx_archive}" "${portacl_cxx_object}"
    DEPENDS "${portacl_cxx_archive}" "${PROJECT_SOURCE_DIR}/cmake/make_cxx.sh"
    COMMENT "portacl_cxx.o: only what C++ calls stays global"
    VERBATIM)

add_library(portacl_cxx STATIC integrations/cxx/src/bridge.cpp "${portacl_cxx_object}")
set_source_files_properties("${portacl_cxx_object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
target_compile_features(portacl_cxx PUBLIC cxx_std_17)
target_include_directories(portacl_cxx PUBLIC "${PROJECT_SOURCE_DIR}/integrations/cxx/include")
target_link_libraries(portacl_cxx PUBLIC portacl::portacl)
set_target_properties(portacl_cxx PROPERTIES
    POSITION_INDEPENDENT_CODE ON ARCHIVE_OUTPUT_DIRECTORY "${portacl_stage}")
add_library(portacl::cxx ALIAS portacl_cxx)

if(PORTACL_INSTALL)
    install(TARGETS portacl_cxx ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/integrations/cxx/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
            COMPONENT development)
endif()
