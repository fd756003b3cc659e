# cpack writes Debian packages of the components, and an archive of everything: `cmake --preset package`,
# `cmake --build build/package`, `cd build/package && cpack`.
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_PACKAGE_NAME portacl)
set(CPACK_PACKAGE_CONTACT "The portacl authors")
set(CPACK_PACKAGE_VENDOR "The portacl authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGE_FILE_NAME "portacl-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_COMPONENTS_ALL runtime development module)
if(PORTACL_COMPAT_NAMES OR PORTACL_COMPAT_LAYOUT)
    list(APPEND CPACK_COMPONENTS_ALL compat)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
# The oldest C library comes from the symbols that the library uses.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME "libportacl${PROJECT_VERSION_MAJOR}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libportacl-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMPAT_PACKAGE_NAME portacl-compat)
set(CPACK_DEBIAN_MODULE_PACKAGE_NAME python3-portacl)
set(CPACK_DEBIAN_MODULE_PACKAGE_SECTION python)
set(portacl_same_version "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${portacl_same_version}")
set(CPACK_DEBIAN_MODULE_PACKAGE_DEPENDS "${portacl_same_version}, python3 (>= 3.9)")
set(CPACK_DEBIAN_COMPAT_PACKAGE_DEPENDS "${portacl_same_version}, libportacl-dev (= ${PROJECT_VERSION}-1), libstdc++6")
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    # Otherwise it is the processor of the build.
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
    # The libraries of a cross compiler are in packages of other names, which dpkg-shlibdeps would name.
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS OFF)
    set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
    # cpack reads the symbols, as dpkg-shlibdeps does, because the libraries are linked then.
    set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_BINARY_DIR}/package_needs.cmake")
    file(CONFIGURE OUTPUT package_needs.cmake CONTENT [[
execute_process(COMMAND "@CMAKE_OBJDUMP@" -T "@portacl_shared@" "@CMAKE_CURRENT_BINARY_DIR@/programs/portacl-info"
                        "@CMAKE_CURRENT_BINARY_DIR@/programs/portacl-explore"
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "GLIBC_[0-9.]+" symbols "${symbols}")
list(SORT symbols COMPARE NATURAL ORDER DESCENDING)
list(GET symbols 0 oldest)
string(REPLACE "GLIBC_" "" oldest "${oldest}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= ${oldest}), libgcc-s1")
string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", ${CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS}, libstdc++6")
]] @ONLY)
endif()
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The library, for programs that are linked with it.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, the static library, CMake and pkg-config files, and programs: portacl-info, portacl-explore.")
set(CPACK_COMPONENT_MODULE_DESCRIPTION "The Python module acl.")
set(CPACK_COMPONENT_COMPAT_DESCRIPTION
    "A folder that builds find as ASCEND_HOME_PATH, and libraries with the names of the original.")
include(CPack)
