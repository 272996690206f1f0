/* operations_layers.c - Tests operations on incremental checkpoints: repacking
 * one, deleting some, and deleting unreferenced data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "layer_prune.h"
#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"
#include "mix/trouble.h"
#include "repack.h"

/* Returns true for files in Varve's own format that do not belong to a
 * manager. */
static bool is_plain(const struct mix *m, uint8_t slot)
{
    return m->files[slot].is_there &&
           m->files[slot].format == VARVE_FORMAT_VARVE && slot != MIX_LEDGER;
}

/* Returns the content and sets the path of a file, possibly a numbered one.
 * Returns NULL if it does not exist. */
static const struct mix_file *choose(struct mix *m, uint8_t by, char path[256])
{
    uint8_t slot = by % MIX_FILES;
    mix_finish_saves(m, MIX_NONE);
    if (by >= 128 && m->saved.count) {
        uint8_t at = by % m->saved.count;
        strcpy(path, mix_path(m, "p-%d.varve", (int)m->saved.numbers[at]));
        return &m->saved.files[at];
    }
    mix_finish_file(m, slot, MIX_NONE);
    strcpy(path, mix_file_path(m, slot, VARVE_FORMAT_VARVE));
    return is_plain(m, slot) ? &m->files[slot] : NULL;
}

void mix_repack(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    const varve_write_options options = { .no_sync = a & 1 };
    char from[256], to[256];
    const struct mix_file *file = choose(m, b, from);
    uint8_t slot = c % MIX_ORDINARY_FILES;
    bool moves = c & 128;
    mix_finish_file(m, slot, MIX_NONE);
    if (!file)
        return;
    strcpy(to, mix_file_path(m, slot, VARVE_FORMAT_VARVE));
    mix_say(m, "varve_repack(\"%s\", \"%s\");", from, moves ? to : "");
    mix_trouble_begin(m);
    varve_status status = vv_repack(
        &m->context, from, moves ? to : NULL, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    status = mix_in_place(m, status);
    mix_expect(m, "varve_repack", status, VARVE_OK, other);
    if (moves && status == VARVE_OK)
        m->files[slot] = *file;
    mix_look_at_file(m, from, file);
    if (m->files[slot].is_there)
        mix_look_at_file(m, mix_file_path(m, slot, m->files[slot].format),
            &m->files[slot]);
}

static void look_at_all(struct mix *m)
{
    for (uint8_t i = 0; i < MIX_FILES; i++)
        if (m->files[i].is_there && !mix_is_replaced(m, MIX_WRITTEN, i))
            mix_look_at_file(m, mix_file_path(m, i, m->files[i].format),
                &m->files[i]);
    for (uint8_t i = 0; i < m->saved.count; i++)
        mix_look_at_file(m,
            mix_path(m, "p-%d.varve", (int)m->saved.numbers[i]),
            &m->saved.files[i]);
    for (uint8_t i = 0; i < MIX_SAVERS; i++)
        if (m->savers[i].saver && m->savers[i].last.is_there &&
            !mix_is_replaced(m, MIX_BY_SAVER, i))
            mix_look_at_file(m, varve_saver_latest(m->savers[i].saver),
                &m->savers[i].last);
}

/* Data files of pending saves must not be deleted. */
void mix_prune_layers(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)a;
    (void)b;
    (void)c;
    mix_say(m, "varve_prune_data_files(\"%s\");", m->place);
    mix_trouble_begin(m);
    varve_status status =
        vv_prune_layers(&m->context, mix_path(m, "f"), &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_prune_data_files", status, VARVE_OK, other);
    if (c & 1)
        mix_finish_all(m);
    look_at_all(m);
}

static void forget_saved(struct mix_directory *d, const struct mix_file *file)
{
    uint8_t at = (uint8_t)(file - d->files);
    for (uint8_t k = at; k + 1 < d->count; k++) {
        d->numbers[k] = d->numbers[k + 1];
        d->files[k] = d->files[k + 1];
    }
    d->count--;
}

/* Deletes files directly, in any order. */
void mix_delete(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    char path[256];
    const struct mix_file *file = choose(m, b, path);
    (void)a;
    (void)c;
    if (!file)
        return;
    mix_say(m, "(\"%s\" is deleted)", path);
    MIX_CHECK(unlink(path) == 0, "%s was not there", path);
    if (file >= m->saved.files && file < m->saved.files + MIX_KEPT)
        forget_saved(&m->saved, file);
    else
        m->files[file - m->files].is_there = false;
}
