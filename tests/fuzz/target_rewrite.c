/* target_rewrite.c - Fuzzes the canonical encoding: a graph created from a file
 * and saved again must give the same bytes as repacking the file. These bytes
 * must equal the file itself if its values are neither in data files nor in
 * pieces and have the offsets that a writer would choose.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "data_out.h"
#include "default_allocator.h"
#include "fuzz/fuzz.h"
#include "fuzz/golden_layers.h"
#include "graph.h"
#include "layout.h"
#include "reader.h"
#include "repack.h"
#include "structure.h"
#include "write.h"

enum { MOST_VALUES = 4 << 20, MOST_METADATA = 1024 };

struct rewriting {
    struct many_files files;
    struct vv_context context;
    varve_reader *reader;
};

struct file {
    uint8_t *bytes;
    size_t size;
};

/* --- Files in canonical encoding ------------------------------------------ */

/* Returns true if the node keeps its value in a graph; a value tagged `local`
 * is dropped. */
static bool is_kept(varve_reader *reader, const varve_saved_node *node)
{
    const char *tag;
    for (size_t i = 0; (tag = varve_reader_tag_at(reader, node->id, i)); i++)
        if (strcmp(tag, VARVE_TAG_LOCAL) == 0 && node->has_value)
            return false;
    return true;
}

static bool can_be_made(varve_reader *reader)
{
    uint64_t left = MOST_VALUES;
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        if (node.size >= left || !is_kept(reader, &node))
            return false;
        left -= node.size;
    }
    return varve_reader_verify(reader, NULL, NULL) == VARVE_OK;
}

/* Returns true for files of early versions, in which small values were placed
 * before larger ones. */
static bool is_early(const struct vv_index *index)
{
    uint64_t end = VV_HEADER_SIZE;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint64_t offset = vv_at64(index->value_offsets, i);
        uint64_t size = vv_at64(index->value_sizes, i);
        if (offset == 0)
            continue;
        if (offset != vv_data_place(end, size))
            return true;
        end = offset + size;
    }
    return false;
}

/* --- Three ways to the same bytes ----------------------------------------- */

static struct file take_written(struct rewriting *r)
{
    struct one_file *one = &r->files.one;
    struct file file = { one->written, one->written_size };
    one->written = NULL;
    one->written_size = 0;
    one->is_created = false;
    return file;
}

/* Returns an empty file if a graph cannot hold the file. */
static struct file save_again(struct rewriting *r)
{
    varve_error error = { .message = "" };
    varve_graph *graph = vv_graph_from_in(&r->context, FUZZ_PATH, NULL, &error);
    varve_write_options options = { .no_sync = true };
    if (!graph) { /* lengths of strings */
        FUZZ_CHECK(error.status == VARVE_CORRUPT, "%s", error.message);
        return (struct file){ 0 };
    }
    options.metadata = varve_graph_metadata(graph, &options.metadata_count);
    varve_status status =
        vv_save_now(&(struct vv_save_request){ .root = varve_graph_root(graph),
                        .target = FUZZ_PATH,
                        .options = &options,
                        .counter = varve_reader_counter(r->reader) },
            &error);
    FUZZ_CHECK(!status, "%s", error.message);
    varve_graph_free(graph);
    return take_written(r);
}

static struct file repack(struct rewriting *r)
{
    varve_error error = { .message = "" };
    const varve_write_options options = { .no_sync = true };
    varve_status status = vv_repack(
        &r->context, FUZZ_PATH, NULL, &options, &error);
    FUZZ_CHECK(!status, "%s", error.message);
    return take_written(r);
}

static void check_same(
    const struct file *one, const uint8_t *bytes, size_t size, const char *what)
{
    size_t at = 0;
    while (at < size && at < one->size && one->bytes[at] == bytes[at])
        at++;
    FUZZ_CHECK(one->size == size && at == size,
        "%s: of %zu and %zu bytes the first that differs is at %zu", what,
        one->size, size, at);
}

/* Unknown keys of the index are not written again; then the file has another
 * size. */
static void rewrite(struct rewriting *r, const uint8_t *bytes, size_t size)
{
    const struct vv_index *index = &r->reader->file.parsed.index;
    struct file saved = save_again(r);
    struct file repacked = { 0 };
    if (saved.bytes)
        repacked = repack(r);
    if (saved.bytes)
        check_same(&saved, repacked.bytes, repacked.size,
            "saved again, and repacked");
    if (saved.bytes && index->layer_count == 0 && index->pieced_count == 0 &&
        !is_early(index) && size == repacked.size)
        check_same(&repacked, bytes, size, "repacked, and as it was");
    free(repacked.bytes);
    free(saved.bytes);
}

void fuzz_rewrite(const uint8_t *bytes, size_t size)
{
    struct rewriting *r = calloc(1, sizeof *r);
    size = fuzz_file_size(bytes, size);
    many_files_init(&r->files);
    many_files_let_write(&r->files);
    many_files_add(
        &r->files, FUZZ_PATH, sizeof FUZZ_PATH - 1, bytes, size);
    for (size_t i = 0; i < golden_layer_count(); i++) {
        const struct golden_layer *layer = golden_layer_at(i);
        golden_layer_add(&r->files, "", layer, layer->bytes, layer->size);
    }
    r->context = (struct vv_context){
        .allocator = vv_allocator_or_default(NULL),
        .system = &r->files.one.system,
    };
    r->reader = vv_reader_open_in(&r->context, FUZZ_PATH, NULL);
    if (r->reader && varve_reader_format(r->reader) == VARVE_FORMAT_VARVE &&
        can_be_made(r->reader))
        rewrite(r, bytes, size);
    varve_reader_free(r->reader);
    FUZZ_CHECK(r->files.one.opened == 0, "%d descriptors are left",
        r->files.one.opened);
    free(r);
}
