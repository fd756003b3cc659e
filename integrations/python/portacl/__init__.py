"""The Ascend runtime API on any machine. `python -m portacl` runs programs for torch_npu with it."""

import pathlib

# Where the libraries are.
LIBRARIES = pathlib.Path(__file__).resolve().parent / "lib"
