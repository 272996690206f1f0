/* cut.c - a box is split in two once or several times.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/cut.h"

#include <stdlib.h>
#include <string.h>

#include <varve/graph.h>

#include "bytes.h"
#include "column.h"
#include "dtype.h"
#include "layout.h"
#include "support/proof.h"

enum { MOST_BOXES = 5 };

struct cut {
    uint64_t random;
    const uint8_t *kinds, *nodes, *dtypes, *ranks, *extents, *sizes;
    struct vv_buffer *values, *ends, *boxes;
};

/* Boxes are compared by their starts, which `rank` numbers of them are. */
static uint32_t rank;

static uint64_t below(struct cut *c, uint64_t limit)
{
    return proof_next(&c->random) % limit;
}

static int compare(const void *left, const void *right)
{
    const varve_box *a = left, *b = right;
    for (uint32_t k = 0; k < rank; k++) {
        if (a->start[k] != b->start[k])
            return a->start[k] < b->start[k] ? -1 : 1;
    }
    return 0;
}

static uint32_t split(struct cut *c, varve_box *boxes)
{
    uint32_t count = 1;
    for (uint64_t tries = 1 + below(c, 8); tries > 0; tries--) {
        varve_box *box = &boxes[below(c, count)];
        uint32_t k = (uint32_t)below(c, rank);
        if (box->extents[k] < 2 || count == MOST_BOXES)
            continue;
        uint64_t at = 1 + below(c, box->extents[k] - 1);
        boxes[count] = *box;
        boxes[count].start[k] += at;
        boxes[count].extents[k] -= at;
        box->extents[k] = at;
        count++;
    }
    qsort(boxes, count, sizeof *boxes, compare);
    return count;
}

static void cut_value(struct cut *c, uint32_t value)
{
    varve_box boxes[MOST_BOXES] = { 0 };
    rank = c->ranks[value];
    for (uint32_t k = 0; k < rank; k++)
        boxes[0].extents[k] = vv_load64(c->extents + 8 * k);
    uint32_t count = split(c, boxes);
    if (count < 2)
        return;
    uint32_t before =
        c->ends->size ? vv_load32(c->ends->data + c->ends->size - 4) : 0;
    vv_buffer_add32(c->values, value);
    vv_buffer_add32(c->ends, before + count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < rank; k++)
            vv_buffer_add64(c->boxes, boxes[i].start[k]);
        for (uint32_t k = 0; k < rank; k++)
            vv_buffer_add64(c->boxes, boxes[i].extents[k]);
    }
}

static struct vv_buffer *add_column(struct pieces *p, uint64_t key)
{
    const struct vv_column *column = vv_column_find(key);
    size_t at = 0;
    while (at < p->count && p->items[at].key < key)
        at++;
    struct piece *piece = pieces_insert(p, at);
    piece->key = key;
    piece->tag = column->tag;
    piece->is_column = true;
    return &piece->bytes;
}

static const uint8_t *data_of(struct pieces *p, uint64_t key)
{
    return pieces_find(p, key)->bytes.data;
}

static void remove_columns(struct pieces *p)
{
    for (size_t i = p->count; i-- > 0;) {
        if (p->items[i].key >= VV_KEY_PIECED_VALUES &&
            p->items[i].key <= VV_KEY_PIECE_BOXES)
            pieces_remove(p, i);
    }
}

void cut_values(struct pieces *p, uint64_t random)
{
    if (pieces_find(p, VV_KEY_LAYER_SIZES) ||
        pieces_find(p, VV_KEY_PIECED_VALUES))
        return;
    add_column(p, VV_KEY_PIECED_VALUES);
    add_column(p, VV_KEY_PIECE_ENDS);
    add_column(p, VV_KEY_PIECE_BOXES);
    struct cut c = { .random = random,
        .kinds = data_of(p, VV_KEY_NODE_KINDS),
        .nodes = data_of(p, VV_KEY_VALUE_NODES),
        .dtypes = data_of(p, VV_KEY_VALUE_DTYPES),
        .ranks = data_of(p, VV_KEY_VALUE_RANKS),
        .extents = data_of(p, VV_KEY_VALUE_EXTENTS),
        .sizes = data_of(p, VV_KEY_VALUE_SIZES),
        .values = &pieces_find(p, VV_KEY_PIECED_VALUES)->bytes,
        .ends = &pieces_find(p, VV_KEY_PIECE_ENDS)->bytes,
        .boxes = &pieces_find(p, VV_KEY_PIECE_BOXES)->bytes };
    size_t count = pieces_find(p, VV_KEY_VALUE_RANKS)->bytes.size;
    for (uint32_t i = 0; i < count; i++) {
        if (vv_load64(c.sizes + 8 * (size_t)i) > 0 && c.ranks[i] > 0 &&
            c.dtypes[i] != VARVE_STRING && below(&c, 2) &&
            c.kinds[vv_load32(c.nodes + 4 * (size_t)i)] == VARVE_VARIABLE)
            cut_value(&c, i);
        c.extents += 8 * (size_t)c.ranks[i];
    }
    if (c.values->size == 0)
        remove_columns(p);
}
