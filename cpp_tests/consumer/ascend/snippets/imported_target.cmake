# Imported targets, one for the runtime alone.
find_library(runtime_library NAMES acl_rt PATHS "$ENV{ASCEND_HOME_PATH}/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux/lib64"
    NO_DEFAULT_PATH REQUIRED)
add_library(ascend_runtime SHARED IMPORTED)
set_target_properties(ascend_runtime PROPERTIES
    IMPORTED_LOCATION "${runtime_library}"
    INTERFACE_INCLUDE_DIRECTORIES "$ENV{ASCEND_HOME_PATH}/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux/include")
add_library(ascend INTERFACE)
target_link_libraries(ascend INTERFACE ascend_runtime)
