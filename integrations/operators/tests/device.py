"""What every test of torch on portacl needs: torch and its Ascend backend, and how results are compared."""

import sys

import torch

try:
    import torch_npu  # noqa: F401
except ImportError as error:
    print(f"skipped: torch_npu cannot be imported by {sys.executable}: {error}")
    sys.exit(77)


def move(value, device):
    """Tensors in lists, tuples and dictionaries on a device."""
    if isinstance(value, torch.Tensor):
        return value.detach().to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(move(each, device) for each in value)
    if isinstance(value, dict):
        return {key: move(each, device) for key, each in value.items()}
    return value


def expect_error(words, action):
    """Runs something that fails with a text that contains `words`."""
    try:
        action()
    except RuntimeError as error:
        assert words in str(error), f"the text does not say {words!r}: {error}"
        return
    raise AssertionError(f"no failure that says {words!r}")


def main(tests):
    """Runs the functions, prints a line for each, and counts."""
    for test in tests:
        test()
        print(f"ok: {test.__name__}", flush=True)
    print(f"{len(tests)} passed, 0 failed")
