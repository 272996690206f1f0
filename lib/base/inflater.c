/* inflater.c - Calls zlib, or fails in a build without it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "inflater.h"

#ifdef VV_HAVE_ZLIB

#define ZLIB_CONST
#include <limits.h>
#include <zlib.h>

#include "allocator.h"

struct vv_inflater {
    z_stream stream;
};

/* The allocator needs the size of a block to free it, which zlib does not pass.
 * It is stored before the block. */
enum { BEFORE = 16 };

static void *inflater_allocate(void *user, unsigned count, unsigned unit)
{
    size_t size;
    if (__builtin_mul_overflow((size_t)count, (size_t)unit, &size) ||
        __builtin_add_overflow(size, (size_t)BEFORE, &size))
        return NULL;
    size_t *block = vv_allocate(user, size);
    if (!block)
        return NULL;
    *block = size;
    return (unsigned char *)block + BEFORE;
}

static void inflater_release(void *user, void *address)
{
    if (!address)
        return;
    size_t *block = (void *)((unsigned char *)address - BEFORE);
    vv_release(user, block, *block);
}

bool vv_inflater_exists(void)
{
    return true;
}

struct vv_inflater *vv_inflater_new(
    const varve_allocator *a, enum vv_deflation deflation)
{
    static const int bits[] = {
        [VV_DEFLATED] = -MAX_WBITS,
        [VV_ZLIB] = MAX_WBITS,
        [VV_GZIP] = MAX_WBITS + 16,
    };
    struct vv_inflater *inflater = vv_allocate_zeroed(a, sizeof *inflater);
    if (!inflater)
        return NULL;
    inflater->stream.zalloc = inflater_allocate;
    inflater->stream.zfree = inflater_release;
    inflater->stream.opaque = (void *)(uintptr_t)a;
    if (inflateInit2(&inflater->stream, bits[deflation]) != Z_OK) {
        vv_release(a, inflater, sizeof *inflater);
        return NULL;
    }
    return inflater;
}

struct vv_inflater *vv_inflater_copy(
    const varve_allocator *a, struct vv_inflater *inflater)
{
    struct vv_inflater *copy = vv_allocate_zeroed(a, sizeof *copy);
    if (copy && inflateCopy(&copy->stream, &inflater->stream) != Z_OK) {
        vv_release(a, copy, sizeof *copy);
        return NULL;
    }
    return copy;
}

void vv_inflater_begin_again(struct vv_inflater *inflater)
{
    inflateReset(&inflater->stream);
}

void vv_inflater_free(const varve_allocator *a, struct vv_inflater *inflater)
{
    if (!inflater)
        return;
    inflateEnd(&inflater->stream);
    vv_release(a, inflater, sizeof *inflater);
}

enum vv_inflation vv_inflate(struct vv_inflater *inflater,
    const unsigned char **in, size_t *in_size, unsigned char **out,
    size_t *out_size)
{
    z_stream *z = &inflater->stream;
    /* zlib counts in unsigned; the caller repeats the call for the rest. */
    unsigned given = *in_size < UINT_MAX ? (unsigned)*in_size : UINT_MAX;
    unsigned room = *out_size < UINT_MAX ? (unsigned)*out_size : UINT_MAX;
    z->next_in = *in;
    z->avail_in = given;
    z->next_out = *out;
    z->avail_out = room;
    int result = inflate(z, Z_NO_FLUSH);
    *in = z->next_in;
    *in_size -= given - z->avail_in;
    *out = z->next_out;
    *out_size -= room - z->avail_out;
    if (result == Z_STREAM_END)
        return VV_INFLATION_END;
    if (result == Z_MEM_ERROR)
        return VV_INFLATION_NO_MEMORY;
    return result == Z_OK || result == Z_BUF_ERROR ? VV_INFLATION_ON
                                                   : VV_INFLATION_BAD;
}

#else

bool vv_inflater_exists(void)
{
    return false;
}

struct vv_inflater *vv_inflater_new(
    const varve_allocator *a, enum vv_deflation deflation)
{
    (void)a;
    (void)deflation;
    return NULL;
}

struct vv_inflater *vv_inflater_copy(
    const varve_allocator *a, struct vv_inflater *inflater)
{
    (void)a;
    (void)inflater;
    return NULL;
}

void vv_inflater_begin_again(struct vv_inflater *inflater)
{
    (void)inflater;
}

void vv_inflater_free(const varve_allocator *a, struct vv_inflater *inflater)
{
    (void)a;
    (void)inflater;
}

enum vv_inflation vv_inflate(struct vv_inflater *inflater,
    const unsigned char **in, size_t *in_size, unsigned char **out,
    size_t *out_size)
{
    (void)inflater;
    (void)in;
    (void)in_size;
    (void)out;
    (void)out_size;
    return VV_INFLATION_BAD;
}

#endif
