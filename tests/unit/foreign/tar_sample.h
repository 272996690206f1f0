/* tar_sample.h - Builds tar archives member by member.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_TAR_SAMPLE_H
#define UNIT_TAR_SAMPLE_H

#include <stdio.h>
#include <string.h>

#include "buffer.h"

enum { TAR_BLOCK = 512, TAR_SIZE_AT = 124, TAR_SUM_AT = 148, TAR_TYPE_AT = 156,
    TAR_MAGIC_AT = 257, TAR_PREFIX_AT = 345 };

static inline void tar_set_sum(unsigned char *header)
{
    unsigned sum = 0;
    memset(header + TAR_SUM_AT, ' ', 8);
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += header[i];
    snprintf((char *)header + TAR_SUM_AT, 8, "%06o", sum);
}

/* Adds a header and returns its offset. */
static inline size_t tar_put_header(
    struct vv_buffer *b, const char *name, char type, size_t size)
{
    size_t at = b->size;
    unsigned char header[TAR_BLOCK] = { 0 };
    memcpy(header, name, strlen(name));
    snprintf((char *)header + TAR_SIZE_AT, 12, "%011o", (unsigned)size);
    header[TAR_TYPE_AT] = (unsigned char)type;
    memcpy(header + TAR_MAGIC_AT, "ustar\00000", 8);
    tar_set_sum(header);
    vv_buffer_add(b, header, sizeof header);
    return at;
}

static inline void tar_put_data(
    struct vv_buffer *b, const void *bytes, size_t size)
{
    vv_buffer_add(b, bytes, size);
    while (b->size % TAR_BLOCK)
        vv_buffer_add8(b, 0);
}

/* Adds a member and returns the offset of its header. */
static inline size_t tar_put(struct vv_buffer *b, const char *name, char type,
    const void *bytes, size_t size)
{
    size_t at = tar_put_header(b, name, type, size);
    tar_put_data(b, bytes, size);
    return at;
}

static inline size_t tar_put_text(
    struct vv_buffer *b, const char *name, char type, const char *text)
{
    return tar_put(b, name, type, text, strlen(text));
}

static inline void tar_put_end(struct vv_buffer *b)
{
    static const unsigned char zeros[2 * TAR_BLOCK];
    vv_buffer_add(b, zeros, sizeof zeros);
}

#endif
