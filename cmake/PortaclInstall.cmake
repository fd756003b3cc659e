# The install tree. It contains no absolute path, so it can be moved. Its components are the Debian packages of
# cmake/PortaclPackages.cmake: runtime, development, module and compat.
include(CMakePackageConfigHelpers)

install(PROGRAMS "${portacl_shared}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
install(FILES "${portacl_stage}/${portacl_soname}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)
install(FILES "${portacl_static}" "${portacl_stage}/libportacl.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# A project of its own, with find_package.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/samples" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development
        PATTERN run_all.sh EXCLUDE PATTERN debug.sh EXCLUDE)

# The module acl for the system's Python, which on Debian looks in this folder below /usr.
set(PORTACL_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Folder of the Python module acl, below the prefix")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/integrations/python/acl" DESTINATION "${PORTACL_PYTHON_DIR}" COMPONENT module
        PATTERN __pycache__ EXCLUDE)
# Where its library is, from its own folder.
file(RELATIVE_PATH portacl_library_from_module "/prefix/${PORTACL_PYTHON_DIR}/acl" "/prefix/${CMAKE_INSTALL_LIBDIR}")
file(CONFIGURE OUTPUT python/library_folder CONTENT "@portacl_library_from_module@\n" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/python/library_folder" DESTINATION "${PORTACL_PYTHON_DIR}/acl" COMPONENT module)

set(portacl_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/portacl")
configure_package_config_file(cmake/portaclConfig.cmake.in portaclConfig.cmake
    INSTALL_DESTINATION "${portacl_config_dir}"
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
    NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the interface, as in Cargo.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(portacl_compatibility SameMinorVersion)
else()
    set(portacl_compatibility SameMajorVersion)
endif()
write_basic_package_version_file(portaclConfigVersion.cmake COMPATIBILITY ${portacl_compatibility})
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/portaclConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/portaclConfigVersion.cmake"
        DESTINATION "${portacl_config_dir}" COMPONENT development)

file(RELATIVE_PATH portacl_pc_to_prefix
     "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" portacl_pc_to_prefix "${portacl_pc_to_prefix}")
foreach(name portacl portacl-static)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endforeach()
