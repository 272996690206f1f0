"""programs.py - Imports the other programs with their cases and versions.

SPDX-License-Identifier: MIT
"""
import os
import sys

# Set before the first import of TensorFlow: no log messages, and the same
# rounding on every machine.
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')


def cases():
    import theirs_flat  # noqa: F401
    import theirs_keras  # noqa: F401
    import theirs_tensorflow  # noqa: F401
    from cases import CASES
    return CASES


def versions():
    import keras
    import ml_dtypes
    import numpy
    import safetensors
    import tensorflow
    import tf_keras
    found = {m.__name__: m.__version__ for m in (
        tensorflow, tf_keras, keras, safetensors, numpy, ml_dtypes)}
    return {'python': sys.version.split()[0], **found}
