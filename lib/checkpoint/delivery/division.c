/* division.c - what is needed whole, as numbers to compare.
 *
 * SPDX-License-Identifier: MIT
 */
#include "division.h"

#include "move.h"
#include "piece_table.h"
#include "slice.h"

static bool is_read_whole(const struct vv_delivery *d, const struct vv_move *m)
{
    const struct vv_parsed_index *parsed = &d->file->parsed;
    uint64_t chunks = vv_value_chunks(&parsed->index, &parsed->table, m->value);
    uint64_t next = 0;
    while (vv_move_reads(d, m, &next) && chunks > 0) {
        next++;
        chunks--;
    }
    return chunks == 0;
}

/* How many of the needs it belongs to. Small values are many, few of their
 * bytes are worth the while, and what is private is among them. */
static unsigned needs_of(const struct vv_delivery *d, const struct vv_move *m)
{
    const struct vv_index *index = &d->file->parsed.index;
    if (m->is_fixed || m->mode == VV_MOVE_MAPPED ||
        vv_at64(index->value_sizes, m->value) <= VV_SMALL_VALUE ||
        !is_read_whole(d, m))
        return 0;
    bool is_slice = vv_attachment_find(m->node, &vv_slice_kind);
    return is_slice ? 1 : 2;
}

static uint64_t mix(uint64_t number, uint32_t value)
{
    number = (number ^ (value + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    return number ^ number >> 29;
}

static void division_number(const struct vv_delivery *d, struct vv_move *moves,
    size_t count, uint64_t numbers[VV_NEEDS])
{
    for (size_t i = 0; i < count; i++) {
        moves[i].needs = needs_of(d, &moves[i]) & 3;
        for (unsigned k = 0; k < moves[i].needs; k++)
            numbers[k] = mix(numbers[k], moves[i].value);
    }
}

/* A sum over the whole of a value, as other formats have, is no sum of its
 * chunks for one who sees but some of them. */
varve_status vv_divide(const struct vv_delivery *d, struct vv_move *moves,
    size_t count, struct vv_division *division, varve_error *error)
{
    const struct vv_collective_open *consent = d->consent;
    *division = (struct vv_division){ .need = VV_NEEDS, .parts = 1 };
    if (!consent || consent->was_asked)
        return VARVE_OK;
    if (vv_opened_has_digests(d->file))
        division_number(d, moves, count, division->numbers);
    return consent->divide(consent->user, division, error);
}
