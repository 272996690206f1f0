"""xxh3.py - Computes XXH3 of 64 and 128 bits with seed 0 in plain Python.

Implements the description of the algorithm that is published with xxHash,
independently of its code, so that a checkpoint can be verified without other
software. Uses the faster module `xxhash` if it is installed.

SPDX-License-Identifier: MIT
"""
import struct

M64 = 2**64 - 1
M32 = 2**32 - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MIX_1, MIX_2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f'
    'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c'
    '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8'
    'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364'
    'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e'
    '2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e')


def u32(data, at):
    return int.from_bytes(data[at:at + 4], 'little')


def u64(data, at):
    return int.from_bytes(data[at:at + 8], 'little')


def swap32(x):
    return int.from_bytes(x.to_bytes(4, 'little'), 'big')


def swap64(x):
    return int.from_bytes(x.to_bytes(8, 'little'), 'big')


def rotate(x, by, bits):
    return (x << by | x >> (bits - by)) & (2**bits - 1)


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & M64


def avalanche(h):
    h ^= h >> 37
    h = h * MIX_1 & M64
    return h ^ h >> 32


def avalanche_64(h):
    h ^= h >> 33
    h = h * P64_2 & M64
    h ^= h >> 29
    h = h * P64_3 & M64
    return h ^ h >> 32


def mix_16(data, at, secret):
    return fold(u64(data, at) ^ u64(SECRET, secret),
                u64(data, at + 8) ^ u64(SECRET, secret + 8))


# --- Up to 16 bytes ----------------------------------------------------------

def combined(data):
    n = len(data)
    return data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8


def short_64(data):
    n = len(data)
    if n == 0:
        return avalanche_64(u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        return avalanche_64(combined(data) ^ u32(SECRET, 0) ^ u32(SECRET, 4))
    if n <= 8:
        both = u32(data, n - 4) + (u32(data, 0) << 32)
        h = both ^ u64(SECRET, 8) ^ u64(SECRET, 16)
        h ^= rotate(h, 49, 64) ^ rotate(h, 24, 64)
        h = h * MIX_2 & M64
        h ^= (h >> 35) + n
        h = h * MIX_2 & M64
        return h ^ h >> 28
    low = u64(data, 0) ^ u64(SECRET, 24) ^ u64(SECRET, 32)
    high = u64(data, n - 8) ^ u64(SECRET, 40) ^ u64(SECRET, 48)
    return avalanche((n + swap64(low) + high + fold(low, high)) & M64)


def short_128(data):
    n = len(data)
    if n == 0:
        return (avalanche_64(u64(SECRET, 64) ^ u64(SECRET, 72)),
                avalanche_64(u64(SECRET, 80) ^ u64(SECRET, 88)))
    if n <= 3:
        low = combined(data)
        high = rotate(swap32(low), 13, 32)
        return (avalanche_64(low ^ u32(SECRET, 0) ^ u32(SECRET, 4)),
                avalanche_64(high ^ u32(SECRET, 8) ^ u32(SECRET, 12)))
    if n <= 8:
        both = u32(data, 0) + (u32(data, n - 4) << 32)
        keyed = both ^ u64(SECRET, 16) ^ u64(SECRET, 24)
        product = keyed * (P64_1 + (n << 2))
        low, high = product & M64, product >> 64 & M64
        high = (high + (low << 1)) & M64
        low ^= high >> 3
        low ^= low >> 35
        low = low * MIX_2 & M64
        low ^= low >> 28
        return low, avalanche(high)
    low, high = u64(data, 0), u64(data, n - 8)
    product = (low ^ high ^ u64(SECRET, 32) ^ u64(SECRET, 40)) * P64_1
    low, upper = product & M64, product >> 64
    low = (low + (n - 1 << 54)) & M64
    high ^= u64(SECRET, 48) ^ u64(SECRET, 56)
    upper = (upper + high + (high & M32) * (P32_2 - 1)) & M64
    low ^= swap64(upper)
    product = low * P64_2
    high = (product >> 64) + upper * P64_2 & M64
    return avalanche(product & M64), avalanche(high)


# --- Up to 240 bytes ---------------------------------------------------------

def middle_64(data):
    n = len(data)
    acc = n * P64_1
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            acc += mix_16(data, 16 * i, 32 * i)
            acc += mix_16(data, n - 16 * (i + 1), 32 * i + 16)
        return avalanche(acc & M64)
    for i in range(8):
        acc += mix_16(data, 16 * i, 16 * i)
    acc = avalanche(acc & M64)
    for i in range(8, n // 16):
        acc += mix_16(data, 16 * i, 16 * (i - 8) + 3)
    acc += mix_16(data, n - 16, 136 - 17)
    return avalanche(acc & M64)


def mix_32(low, high, data, one, two, secret):
    low = (low + mix_16(data, one, secret)) & M64
    low ^= u64(data, two) + u64(data, two + 8) & M64
    high = (high + mix_16(data, two, secret + 16)) & M64
    high ^= u64(data, one) + u64(data, one + 8) & M64
    return low, high


def middle_128(data):
    n = len(data)
    low, high = n * P64_1 & M64, 0
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            low, high = mix_32(
                low, high, data, 16 * i, n - 16 * (i + 1), 32 * i)
    else:
        for i in range(4):
            low, high = mix_32(low, high, data, 32 * i, 32 * i + 16, 32 * i)
        low, high = avalanche(low), avalanche(high)
        for i in range(4, n // 32):
            low, high = mix_32(
                low, high, data, 32 * i, 32 * i + 16, 3 + 32 * (i - 4))
        low, high = mix_32(low, high, data, n - 16, n - 32, 136 - 17 - 16)
    mixed = low * P64_1 + high * P64_4 + n * P64_2 & M64
    return avalanche(low + high & M64), -avalanche(mixed) & M64


# --- More than 240 bytes -----------------------------------------------------

WORDS = [struct.unpack_from('<8Q', SECRET, 8 * i) for i in range(17)]
LAST_WORDS = struct.unpack_from('<8Q', SECRET, 192 - 64 - 7)


def accumulate(acc, words, key):
    for i in range(8):
        word = words[i]
        keyed = word ^ key[i]
        acc[i ^ 1] += word
        acc[i] += (keyed & M32) * (keyed >> 32)


def accumulate_all(data):
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    n = len(data)
    for stripe in range((n - 1) // 64):
        accumulate(acc, struct.unpack_from('<8Q', data, 64 * stripe),
                   WORDS[stripe % 16])
        if stripe % 16 == 15:
            for i in range(8):
                lane = acc[i] & M64
                lane ^= lane >> 47
                acc[i] = (lane ^ WORDS[16][i]) * P32_1 & M64
    accumulate(acc, struct.unpack_from('<8Q', data, n - 64), LAST_WORDS)
    return [lane & M64 for lane in acc]


def merge(acc, secret, start):
    for i in range(4):
        start += fold(acc[2 * i] ^ u64(SECRET, secret + 16 * i),
                      acc[2 * i + 1] ^ u64(SECRET, secret + 16 * i + 8))
    return avalanche(start & M64)


def own_xxh3_64(data):
    """Returns the XXH3-64 as a number."""
    n = len(data)
    if n <= 16:
        return short_64(data)
    if n <= 240:
        return middle_64(data)
    return merge(accumulate_all(data), 11, n * P64_1 & M64)


def own_xxh3_128(data):
    """Returns the XXH3-128 as 16 bytes in canonical form."""
    n = len(data)
    if n <= 16:
        low, high = short_128(data)
    elif n <= 240:
        low, high = middle_128(data)
    else:
        acc = accumulate_all(data)
        low = merge(acc, 11, n * P64_1 & M64)
        high = merge(acc, 192 - 64 - 11, ~(n * P64_2) & M64)
    return (high << 64 | low).to_bytes(16, 'big')


try:
    import xxhash

    def xxh3_64(data):
        return xxhash.xxh3_64_intdigest(data)

    def xxh3_128(data):
        return xxhash.xxh3_128_digest(data)
except ImportError:
    xxh3_64, xxh3_128 = own_xxh3_64, own_xxh3_128
