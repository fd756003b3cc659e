# A find module with a list of places and required libraries.
set(places "$ENV{ASCEND_HOME_PATH}" "$ENV{ASCEND_TOOLKIT_HOME}" /usr/local/Ascend/latest)
find_path(ASCEND_INCLUDE_DIR NAMES acl/acl_rt.h HINTS ${places}
    PATH_SUFFIXES fwkacllib/include ${CMAKE_HOST_SYSTEM_PROCESSOR}-linux/include)
foreach(name ascendcl hccl acl_dvpp)
    find_library(ASCEND_${name} NAMES ${name} HINTS ${places} PATH_SUFFIXES fwkacllib/lib64 lib64)
    list(APPEND libraries "${ASCEND_${name}}")
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Ascend
    REQUIRED_VARS ASCEND_ascendcl ASCEND_hccl ASCEND_acl_dvpp ASCEND_INCLUDE_DIR)
if(NOT Ascend_FOUND)
    message(FATAL_ERROR "Ascend was not found")
endif()
set(includes "${ASCEND_INCLUDE_DIR}")
