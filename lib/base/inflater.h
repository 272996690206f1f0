/* inflater.h - deflated bytes (RFC 1951), alone, with what zlib (RFC 1950) or
 * gzip (RFC 1952) put around them, by zlib, with the memory of the context. The
 * only file that sees zlib; without it nothing can be inflated.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INFLATER_H
#define VV_INFLATER_H

#include <varve/allocator.h>

struct vv_inflater;

enum vv_inflation {
    VV_INFLATION_ON,  /* wants more input, or more room */
    VV_INFLATION_END, /* that was the end of the stream */
    VV_INFLATION_BAD, /* not what a compressor writes */
    VV_INFLATION_NO_MEMORY,
};

/* The most bytes that one deflated byte can stand for. */
enum { VV_LARGEST_INFLATION = 1032 };

/* Whether this build can. */
bool vv_inflater_exists(void);

/* What is around the deflated bytes; the sums there are checked. */
enum vv_deflation { VV_DEFLATED, VV_ZLIB, VV_GZIP };

/* Takes some 40 KiB once it works; NULL without memory or without zlib. The
 * allocator is pointed at. */
struct vv_inflater *vv_inflater_new(
    const varve_allocator *a, enum vv_deflation deflation);

/* One that goes on from the same place; NULL without memory. */
struct vv_inflater *vv_inflater_copy(
    const varve_allocator *a, struct vv_inflater *inflater);

/* To what follows the end of a stream: another one of the same kind. */
void vv_inflater_begin_again(struct vv_inflater *inflater);

void vv_inflater_free(const varve_allocator *a, struct vv_inflater *inflater);

/* Inflates from *in, of which *in_size bytes are there, to *out, where there is
 * room for *out_size; moves all four on. */
enum vv_inflation vv_inflate(struct vv_inflater *inflater,
    const unsigned char **in, size_t *in_size, unsigned char **out,
    size_t *out_size);

#endif
