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
