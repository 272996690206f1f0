/* operations_damage.c - Tests salvage of a file with damaged values: all other
 * values must be restored.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <unistd.h>

#include "mix/damage.h"
#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"

/* Checks that each lost value is reported, if only one result is correct. */
static void look_at_lost(const struct mix_open *open)
{
    size_t reported =
        varve_finding_count(open->restoration, VARVE_FINDING_DAMAGED);
    size_t lost = (size_t)__builtin_popcountll(open->lost);
    bool is_sure =
        !open->is_loose && !open->unsure && !open->unsure_in_file;
    MIX_CHECK(is_sure ? reported == lost
                      : reported <= (size_t)__builtin_popcountll(open->damaged),
        "expected %zu values to be lost, found %zu", lost, reported);
}

/* Returns true if a node may be a slice of a value of which only other pieces
 * are damaged. */
static bool may_be_elsewhere(const struct mix *m, uint8_t graph)
{
    bool has_parts = false;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        has_parts |= mix_is_part(&m->graphs[graph].shape.nodes[n]);
    return has_parts && m->has_pieces;
}

/* Lost values cannot be restored again, so no later call may fail. */
void mix_salvage_damaged(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_ORDINARY_FILES;
    const varve_read_options options = {
        .cast = b & 128 ? VARVE_CAST_ANY : VARVE_CAST_NONE,
        .passes = b & 64 ? VARVE_ONE_PASS : VARVE_TWO_PASSES,
        .salvage.on = true,
    };
    char path[256];
    mix_finish_file(m, slot, MIX_NONE);
    const struct mix_file *file = &m->files[slot];
    struct mix_open *open = mix_open_place(m);
    if (!open || !file->is_there || file->format != VARVE_FORMAT_VARVE ||
        m->trouble == MIX_FAILING_CALL || may_be_elsewhere(m, at))
        return;
    strcpy(path, mix_path(m, "damaged"));
    mix_copy_file(mix_file_path(m, slot, file->format), path);
    mix_open_begin(m, open, at, 0, file);
    open->casts = options.cast != VARVE_CAST_NONE;
    open->streams = options.passes == VARVE_ONE_PASS;
    open->damaged = mix_damage(m, path, file, c);
    mix_say(m, "(.salvage.on, file %d, damaged: %#llx)", slot,
        (unsigned long long)open->damaged);
    mix_read_one(m, open, path, &options);
    MIX_CHECK(unlink(path) == 0, "%s is gone", path);
    if (!open->restoration)
        return;
    look_at_lost(open);
    mix_end_open(m, (uint8_t)(open - m->opens), 0, 0);
}
