# portacl_ascend_home(FOLDER PART...): what torch_npu looks for in the folder that ASCEND_HOME_PATH names: the release in a
# file, and folders of parts (ASCEND_OPP_PATH names the part opp), which need no files but these.
function(portacl_ascend_home folder)
    set(source "${PROJECT_SOURCE_DIR}/src/core/runtime/version.rs")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(STRINGS "${source}" default REGEX "const DEFAULT: ")
    string(REGEX MATCHALL "[0-9]+" numbers "${default}")
    list(JOIN numbers "." release)
    file(WRITE "${folder}/ascend_portacl_install.info"
        "# Of portacl: the release of the interface that it has. PORTACL_CANN_VERSION does not change this file.\nversion=${release}\n")
    foreach(part IN LISTS ARGN)
        file(WRITE "${folder}/${part}/README" "Programs look for this folder. The libraries of portacl are in another one.\n")
    endforeach()
endfunction()

# portacl_ascend_profiler(FOLDER): the program that torch_npu.profiler runs there.
function(portacl_ascend_profiler folder)
    set(source "${PROJECT_SOURCE_DIR}/integrations/companions/profiler")
    configure_file("${source}/msprof" "${folder}/tools/profiler/bin/msprof" COPYONLY)
    configure_file("${source}/msprof.py" "${folder}/tools/profiler/profiler_tool/analysis/msprof/msprof.py" COPYONLY)
endfunction()
