# PORTACL_COMPAT_LAYOUT: a folder that a program's build finds as $ASCEND_HOME_PATH. Headers and libraries have the
# places that public projects look in. It contains links and the companions, nothing twice.
#
#   include/{acl,hccl,portacl}   lib64/lib*.so   set_env.sh
#   runtime/include  runtime/lib64/stub/lib*.so    what programs are linked with on machines without a device
#   lib64/stub                                     runtime/lib64/stub
#   acllib/ fwkacllib/ compiler/ MACHINE-linux/    each with include and lib64, and so with lib64/stub
#   devlib MACHINE-linux/devlib                    lib64
#   opp/ ascend_portacl_install.info               what torch_npu looks for (PortaclAscendHome.cmake)
set(portacl_layout "${CMAKE_CURRENT_BINARY_DIR}/layout")
file(REMOVE_RECURSE "${portacl_layout}")
include(PortaclAscendHome)
portacl_ascend_home("${portacl_layout}" opp)

# portacl_layout_link(NAME TARGET): a link in the layout; TARGET is relative to the folder of the link.
function(portacl_layout_link name target)
    get_filename_component(folder "${portacl_layout}/${name}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    file(CREATE_LINK "${target}" "${portacl_layout}/${name}" SYMBOLIC)
endfunction()

get_filename_component(portacl_layout_full "${PORTACL_COMPAT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH portacl_layout_to_lib "${portacl_layout_full}/lib64" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH portacl_layout_to_include "${portacl_layout_full}/include" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
portacl_layout_link("lib64/${portacl_soname}" "${portacl_layout_to_lib}/${portacl_soname}")
set(portacl_layout_headers acl hccl portacl)
if(PORTACL_TORCH)
    list(APPEND portacl_layout_headers aclnn aclnnop)
endif()
foreach(name IN LISTS portacl_layout_headers)
    portacl_layout_link("include/${name}" "${portacl_layout_to_include}/${name}")
endforeach()
foreach(part acllib fwkacllib compiler ${CMAKE_SYSTEM_PROCESSOR}-linux)
    portacl_layout_link("${part}/include" "../include")
    portacl_layout_link("${part}/lib64" "../lib64")
endforeach()
portacl_layout_link(devlib lib64)
portacl_layout_link("${CMAKE_SYSTEM_PROCESSOR}-linux/devlib" "../lib64")
portacl_layout_link(lib64/stub "../runtime/lib64/stub")
portacl_layout_link(runtime/include "../include")
get_property(portacl_companions GLOBAL PROPERTY portacl_companions)
foreach(target IN LISTS portacl_companions)
    string(REGEX REPLACE "^companion_" "" name "${target}")
    portacl_layout_link("runtime/lib64/lib${name}.so" "../../lib64/lib${name}.so")
    portacl_layout_link("runtime/lib64/stub/lib${name}.so" "../../../lib64/lib${name}.so")
endforeach()
if(PORTACL_TORCH)
    portacl_layout_link("lib64/libopapi.so" "${portacl_layout_to_lib}/libopapi.so")
    portacl_layout_link("runtime/lib64/libopapi.so" "../../lib64/libopapi.so")
    portacl_layout_link("runtime/lib64/stub/libopapi.so" "../../../lib64/libopapi.so")
endif()
portacl_layout_link("runtime/lib64/${portacl_soname}" "../../lib64/${portacl_soname}")
portacl_layout_link("runtime/lib64/stub/${portacl_soname}" "../../../lib64/${portacl_soname}")

install(DIRECTORY "${portacl_layout}/" DESTINATION "${PORTACL_COMPAT_DIR}" COMPONENT compat)
install(FILES cmake/set_env.sh DESTINATION "${PORTACL_COMPAT_DIR}" COMPONENT compat)
