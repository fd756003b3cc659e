# The torch that integrations/operators/ computes with.
if(NOT PORTACL_TORCH_PYTHON)
    find_package(Python3 COMPONENTS Interpreter)
    set(PORTACL_TORCH_PYTHON "${Python3_EXECUTABLE}")
endif()
# Torch of that Python, without importing it.
if(NOT Torch_DIR)
    execute_process(
        COMMAND "${PORTACL_TORCH_PYTHON}" -c
                "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '', end='')"
        OUTPUT_VARIABLE portacl_torch_root)
endif()
# Its release, as in 2.7.1: libopapi is for that one. A libtorch for C++ states none.
if(portacl_torch_root AND EXISTS "${portacl_torch_root}/version.py")
    file(STRINGS "${portacl_torch_root}/version.py" portacl_torch_release REGEX "^__version__ = ")
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" portacl_torch_release "${portacl_torch_release}")
endif()
