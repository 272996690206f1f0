/* abreast.c - Reads consecutive boxes of two values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "abreast.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Size of a piece in bytes. Large pieces are for formats that read, or verify,
 * the whole value for any part of it. */
enum { PIECE = 8 << 20, LARGE_PIECE = 128 << 20 };

static uint64_t piece_size(const struct side *s, const varve_saved_node *node)
{
    const varve_reader *reader = s->target.reader;
    if (varve_reader_format(reader) == VARVE_FORMAT_VARVE)
        return PIECE;
    return node->file && !varve_reader_has_checksums(reader) ? PIECE
                                                             : LARGE_PIECE;
}

static uint64_t width_of(const struct abreast *p, int side)
{
    return varve_dtype_size(p->nodes[side]->value.dtype);
}

/* Returns the largest number of elements in a piece. */
static uint64_t most_elements(const struct abreast *p)
{
    uint64_t most = UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        uint64_t fit = piece_size(p->sides[i], p->nodes[i]) / width_of(p, i);
        most = fit < most ? fit : most;
    }
    return most;
}

void abreast_begin(struct abreast *p, const struct side *const sides[2],
    const varve_saved_node *const nodes[2], bool shorter)
{
    *p = (struct abreast){
        .sides = sides, .nodes = nodes, .shape = nodes[0]->value, .inner = 1
    };
    varve_tensor *shape = &p->shape;
    if (shorter && nodes[1]->value.shape[0] < shape->shape[0])
        shape->shape[0] = nodes[1]->value.shape[0];
    p->count = varve_tensor_count(shape);
    uint64_t most = most_elements(p);
    p->cut = shape->rank ? shape->rank - 1 : 0;
    while (p->count && p->cut > 0 && shape->shape[p->cut] <= most / p->inner)
        p->inner *= shape->shape[p->cut--];
    p->step = most / p->inner;
    for (uint32_t i = p->cut; i < shape->rank; i++)
        p->box.extents[i] = shape->shape[i];
    for (uint32_t i = 0; i < p->cut; i++)
        p->box.extents[i] = 1;
}

/* Sets the box to the next piece, and returns its number of elements. */
static uint64_t place_box(struct abreast *p)
{
    const varve_tensor *shape = &p->shape;
    if (shape->rank == 0)
        return 1;
    uint64_t at = p->done / p->inner;
    uint64_t start = at % shape->shape[p->cut];
    uint64_t left = shape->shape[p->cut] - start;
    p->box.start[p->cut] = start;
    p->box.extents[p->cut] = left < p->step ? left : p->step;
    at /= shape->shape[p->cut];
    for (uint32_t i = p->cut; i-- > 0;) {
        p->box.start[i] = at % shape->shape[i];
        at /= shape->shape[i];
    }
    return p->box.extents[p->cut] * p->inner;
}

static bool read_piece(struct abreast *p, uint64_t count, int side)
{
    size_t size = (size_t)(count * width_of(p, side));
    if (size > p->room_size[side]) {
        free(p->room[side]);
        p->room[side] = memory_allocate(size, 1);
        p->room_size[side] = size;
    }
    p->failed = side;
    return varve_reader_read_box(p->sides[side]->target.reader,
               p->nodes[side]->id, &p->box, p->room[side], size,
               &p->error) == VARVE_OK;
}

bool abreast_next(struct abreast *p, struct stretch *piece)
{
    if (p->done == p->count)
        return false;
    uint64_t count = place_box(p);
    if (!read_piece(p, count, 0) || !read_piece(p, count, 1))
        return false;
    *piece = (struct stretch){
        .start = p->done, .count = count, .bytes = { p->room[0], p->room[1] }
    };
    p->done += count;
    return true;
}

void abreast_end(struct abreast *p)
{
    free(p->room[0]);
    free(p->room[1]);
}
