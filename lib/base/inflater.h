/* inflater.h - Decompresses deflate streams (RFC 1951), without a wrapper or
 * with that of zlib (RFC 1950) or gzip (RFC 1952). Uses zlib with the allocator
 * of the context; this is the only file that includes zlib. In a build without
 * zlib nothing can be decompressed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INFLATER_H
#define VV_INFLATER_H

#include <varve/allocator.h>

struct vv_inflater;

enum vv_inflation {
    VV_INFLATION_ON,  /* needs more input or more room */
    VV_INFLATION_END, /* reached the end of the stream */
    VV_INFLATION_BAD, /* the stream is invalid */
    VV_INFLATION_NO_MEMORY,
};

/* The largest number of bytes that one compressed byte can represent. */
enum { VV_LARGEST_INFLATION = 1032 };

/* Returns true if this build has zlib. */
bool vv_inflater_exists(void);

/* The wrapper of the deflate stream; its checksums are verified. */
enum vv_deflation { VV_DEFLATED, VV_ZLIB, VV_GZIP };

/* Creates a state, which allocates about 40 KiB when it is first used. Returns
 * NULL if there is no memory or no zlib. The allocator must outlive it. */
struct vv_inflater *vv_inflater_new(
    const varve_allocator *a, enum vv_deflation deflation);

/* Returns a copy that continues at the same position, or NULL if there is no
 * memory. */
struct vv_inflater *vv_inflater_copy(
    const varve_allocator *a, struct vv_inflater *inflater);

/* Restarts for another stream of the same kind that follows. */
void vv_inflater_begin_again(struct vv_inflater *inflater);

void vv_inflater_free(const varve_allocator *a, struct vv_inflater *inflater);

/* Decompresses from *in, with *in_size bytes of input, to *out, with room for
 * *out_size bytes. Advances all four. */
enum vv_inflation vv_inflate(struct vv_inflater *inflater,
    const unsigned char **in, size_t *in_size, unsigned char **out,
    size_t *out_size);

#endif
