#!/usr/bin/env python3
"""make_gguf.py - Writes small.gguf with the gguf package of ggml (0.19.0).

    pip install gguf==0.19.0
    python3 make_gguf.py small.gguf

The output is reproducible. tests/unit/foreign/test_gguf_in.c contains the
expected values.

SPDX-License-Identifier: MIT
"""
import sys

import gguf
import numpy as np

writer = gguf.GGUFWriter(sys.argv[1], 'tiny')
writer.add_custom_alignment(64)

# Every type of metadata.
writer.add_uint8('meta.uint8', 255)
writer.add_int8('meta.int8', -128)
writer.add_uint16('meta.uint16', 65535)
writer.add_int16('meta.int16', -32768)
writer.add_uint32('meta.uint32', 2**32 - 1)
writer.add_int32('meta.int32', -2**31)
writer.add_uint64('meta.uint64', 2**64 - 1)
writer.add_int64('meta.int64', -2**63)
writer.add_float32('meta.float32', 0.1)
writer.add_float64('meta.float64', 0.1 + 0.2)
writer.add_bool('meta.bool', True)
writer.add_string('meta.string', 'größer')
writer.add_array('meta.numbers', [1, 2, 3])
writer.add_array('meta.words', ['a', 'bc', 'def'])
writer.add_string('meta.last', 'after the arrays')

# Every type that Varve has, then quantized blocks.
count = np.arange(6).reshape(2, 3)
for name, dtype in (('f32', np.float32), ('f16', np.float16),
                    ('f64', np.float64), ('i8', np.int8), ('i16', np.int16),
                    ('i32', np.int32), ('i64', np.int64)):
    writer.add_tensor(f'blk.0.{name}.weight', (count - 2).astype(dtype))
halves = np.array([0x3f80, 0xc000, 0x7fc1], np.uint16)  # 1, -2, a NaN
writer.add_tensor('blk.0.bf16.weight', halves.view(np.uint8),
                  raw_shape=halves.view(np.uint8).shape,
                  raw_dtype=gguf.GGMLQuantizationType.BF16)
rows = np.linspace(-1, 1, 128, dtype=np.float32).reshape(2, 64)
for kind in (gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.Q4_0):
    writer.add_tensor(f'blk.0.{kind.name.lower()}.weight',
                      gguf.quants.quantize(rows, kind), raw_dtype=kind)
writer.add_tensor('cube', np.arange(24, dtype=np.int32).reshape(2, 3, 4))

writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
