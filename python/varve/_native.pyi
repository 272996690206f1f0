# _native.pyi - Declares the types of the compiled module: those of cffi for the
# public headers.
#
# SPDX-License-Identifier: MIT
from typing import Any, Callable, TypeVar

_F = TypeVar('_F', bound=Callable[..., Any])

class _FFI:
    NULL: Any
    CData: type

    def def_extern(self, name: str = ..., error: Any = ...,
                   onerror: Any = ...) -> Callable[[_F], _F]: ...
    def new(self, cdecl: str, init: Any = ...) -> Any: ...
    def cast(self, cdecl: str, source: Any) -> Any: ...
    def typeof(self, cdecl: Any) -> Any: ...
    def sizeof(self, cdecl: Any) -> int: ...
    def addressof(self, cdata: Any, *names: str) -> Any: ...
    def string(self, cdata: Any, maxlen: int = ...) -> Any: ...
    def buffer(self, cdata: Any, size: int = ...) -> Any: ...
    def from_buffer(self, cdecl: Any, source: Any = ...) -> Any: ...
    def memmove(self, target: Any, source: Any, size: int) -> None: ...
    def new_handle(self, source: Any) -> Any: ...
    def from_handle(self, cdata: Any) -> Any: ...
    def gc(self, cdata: Any, destructor: Any, size: int = ...) -> Any: ...
    def release(self, cdata: Any) -> None: ...

class _Lib:
    VARVE_BOOL: int
    VARVE_CALLBACK: int
    VARVE_FINDING_DAMAGED: int
    VARVE_DICT: int
    VARVE_DISCONNECTED: int
    VARVE_FORMAT_NPZ: int
    VARVE_FORMAT_VARVE: int
    VARVE_IO: int
    VARVE_LIMIT: int
    VARVE_LIST: int
    VARVE_FINDING_MATCHED: int
    VARVE_METADATA_BOOLEAN: int
    VARVE_METADATA_INTEGER: int
    VARVE_METADATA_REAL: int
    VARVE_METADATA_STRING: int
    VARVE_FINDING_MISMATCHED: int
    VARVE_NO_MEMORY: int
    VARVE_OBJECT: int
    VARVE_OK: int
    VARVE_ONE_PASS: int
    VARVE_FINDING_UNEXPECTED: int
    VARVE_FINDING_MISSING: int
    VARVE_PARTNER: int
    VARVE_PASSES_AUTO: int
    VARVE_PENDING_CARRY: int
    VARVE_PENDING_FAIL: int
    VARVE_PENDING_OMIT: int
    VARVE_REDIRECTS_ANY: int
    VARVE_REDIRECTS_NONE: int
    VARVE_REDIRECTS_SAME_HOST: int
    VARVE_STRING: int
    VARVE_TWO_PASSES: int
    VARVE_VARIABLE: int
    VARVE_FINDING_PENDING: int
    VARVE_XOR: int

    def __getattr__(self, name: str) -> Any: ...

ffi: _FFI
lib: _Lib
