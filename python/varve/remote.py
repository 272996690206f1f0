"""remote.py - Enables paths of object stores and web servers: s3://, https://
and http://.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypedDict, Union

from ._native import lib
from .errors import call
from .options import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ['RemoteOptions', 'enable_remote']


class RemoteOptions(TypedDict, total=False):
    """Keywords of enable_remote; see varve_remote_options."""

    attempts: int
    wait_ms: int
    connect_timeout_ms: int
    stall_timeout_s: int
    certificates: Union[str, bytes, 'os.PathLike[Any]']
    part_size: int
    operation_timeout_s: int
    redirects: str  # 'any', 'same_host' or 'none'
    allow_unversioned: bool
    concurrency: int
    range_size: int


def enable_remote(**options: 'Unpack[RemoteOptions]') -> None:
    """Enables reading of paths that begin with s3://, https:// or http://, and
    writing of those with s3://. Call it before other threads use the package.

    Raises NotFoundError if the module varve-remote is not found. An installed
    library contains it. A wheel that includes the library does not."""
    found = Options('varve_remote_options', options,
                    RemoteOptions.__annotations__)
    call(lib.varve_remote_enable, found.struct)
