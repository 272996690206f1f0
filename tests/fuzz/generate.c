/* generate.c - Generates random graphs of a few dozen linked nodes with values
 * of every type.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/generate.h"

#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "default_allocator.h"
#include "context.h"
#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "graph.h"
#include "reader.h"
#include "support/cut_pieces.h"
#include "support/proof.h"

enum { MOST_NODES = 40, MOST_SLOTS = 3, MOST_BOXES = 5 };

static const char *const names[] = {
    "numbers", "shapes", "network", "layers", "optimizer", "generator", "cache",
    "kernel", "bias", "draws", "step", "words", "labels", "dict", "list",
    "moved", "old", "older", "open", "late", "attic", "w", "v", "w2", "a", "b",
    "x", "m", "model", "momentum", "second_moment", "count", "deep", "empty",
    "float32", "int8", "string", "self", "owner", "a/b%c",
    ("gr\xc3\xb6\xc3\x9f" "e"), "*", "**", "...", "a(b)", "|", "\x01", "00",
    "18446744073709551616", "-1",
};

struct maker {
    uint64_t random;
    varve_graph *graph;
    varve_node *nodes[MOST_NODES];
    size_t count;
    uint64_t state[2];
    struct {
        uint64_t numbers[8];
        varve_string strings[8];
    } memory[MOST_NODES + MOST_SLOTS]; /* each for one variable */
    size_t used;
};

static uint64_t below(struct maker *m, uint64_t limit)
{
    return proof_next(&m->random) % limit;
}

static const char *any_name(struct maker *m)
{
    return names[below(m, sizeof names / sizeof *names)];
}

static varve_node *any_node(struct maker *m)
{
    return m->nodes[below(m, m->count)];
}

static bool has_children(const varve_node *node)
{
    return varve_node_kind(node) != VARVE_VARIABLE;
}

static varve_status save_state(void *self, varve_sink *sink)
{
    varve_put(sink, self, 16);
    return VARVE_OK;
}

static varve_status load_state(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

/* Returns a tensor of at most 64 bytes. */
static varve_tensor any_tensor(struct maker *m)
{
    static const uint64_t shapes[][4] = { { 0 }, { 1, 3 }, { 2, 2, 3 },
        { 1, 6 }, { 2, 0, 3 }, { 1, 1 }, { 3, 1, 2, 1 }, { 2, 1, 1 } };
    const uint64_t *shape = shapes[below(m, 8)];
    varve_dtype dtype = (varve_dtype)(1 + below(m, VARVE_STRING));
    if (varve_dtype_size(dtype) > 8 && dtype != VARVE_STRING)
        dtype = VARVE_FLOAT32;
    void *data = dtype == VARVE_STRING ? (void *)m->memory[m->used].strings
                                       : m->memory[m->used].numbers;
    m->used++;
    return varve_view(
        data, dtype, varve_shape_of((uint32_t)shape[0], shape + 1));
}

static varve_node *add_child(
    struct maker *m, varve_node *parent, const char *name)
{
    static const varve_state_callbacks callbacks = { save_state, load_state };
    switch (below(m, 9)) {
    case 0: return varve_add_list(parent, name);
    case 1: return varve_add_dict(parent, name);
    case 2:
    case 3: return varve_add_object(parent, name);
    case 4: return varve_add_state(parent, name, &callbacks, m->state);
    default: return varve_add_variable(parent, name, any_tensor(m));
    }
}

static void grow(struct maker *m)
{
    varve_node *parent = any_node(m);
    if (!has_children(parent))
        return;
    bool in_list = varve_node_kind(parent) == VARVE_LIST;
    const char *name = in_list ? VARVE_APPEND : any_name(m);
    if (name && varve_find(parent, name))
        return;
    if (below(m, 4) == 0)
        varve_track(parent, name, any_node(m));
    else
        m->nodes[m->count++] = add_child(m, parent, name);
}

static void add_slot(struct maker *m)
{
    varve_node *owner = any_node(m);
    varve_node *variable = any_node(m);
    const char *name = any_name(m);
    if (has_children(owner) && !has_children(variable) &&
        !varve_find_slot(owner, variable, name))
        varve_add_slot(owner, variable, name, any_tensor(m));
}

static void build(struct maker *m)
{
    static const char *const tags[] = { VARVE_TAG_LOCAL, VARVE_TAG_TRAINABLE };
    static const char *const globals[] = { "g/1", "moved/count", "a/b" };
    size_t wanted = 1 + below(m, MOST_NODES - 1);
    m->nodes[m->count++] = varve_graph_root(m->graph);
    for (int tries = 0; m->count < wanted && tries < 200; tries++)
        grow(m);
    for (uint64_t i = below(m, 1 + MOST_SLOTS); i > 0; i--)
        add_slot(m);
    for (uint64_t i = below(m, 4); i > 0; i--)
        varve_tag(any_node(m), tags[below(m, 2)]);
    for (uint64_t i = below(m, 4); i < 3; i++) {
        varve_node *node = any_node(m);
        varve_kind kind = varve_node_kind(node);
        if (kind == VARVE_VARIABLE || kind == VARVE_STATE)
            varve_set_global_name(node, globals[i]);
    }
}

static size_t write_file(struct maker *m, const struct one_file *file,
    uint8_t *bytes, size_t room)
{
    static const varve_metadata metadata[] = {
        { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = 12 },
        { .name = "loss", .kind = VARVE_METADATA_REAL, .real = 0.5 },
        { .name = "note", .kind = VARVE_METADATA_STRING, .string = "x" },
        { .name = "best", .kind = VARVE_METADATA_BOOLEAN, .integer = 1 },
    };
    varve_write_options options = { .metadata = metadata,
        .metadata_count = below(m, 5), .no_sync = true };
    varve_error error = { 0 };
    varve_node *root = varve_graph_root(m->graph);
#ifdef VV_HAVE_ZSTD
    options.compress = below(m, 4) == 0;
#endif
    varve_status status = varve_write(root, FUZZ_PATH, &options, &error);
    FUZZ_CHECK(!status, "a random graph: %s", error.message);
    if (file->written_size > room)
        return 0;
    memcpy(bytes, file->written, file->written_size);
    return file->written_size;
}

/* --- Pieces --------------------------------------------------------------- */

static int compare_boxes(const void *left, const void *right)
{
    const varve_box *a = left, *b = right;
    for (int k = 0; k < VARVE_MAX_RANK; k++)
        if (a->start[k] != b->start[k])
            return a->start[k] < b->start[k] ? -1 : 1;
    return 0;
}

/* Splits a box into two or more, along rows or any dimension. */
static uint32_t split(
    struct maker *m, const varve_tensor *value, varve_box *boxes)
{
    uint32_t count = 1, dimensions = below(m, 2) ? 1 : value->rank;
    memset(boxes, 0, MOST_BOXES * sizeof *boxes);
    memcpy(boxes[0].extents, value->shape, value->rank * sizeof(uint64_t));
    for (uint64_t tries = 1 + below(m, 8); tries > 0; tries--) {
        varve_box *box = &boxes[below(m, count)];
        uint32_t k = (uint32_t)below(m, dimensions);
        if (box->extents[k] < 2 || count == MOST_BOXES)
            continue;
        uint64_t at = 1 + below(m, box->extents[k] - 1);
        boxes[count] = *box;
        boxes[count].start[k] += at;
        boxes[count++].extents[k] -= at;
        box->extents[k] = at;
    }
    qsort(boxes, count, sizeof *boxes, compare_boxes);
    return count;
}

/* Sets `path` to the path of a value that can be split. Returns false if node
 * `number` has no such value. */
static bool choose(const struct vv_context *context, struct maker *m,
    size_t number, varve_box *boxes, uint32_t *count, char path[4096])
{
    varve_saved_node node;
    varve_reader *reader = vv_reader_open_in(context, FUZZ_PATH, NULL);
    bool is_it = reader && varve_reader_node_at(reader, number, &node) &&
                 node.kind == VARVE_VARIABLE && node.has_value &&
                 node.size > 0 && node.value.rank > 0 &&
                 node.value.dtype != VARVE_STRING &&
                 strlen(node.path) < 4096;
    if (is_it) {
        strcpy(path, node.path);
        *count = split(m, &node.value, boxes);
    }
    varve_reader_free(reader);
    return is_it && *count > 1;
}

/* Stores one value of the file in pieces and returns the new file size. */
static size_t cut_value(
    struct maker *m, size_t number, uint8_t *bytes, size_t size, size_t room)
{
    struct one_file file;
    varve_box boxes[MOST_BOXES];
    varve_error error = { 0 };
    char path[4096];
    uint32_t count;
    one_file_init(&file, bytes, size);
    struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL), .system = &file.system
    };
    if (choose(&context, m, number, boxes, &count, path)) {
        varve_status status = cut_into_pieces(
            &context, FUZZ_PATH, path, boxes, count, &error);
        FUZZ_CHECK(!status, "a value in pieces: %s", error.message);
        size = file.written_size <= room ? file.written_size : size;
        if (size == file.written_size)
            memcpy(bytes, file.written, size);
    }
    free(file.written);
    return size;
}

static void fill(struct maker *m)
{
    m->state[1] = UINT64_C(0x0101010101010101);
    for (size_t i = 0; i < 8 * (MOST_NODES + MOST_SLOTS); i++) {
        size_t k = i % 8;
        varve_string *string = &m->memory[i / 8].strings[k];
        m->memory[i / 8].numbers[k] = k % 2 ? m->state[1] : 0;
        string->data = names[k];
        string->size = k % 3 ? strlen(names[k]) : 0;
    }
}

size_t generate(uint64_t seed, uint8_t *bytes, size_t room)
{
    struct one_file file;
    one_file_init(&file, NULL, 0);
    struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL), .system = &file.system
    };
    struct maker *m = calloc(1, sizeof *m);
    m->random = seed;
    m->graph = vv_graph_new_in(&context);
    fill(m);
    build(m);
    size_t size = write_file(m, &file, bytes, room);
    bool is_cut = below(m, 2);
    for (size_t i = 0; is_cut && size && i < m->count; i++)
        if (below(m, 2))
            size = cut_value(m, i, bytes, size, room);
    varve_graph_free(m->graph);
    free(file.written);
    free(m);
    return size;
}
