"""The Ascend runtime API in Python, without models and operators. docs/python.md describes it."""

from . import _callbacks, _calls, rt, util

_functions = _calls.functions("")
globals().update(_functions)

# Parts of the original that this module does not have.
_PARTS = {"mdl": "models", "op": "operators", "blas": "operators", "media": "image and video decoders",
          "himpi": "image and video decoders", "prof": "profiling (set PORTACL_TRACE=FILE to write a timeline)"}


def finalize():
    ret = _functions["finalize"]()
    if ret == 0:
        _callbacks.forget_all()
    return ret


finalize.__doc__ = _functions["finalize"].__doc__


def __getattr__(name):
    if name in _PARTS:
        raise AttributeError(f"acl.{name} is missing: this module has no {_PARTS[name]}; docs/python.md lists the "
                             "contents of this module")
    raise _calls.absent("", name)
