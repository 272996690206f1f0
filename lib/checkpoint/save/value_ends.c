/* value_ends.c - Keeps a list of digests, each with the moment since which it
 * has been the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value_ends.h"

#include "checksum.h"

struct end {
    const uint8_t *bytes;
    size_t size;
    struct vv_digest digest;
    uint32_t since;
};

void vv_value_ends_init(
    struct vv_value_ends *ends, const varve_allocator *allocator)
{
    vv_buffer_init(&ends->all, allocator);
    ends->next = 0;
}

void vv_value_ends_clear(struct vv_value_ends *ends)
{
    vv_buffer_clear(&ends->all);
}

void vv_value_ends_forget(struct vv_value_ends *ends)
{
    vv_emptied(&ends->all);
}

/* Removes the entries that the last pass did not reach. So each entry was
 * checked in every pass since it was added. */
void vv_value_ends_begin(struct vv_value_ends *ends)
{
    size_t asked = ends->next * sizeof(struct end);
    if (asked < ends->all.size)
        ends->all.size = asked;
    ends->next = 0;
}

/* Returns the next entry. Returns NULL if out of memory; then the bytes count
 * as changed. */
static struct end *next_end(struct vv_value_ends *ends)
{
    size_t at = ends->next++ * sizeof(struct end);
    struct vv_buffer *all = &ends->all;
    if (at < all->size)
        return (struct end *)(void *)(all->data + at);
    struct end *end = vv_buffer_extend(all, sizeof *end);
    if (end)
        *end = (struct end){ .size = 0 };
    else
        vv_value_ends_forget(ends);
    return end;
}

uint32_t vv_value_ends_since(struct vv_value_ends *ends, const uint8_t *bytes,
    size_t size, uint32_t moment)
{
    struct end *end = next_end(ends);
    struct end now = { .bytes = bytes,
        .size = size,
        .digest = vv_digest_of(bytes, size),
        .since = moment };
    if (!end)
        return moment;
    if (end->bytes == bytes && end->size == size &&
        vv_digest_equal(&end->digest, &now.digest))
        return end->since;
    *end = now;
    return moment;
}
