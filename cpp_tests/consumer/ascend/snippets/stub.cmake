# One file of the folder for machines without a device.
set(includes "$ENV{ASCEND_HOME_PATH}/runtime/include")
set(libraries "$ENV{ASCEND_HOME_PATH}/runtime/lib64/stub/libascendcl.so")
