"""Runs a Python program after torch_npu was set up for portacl."""

import os
import runpy
import sys


def prepare():
    """Without formats that only Ascend devices have: torch_npu would compile convolutions for them."""
    try:
        import torch
        import torch_npu  # noqa: F401
    except ImportError as error:
        sys.exit(f"portacl: torch_npu cannot be imported: {error}; 'python -m portacl doctor' says what is missing")
    torch.npu.config.allow_internal_format = False


if __name__ == "__main__":
    prepare()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")
