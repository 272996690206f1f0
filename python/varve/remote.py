"""remote.py - files of stores and web servers: s3://, https:// and http://.

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
    """Keywords of enable_remote; varve_remote_options says what they mean."""

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
    """From now on paths that begin with s3://, https:// or http:// are read
    from there, and those of s3:// written. Before other threads use the
    package.

    NotFoundError without the module varve-remote, which an installed library
    has beside it and a wheel that brings the library has not.
    """
    found = Options('varve_remote_options', options,
                    RemoteOptions.__annotations__)
    call(lib.varve_remote_enable, found.struct)
