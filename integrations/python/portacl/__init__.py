"""The Ascend runtime API on any machine. `python -m portacl` runs programs for torch_npu with it."""

import pathlib

# Where the libraries are.
LIBRARIES = pathlib.Path(__file__).resolve().parent / "lib"
# What torch_npu looks for where ASCEND_HOME_PATH says.
HOME = pathlib.Path(__file__).resolve().parent / "ascend"
# What torch_npu.profiler runs to read the operations of the device.
PROFILER = HOME / "tools" / "profiler" / "bin"
