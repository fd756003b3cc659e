"""Loads the library: that of the package or of the installation, or else the one that the loader finds."""

import ctypes
import pathlib

_SONAME = "libportacl.so.0"


def _load():
    """The library. If torch_npu has loaded it before, it is the same one: a process has one runtime."""
    module = pathlib.Path(__file__).resolve().parent
    # cmake --install writes this file.
    written = module / "library_folder"
    folder = written.read_text().strip() if written.exists() else "../portacl/lib"
    known = (module / folder / _SONAME).resolve()
    name = str(known) if known.exists() else _SONAME
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"acl: cannot load {name}: {error}. Install the package 'portacl' that was built for this machine; or, if no "
            f"file was found, add the folder of {_SONAME} to LD_LIBRARY_PATH before Python starts") from None


LIBRARY = _load()
