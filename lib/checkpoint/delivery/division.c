/* division.c - Computes hashes of the values that a process reads completely,
 * so that processes can compare them.
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

/* Returns how many of the needs a move belongs to. Small values do not count:
 * they are many, have few bytes, and include rank-local values. */
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

/* Files of other formats have one checksum for each value. It cannot be
 * verified by a process that reads only some chunks, so nothing is divided. */
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
