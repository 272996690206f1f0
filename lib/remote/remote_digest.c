/* remote_digest.c - SHA-256 and MD5, as FIPS 180-4 and RFC 1321 have them. Both
 * take blocks of 64 bytes, and end with the count of bits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_digest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 64 };

typedef void add_block(uint32_t *state, const unsigned char *block);

static void store64(unsigned char *to, uint64_t value, bool is_big)
{
    for (unsigned i = 0; i < 8; i++)
        to[is_big ? 7 - i : i] = (unsigned char)(value >> (8 * i));
}

/* All blocks, then what is left with the end behind it. */
static void sum(uint32_t *state, const void *bytes, size_t size, add_block *add,
    bool is_big)
{
    const unsigned char *at = bytes;
    unsigned char end[2 * BLOCK] = { 0 };
    size_t left = size;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK)
        add(state, at);
    if (left)
        memcpy(end, at, left);
    end[left] = 0x80;
    size_t end_size = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    store64(end + end_size - 8, (uint64_t)size * 8, is_big);
    for (size_t i = 0; i < end_size; i += BLOCK)
        add(state, end + i);
}

/* --- SHA-256 ----------------------------------------------------------------
 */

static uint32_t turn(uint32_t x, unsigned bits)
{
    return x >> bits | x << (32 - bits);
}

static void expand(const unsigned char *block, uint32_t w[64])
{
    for (unsigned i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
               (uint32_t)block[2] << 8 | block[3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

/* The eight words are passed on by one place each time, so they are called
 * otherwise instead of being moved. */
static inline void round_of(uint32_t a, uint32_t b, uint32_t c, uint32_t *d,
    uint32_t e, uint32_t f, uint32_t g, uint32_t *h, uint32_t more)
{
    *h += (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + more;
    *d += *h;
    *h += (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));
}

static void add_sha256(uint32_t *state, const unsigned char *block)
{
    static const uint32_t k[64] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf,
        0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
        0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
        0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
        0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
        0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
        0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
        0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c,
        0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee,
        0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2 };
    uint32_t w[64], a = state[0], b = state[1], c = state[2], d = state[3],
                    e = state[4], f = state[5], g = state[6], h = state[7];
    expand(block, w);
    for (unsigned i = 0; i < 64; i += 8) {
        round_of(a, b, c, &d, e, f, g, &h, k[i] + w[i]);
        round_of(h, a, b, &c, d, e, f, &g, k[i + 1] + w[i + 1]);
        round_of(g, h, a, &b, c, d, e, &f, k[i + 2] + w[i + 2]);
        round_of(f, g, h, &a, b, c, d, &e, k[i + 3] + w[i + 3]);
        round_of(e, f, g, &h, a, b, c, &d, k[i + 4] + w[i + 4]);
        round_of(d, e, f, &g, h, a, b, &c, k[i + 5] + w[i + 5]);
        round_of(c, d, e, &f, g, h, a, &b, k[i + 6] + w[i + 6]);
        round_of(b, c, d, &e, f, g, h, &a, k[i + 7] + w[i + 7]);
    }
    const uint32_t more[8] = { a, b, c, d, e, f, g, h };
    for (unsigned i = 0; i < 8; i++)
        state[i] += more[i];
}

void vv_remote_sha256(
    const void *bytes, size_t size, unsigned char digest[VV_REMOTE_SHA256_SIZE])
{
    uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    sum(state, bytes, size, add_sha256, true);
    for (unsigned i = 0; i < VV_REMOTE_SHA256_SIZE; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

/* --- MD5 --------------------------------------------------------------------
 */

/* Floors of 2^32 times the sines of 1 to 64. */
static const uint32_t sines[64] = { 0xd76aa478, 0xe8c7b756, 0x242070db,
    0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8,
    0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e,
    0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
    0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87,
    0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942,
    0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60,
    0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039,
    0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7,
    0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f,
    0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
    0xeb86d391 };

static void add_md5(uint32_t *state, const unsigned char *block)
{
    static const unsigned char turns[4][4] = { { 25, 20, 15, 10 },
        { 27, 23, 18, 12 }, { 28, 21, 16, 9 }, { 26, 22, 17, 11 } };
    static const unsigned char steps[4][2] = { { 1, 0 }, { 5, 1 }, { 3, 5 },
        { 7, 0 } };
    uint32_t w[16], a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned i = 0; i < 16; i++, block += 4)
        w[i] = block[0] | (uint32_t)block[1] << 8 | (uint32_t)block[2] << 16 |
               (uint32_t)block[3] << 24;
    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16;
        uint32_t f = round == 0   ? (b & c) | (~b & d)
                     : round == 1 ? (d & b) | (~d & c)
                     : round == 2 ? b ^ c ^ d
                                  : c ^ (b | ~d);
        f += a + sines[i] + w[(steps[round][0] * i + steps[round][1]) % 16];
        a = d;
        d = c;
        c = b;
        b += turn(f, turns[round][i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void vv_remote_md5(
    const void *bytes, size_t size, unsigned char digest[VV_REMOTE_MD5_SIZE])
{
    uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
    sum(state, bytes, size, add_md5, false);
    for (unsigned i = 0; i < VV_REMOTE_MD5_SIZE; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (8 * (i % 4)));
}

/* --- Text -------------------------------------------------------------------
 */

void vv_remote_hex(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *text++ = digits[digest[i] >> 4];
        *text++ = digits[digest[i] & 15];
    }
    *text = '\0';
}

void vv_remote_base64(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)digest[i] << 16;
        three |= i + 1 < size ? (uint32_t)digest[i + 1] << 8 : 0;
        three |= i + 2 < size ? digest[i + 2] : 0;
        *text++ = digits[three >> 18];
        *text++ = digits[three >> 12 & 63];
        *text++ = '=';
        *text++ = '=';
        if (i + 1 < size)
            text[-2] = digits[three >> 6 & 63];
        if (i + 2 < size)
            text[-1] = digits[three & 63];
    }
    *text = '\0';
}
