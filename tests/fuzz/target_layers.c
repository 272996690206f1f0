/* target_layers.c - Fuzzes checkpoints with values in data files. The input is
 * the index; the data files are those of the golden files; the flags select a
 * defect of one of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/golden_layers.h"
#include "fuzz/many_files.h"
#include "graph.h"
#include "reader.h"
#include "structure.h"
#include "variable.h"

#define FOLDER FUZZ_STEM "run/"
#define PATH FOLDER "model.varve"

enum { MOST_SIZE = 128 * 1024, MOST_MADE = 64 << 20 };

struct run {
    struct many_files files;
    struct bounded bounded;
    struct vv_context context;
    size_t size;   /* of all files */
    uint8_t *bent; /* the data file with a defect */
};

/* Adds a data file. Two bits of the flags select the defect, three select the
 * file, and the others the position. */
static void add_layer(struct run *run, size_t i, uint32_t flags)
{
    enum { WHOLE, CUT, BENT, LOST };
    const struct golden_layer *layer = golden_layer_at(i);
    bool is_it = i == (flags >> 2) % 8 % golden_layer_count();
    unsigned way = is_it ? flags % 4 : WHOLE;
    size_t at = layer->size ? (flags >> 5) % layer->size : 0;
    const uint8_t *bytes = layer->bytes;
    if (way == LOST)
        return;
    if (way == BENT && layer->size) {
        run->bent = malloc(layer->size);
        memcpy(run->bent, layer->bytes, layer->size);
        run->bent[at] ^= (uint8_t)(1u << (flags >> 29));
        bytes = run->bent;
    }
    size_t size = way == CUT ? at : layer->size;
    golden_layer_add(&run->files, FOLDER, layer, bytes, size);
    run->size += size;
}

static void look_at_reader(struct run *run)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&run->context, PATH, &error);
    if (reader)
        fuzz_look_at(reader, &run->bounded);
    else
        fuzz_check_failure(error.status, &error);
    varve_reader_free(reader);
}

/* Checks that each value equals that of the reader, or is damaged for both. */
static void compare(
    varve_reader *reader, const varve_saved_node *saved, varve_node *root)
{
    varve_node *node = varve_find_path(root, saved->path);
    const varve_tensor *now = node ? varve_value(node) : NULL;
    if (!now || now->dtype == VARVE_STRING || saved->size > MOST_SIZE)
        return;
    bool is_there = varve_state_of(node) == VARVE_RESTORED;
    unsigned char *bytes = malloc((size_t)saved->size + 1);
    varve_status status = varve_reader_read(
        reader, saved->id, bytes, (size_t)saved->size, NULL);
    FUZZ_CHECK(!status == is_there, "\"%s\" reads: %s, and is %s", saved->path,
        varve_status_name(status), is_there ? "there" : "lost");
    FUZZ_CHECK(status || saved->size == 0 ||
            memcmp(bytes, now->data, (size_t)saved->size) == 0,
        "\"%s\" has other bytes", saved->path);
    free(bytes);
}

/* Returns true if a graph of the whole file would have a reasonable size. The
 * elements of a value that is not saved take no bytes of an index. */
static bool is_small(const struct run *run)
{
    varve_reader *reader = vv_reader_open_in(&run->context, PATH, NULL);
    varve_saved_node saved;
    uint64_t left = MOST_MADE;
    for (size_t i = 0; reader && varve_reader_node_at(reader, i, &saved); i++) {
        uint64_t size = saved.kind == VARVE_VARIABLE
                            ? varve_tensor_size(&saved.value)
                            : saved.size;
        left = size < left ? left - size : 0;
    }
    varve_reader_free(reader);
    return left > 0;
}

static void salvage(struct run *run)
{
    varve_error error = { 0 };
    const varve_read_options options = { .salvage.on = true,
        .resources.threads = 1 };
    run->bounded.is_free = true;
    if (!is_small(run))
        return;
    varve_graph *graph =
        vv_graph_from_in(&run->context, PATH, &options, &error);
    if (!graph)
        fuzz_check_failure(error.status, &error);
    varve_reader *reader = vv_reader_open_in(&run->context, PATH, NULL);
    varve_saved_node saved;
    for (size_t i = 0;
         graph && reader && varve_reader_node_at(reader, i, &saved); i++)
        if (saved.kind == VARVE_VARIABLE && saved.has_value)
            compare(reader, &saved, varve_graph_root(graph));
    varve_reader_free(reader);
    if (graph)
        varve_graph_free(graph);
}

void fuzz_layers(const uint8_t *bytes, size_t size)
{
    struct run *run = calloc(1, sizeof *run);
    uint32_t flags = fuzz_flags(bytes, size);
    many_files_init(&run->files);
    run->size = fuzz_file_size(bytes, size);
    many_files_add(
        &run->files, PATH, sizeof PATH - 1, bytes, run->size);
    for (size_t i = 0; i < golden_layer_count(); i++)
        add_layer(run, i, flags);
    run->bounded = bounded_for(bytes, fuzz_file_size(bytes, size));
    bounded_raise(&run->bounded,
        FUZZ_FACTOR * (run->size - fuzz_file_size(bytes, size)));
    run->context = (struct vv_context){
        .allocator = bounded_allocator(&run->bounded),
        .system = &run->files.one.system,
    };
    look_at_reader(run);
    salvage(run);
    FUZZ_CHECK(run->files.one.opened == 0, "%d descriptors are left",
        run->files.one.opened);
    bounded_check_empty(&run->bounded);
    free(run->bent);
    free(run);
}
