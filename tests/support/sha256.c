/* sha256.c - Computes SHA-256 as specified in FIPS 180-4.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64
 * primes. */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void spread(uint32_t *w, const unsigned char *block)
{
    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16
            | (uint32_t)block[2] << 8 | block[3];
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        a = rotated(a, 7) ^ rotated(a, 18) ^ a >> 3;
        b = rotated(b, 17) ^ rotated(b, 19) ^ b >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
}

static void mix(uint32_t *state, const unsigned char *block)
{
    uint32_t w[ROUNDS], s[8];
    spread(w, block);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t e = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
        uint32_t one = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6]))
            + constants[i] + w[i];
        uint32_t a = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        uint32_t two =
            a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

/* Adds the remaining bytes, a 1 bit, zeros, and the length in bits. */
static void mix_end(uint32_t *state, const unsigned char *rest, size_t size)
{
    unsigned char end[2 * BLOCK] = { 0 };
    size_t left = size % BLOCK;
    size_t used = left + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    if (left > 0)
        memcpy(end, rest, left);
    end[left] = 0x80;
    uint64_t bits = (uint64_t)size * 8;
    for (size_t i = 0; i < 8; i++)
        end[used - 1 - i] = (unsigned char)(bits >> 8 * i);
    for (size_t at = 0; at < used; at += BLOCK)
        mix(state, end + at);
}

char *sha256_text(const void *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t state[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    const unsigned char *at = bytes;
    for (size_t left = size; left >= BLOCK; left -= BLOCK, at += BLOCK)
        mix(state, at);
    mix_end(state, at, size);
    for (int i = 0; i < 64; i++)
        text[i] = digits[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    text[64] = '\0';
    return text;
}
