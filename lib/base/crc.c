/* crc.c - Computes CRCs with the CRC instruction of the processor, or by
 * folding with carry-less multiplication (Gopal et al., "Fast CRC Computation
 * for Generic Polynomials Using PCLMULQDQ Instruction", 2009). Otherwise uses
 * eight tables for eight bytes at a time (Kounavis and Berry, "A Systematic
 * Approach to Building High Performance Software-Based CRC Generators", 2005).
 *
 * SPDX-License-Identifier: MIT
 */
#include "crc.h"

#if defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

#include <string.h>

#include "bytes.h"

/* A remainder is linear in the bits of its byte. So the eight remainders of the
 * bytes with a single bit, from 128 down, determine all 256. */
#define REMAINDER(b, p7, p6, p5, p4, p3, p2, p1, p0)                           \
    (((b) >> 7 & 1) * UINT32_C(p7) ^ ((b) >> 6 & 1) * UINT32_C(p6) ^           \
        ((b) >> 5 & 1) * UINT32_C(p5) ^ ((b) >> 4 & 1) * UINT32_C(p4) ^        \
        ((b) >> 3 & 1) * UINT32_C(p3) ^ ((b) >> 2 & 1) * UINT32_C(p2) ^        \
        ((b) >> 1 & 1) * UINT32_C(p1) ^ ((b)&1) * UINT32_C(p0))
#define FOUR(b, ...)                                                           \
    REMAINDER((b) + 0u, __VA_ARGS__), REMAINDER((b) + 1u, __VA_ARGS__),        \
        REMAINDER((b) + 2u, __VA_ARGS__), REMAINDER((b) + 3u, __VA_ARGS__)
#define SIXTEEN(b, ...)                                                        \
    FOUR((b) + 0u, __VA_ARGS__), FOUR((b) + 4u, __VA_ARGS__),                  \
        FOUR((b) + 8u, __VA_ARGS__), FOUR((b) + 12u, __VA_ARGS__)
#define SIXTY_FOUR(b, ...)                                                     \
    SIXTEEN((b) + 0u, __VA_ARGS__), SIXTEEN((b) + 16u, __VA_ARGS__),           \
        SIXTEEN((b) + 32u, __VA_ARGS__), SIXTEEN((b) + 48u, __VA_ARGS__)
#define TABLE(...)                                                             \
    {                                                                          \
        SIXTY_FOUR(0u, __VA_ARGS__), SIXTY_FOUR(64u, __VA_ARGS__),             \
            SIXTY_FOUR(128u, __VA_ARGS__), SIXTY_FOUR(192u, __VA_ARGS__)       \
    }

/* Table k contains the remainders of a byte followed by k zero bytes. The first
 * number of table 0 is the reflected polynomial. Each of the others is the
 * previous one shifted by one more bit. */
static const uint32_t table_of_crc32[8][256] = {
    TABLE(0xedb88320, 0x76dc4190, 0x3b6e20c8, 0x1db71064, 0x0edb8832,
        0x076dc419, 0xee0e612c, 0x77073096),
    TABLE(0x3b83984b, 0xf0794f05, 0x958424a2, 0x4ac21251, 0xc8d98a08,
        0x646cc504, 0x32366282, 0x191b3141),
    TABLE(0xe1351b80, 0x709a8dc0, 0x384d46e0, 0x1c26a370, 0x0e1351b8,
        0x0709a8dc, 0x0384d46e, 0x01c26a37),
    TABLE(0xed59b63b, 0x9b14583d, 0xa032af3e, 0x5019579f, 0xc5b428ef,
        0x8f629757, 0xaa09c88b, 0xb8bc6765),
    TABLE(0xb1e6b092, 0x58f35849, 0xc1c12f04, 0x60e09782, 0x30704bc1,
        0xf580a6c0, 0x7ac05360, 0x3d6029b0),
    TABLE(0x1eb014d8, 0x0f580a6c, 0x07ac0536, 0x03d6029b, 0xec53826d,
        0x9b914216, 0x4dc8a10b, 0xcb5cd3a5),
    TABLE(0x8816eaf2, 0x440b7579, 0xcfbd399c, 0x67de9cce, 0x33ef4e67,
        0xf44f2413, 0x979f1129, 0xa6770bb4),
    TABLE(0x533b85da, 0x299dc2ed, 0xf9766256, 0x7cbb312b, 0xd3e51bb5,
        0x844a0efa, 0x4225077d, 0xccaa009e),
};

static const uint32_t table_of_crc32c[8][256] = {
    TABLE(0x82f63b78, 0x417b1dbc, 0x20bd8ede, 0x105ec76f, 0x8ad958cf,
        0xc79a971f, 0xe13b70f7, 0xf26b8303),
    TABLE(0xfbc3faf9, 0xff17c604, 0x7f8be302, 0x3fc5f181, 0x9d14c3b8,
        0x4e8a61dc, 0x274530ee, 0x13a29877),
    TABLE(0x8b277743, 0xc76580d9, 0xe144fb14, 0x70a27d8a, 0x38513ec5,
        0x9edea41a, 0x4f6f520d, 0xa541927e),
    TABLE(0x52a0c93f, 0xaba65fe7, 0xd725148b, 0xe964b13d, 0xf64463e6,
        0x7b2231f3, 0xbf672381, 0xdd45aab8),
    TABLE(0x6ea2d55c, 0x37516aae, 0x1ba8b557, 0x8f2261d3, 0xc5670b91,
        0xe045beb0, 0x7022df58, 0x38116fac),
    TABLE(0x1c08b7d6, 0x0e045beb, 0x85f4168d, 0xc00c303e, 0x6006181f,
        0xb2f53777, 0xdb8ca0c3, 0xef306b19),
    TABLE(0xf56e0ef4, 0x7ab7077a, 0x3d5b83bd, 0x9c5bfaa6, 0x4e2dfd53,
        0xa5e0c5d1, 0xd0065990, 0x68032cc8),
    TABLE(0x34019664, 0x1a00cb32, 0x0d006599, 0x847609b4, 0x423b04da,
        0x211d826d, 0x9278fa4e, 0x493c7d27),
};

static uint32_t add_eight(
    const uint32_t table[8][256], uint32_t crc, const unsigned char *bytes)
{
    uint32_t low = vv_load32(bytes) ^ crc;
    uint32_t high = vv_load32(bytes + 4);
    return table[7][low & 255] ^ table[6][low >> 8 & 255] ^
           table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
           table[3][high & 255] ^ table[2][high >> 8 & 255] ^
           table[1][high >> 16 & 255] ^ table[0][high >> 24];
}

static uint32_t add_by_table(const uint32_t table[8][256], uint32_t crc,
    const unsigned char *at, size_t size)
{
    for (; size >= 8; size -= 8, at += 8)
        crc = add_eight(table, crc, at);
    for (; size > 0; size--, at++)
        crc = crc >> 8 ^ table[0][(crc ^ *at) & 255];
    return crc;
}

/* --- Instructions --------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)

/* Adds eight bytes. Uses inline assembly, because compilers differ in the flags
 * that the intrinsics require. */
static inline uint64_t sse_word(uint64_t crc, uint64_t word)
{
    __asm__("crc32q %1, %0" : "+r"(crc) : "r"(word));
    return crc;
}

static inline uint32_t sse_byte(uint32_t crc, unsigned char byte)
{
    __asm__("crc32b %1, %0" : "+r"(crc) : "r"(byte));
    return crc;
}

static uint32_t add_by_sse(uint32_t crc, const unsigned char *at, size_t size)
{
    uint64_t wide = crc;
    for (; size >= 8; size -= 8, at += 8)
        wide = sse_word(wide, vv_load64(at));
    crc = (uint32_t)wide;
    for (; size > 0; size--, at++)
        crc = sse_byte(crc, *at);
    return crc;
}

/* Sixteen bytes as two polynomials. */
typedef uint64_t halves __attribute__((vector_size(16)));

static inline halves load_halves(const unsigned char *at)
{
    halves loaded;
    memcpy(&loaded, at, sizeof loaded);
    return loaded;
}

/* Moves `before` ahead by a number of bytes and adds it to `others`: each half
 * is multiplied by the remainder of x^(8 * bytes) in `left`. */
static inline halves crc_fold(halves before, halves left, halves others)
{
    halves high = before;
    __asm__("pclmulqdq $0x00, %1, %0" : "+x"(before) : "x"(left));
    __asm__("pclmulqdq $0x11, %1, %0" : "+x"(high) : "x"(left));
    return before ^ high ^ others;
}

enum { LANES = 4, LANE = 16 };

/* Adds at least 64 bytes. */
static uint32_t add_by_folding(
    uint32_t crc, const unsigned char *at, size_t size)
{
    static const halves over_64 = { 0x154442bd4, 0x1c6e41596 };
    static const halves over_16 = { 0x1751997d0, 0x0ccaa009e };
    halves lanes[LANES];
    unsigned char rest[LANE];
    for (int i = 0; i < LANES; i++, at += LANE)
        lanes[i] = load_halves(at);
    lanes[0] ^= (halves){ crc, 0 };
    for (size -= LANES * LANE; size >= LANES * LANE; size -= LANES * LANE) {
        for (int i = 0; i < LANES; i++, at += LANE)
            lanes[i] = crc_fold(lanes[i], over_64, load_halves(at));
    }
    for (int i = 1; i < LANES; i++)
        lanes[0] = crc_fold(lanes[0], over_16, lanes[i]);
    for (; size >= LANE; size -= LANE, at += LANE)
        lanes[0] = crc_fold(lanes[0], over_16, load_halves(at));
    memcpy(rest, &lanes[0], sizeof rest);
    crc = add_by_table(table_of_crc32, 0, rest, sizeof rest);
    return add_by_table(table_of_crc32, crc, at, size);
}

static uint32_t add_crc32(uint32_t crc, const unsigned char *at, size_t size)
{
    return size >= LANES * LANE && __builtin_cpu_supports("pclmul")
               ? add_by_folding(crc, at, size)
               : add_by_table(table_of_crc32, crc, at, size);
}

static uint32_t add_crc32c(uint32_t crc, const unsigned char *at, size_t size)
{
    return __builtin_cpu_supports("sse4.2")
               ? add_by_sse(crc, at, size)
               : add_by_table(table_of_crc32c, crc, at, size);
}

#elif defined(__ARM_FEATURE_CRC32)

static uint32_t add_crc32(uint32_t crc, const unsigned char *at, size_t size)
{
    for (; size >= 8; size -= 8, at += 8)
        crc = __crc32d(crc, vv_load64(at));
    for (; size > 0; size--, at++)
        crc = __crc32b(crc, *at);
    return crc;
}

static uint32_t add_crc32c(uint32_t crc, const unsigned char *at, size_t size)
{
    for (; size >= 8; size -= 8, at += 8)
        crc = __crc32cd(crc, vv_load64(at));
    for (; size > 0; size--, at++)
        crc = __crc32cb(crc, *at);
    return crc;
}

#else

static uint32_t add_crc32(uint32_t crc, const unsigned char *at, size_t size)
{
    return add_by_table(table_of_crc32, crc, at, size);
}

static uint32_t add_crc32c(uint32_t crc, const unsigned char *at, size_t size)
{
    return add_by_table(table_of_crc32c, crc, at, size);
}

#endif

/* --- Public functions ----------------------------------------------------- */

uint32_t vv_crc32(uint32_t crc, const void *bytes, size_t size)
{
    return ~add_crc32(~crc, bytes, size);
}

uint32_t vv_crc32c(uint32_t crc, const void *bytes, size_t size)
{
    return ~add_crc32c(~crc, bytes, size);
}

uint32_t vv_crc32_by_table(uint32_t crc, const void *bytes, size_t size)
{
    return ~add_by_table(table_of_crc32, ~crc, bytes, size);
}

uint32_t vv_crc32c_by_table(uint32_t crc, const void *bytes, size_t size)
{
    return ~add_by_table(table_of_crc32c, ~crc, bytes, size);
}
