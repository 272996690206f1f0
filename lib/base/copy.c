/* copy.c - Copies with non-temporal stores if there is SSE2, otherwise with
 * memcpy.
 *
 * SPDX-License-Identifier: MIT
 */
#include "copy.h"

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>

enum {
    LINE = 64,
    PAGE = 4096,
    /* copied in parallel, because reading several pages at once is faster */
    PAGES = 4
};

static void store_line(unsigned char *to, const unsigned char *from)
{
    __m128i *out = (__m128i *)(void *)to;
    const __m128i *in = (const __m128i *)(const void *)from;
    __m128i a = _mm_loadu_si128(in);
    __m128i b = _mm_loadu_si128(in + 1);
    __m128i c = _mm_loadu_si128(in + 2);
    __m128i d = _mm_loadu_si128(in + 3);
    _mm_stream_si128(out, a);
    _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c);
    _mm_stream_si128(out + 3, d);
}

static void store_pages(unsigned char *to, const unsigned char *from)
{
    for (size_t line = 0; line < PAGE; line += LINE) {
        for (size_t page = 0; page < PAGES; page++)
            store_line(to + page * PAGE + line, from + page * PAGE + line);
    }
}

void vv_copy_large_past_caches(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    size_t before = (size_t)(-(uintptr_t)out % LINE);
    memcpy(out, in, before);
    size_t at = before;
    for (; size - at >= PAGES * PAGE; at += PAGES * PAGE)
        store_pages(out + at, in + at);
    for (; size - at >= LINE; at += LINE)
        store_line(out + at, in + at);
    memcpy(out + at, in + at, size - at);
    _mm_sfence(); /* orders the non-temporal stores before later stores */
}
#else
void vv_copy_large_past_caches(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}
#endif
