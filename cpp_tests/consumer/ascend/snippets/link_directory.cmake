# The folder comes from the environment, and the linker searches lib64.
if(NOT ASCEND_ROOT)
    set(ASCEND_ROOT $ENV{ASCEND_TOOLKIT_HOME})
endif()
set(includes "${ASCEND_ROOT}/include" "${ASCEND_ROOT}/acllib/include")
link_directories("${ASCEND_ROOT}/lib64")
set(libraries ascendcl acl_op_compiler)
