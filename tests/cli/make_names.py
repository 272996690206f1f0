#!/usr/bin/env python3
"""make_names.py - Writes a safetensors file with float32 zeros under the given
names.

    make_names.py FILE NAME:COUNT ...

SPDX-License-Identifier: MIT
"""
import json
import struct
import sys


def main():
    header, end = {}, 0
    for word in sys.argv[2:]:
        name, count = word.rsplit(':', 1)
        begin, end = end, end + 4 * int(count)
        header[name] = {'dtype': 'F32', 'shape': [int(count)],
                        'data_offsets': [begin, end]}
    text = json.dumps(header).encode()
    with open(sys.argv[1], 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + bytes(end))


main()
