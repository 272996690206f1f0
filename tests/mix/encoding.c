/* encoding.c - Checks that each graph has one encoding: a file that is restored
 * and saved again must equal, byte for byte, the repacked file, and the file
 * itself if it has neither data files nor compressed values.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <varve/incremental.h>

#include "mix/mix.h"
#include "reader.h"
#include "write.h"

/* Layout of a file. With data files the same bytes are also stored in other
 * files. */
struct layout {
    bool has_layers;
    uint64_t counter;
};

static struct layout layout_of(struct mix *m, const char *path)
{
    varve_reader *reader = varve_reader_open(path, NULL, &m->error);
    MIX_CHECK(reader, "%s", m->error.message);
    const struct vv_index *index = &reader->file.parsed.index;
    struct layout layout = { index->layer_count > 0,
        varve_reader_counter(reader) };
    varve_reader_free(reader);
    return layout;
}

static void save_again(
    struct mix *m, const char *path, uint64_t counter, const char *to)
{
    varve_write_options options = { .pending = VARVE_PENDING_OMIT,
        .no_sync = true };
    varve_graph *graph = varve_graph_from(path, NULL, &m->error);
    MIX_CHECK(graph, "no graph of %s: %s", path, m->error.message);
    options.metadata = varve_graph_metadata(graph, &options.metadata_count);
    varve_status status =
        vv_save_now(&(struct vv_save_request){ .root = varve_graph_root(graph),
                        .target = to,
                        .options = &options,
                        .counter = counter },
            &m->error);
    MIX_CHECK(!status, "%s again: %s", path, m->error.message);
    varve_graph_free(graph);
}

static void check_same(const char *one, const char *other)
{
    FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
    MIX_CHECK(a && b, "%s or %s is not there", one, other);
    int x = 0, y = 0;
    for (long at = 0; x != EOF; at++) {
        x = getc_unlocked(a);
        y = getc_unlocked(b);
        MIX_CHECK(x == y, "%s and %s differ at %ld", one, other, at);
    }
    fclose(a);
    fclose(b);
}

static void repack(struct mix *m, const char *path, const char *to)
{
    const varve_write_options plainly = { .no_sync = true };
    varve_status status = varve_repack(path, to, &plainly, &m->error);
    MIX_CHECK(!status, "%s repacked: %s", path, m->error.message);
}

void mix_look_at_encoding(struct mix *m, const char *path)
{
    char saved[256], repacked[256];
    const struct layout layout = layout_of(m, path);
    strcpy(saved, mix_path(m, "encoding-again.varve"));
    strcpy(repacked, mix_path(m, "encoding-repacked.varve"));
    save_again(m, path, layout.counter, saved);
    repack(m, path, repacked);
    check_same(saved, repacked);
    if (!layout.has_layers)
        check_same(repacked, path);
    remove(repacked);
    remove(saved);
}
