/* generate.c - a few dozen nodes, linked at random, with values of every type.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/generate.h"

#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "default_allocator.h"
#include "context.h"
#include "fuzz/cut.h"
#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "graph.h"
#include "support/proof.h"

enum { MOST_NODES = 40 };

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
    uint64_t memory[8]; /* what every variable is a view of */
    varve_string strings[8];
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

/* At most 64 bytes, of which there are that many. */
static varve_tensor any_tensor(struct maker *m)
{
    static const uint64_t shapes[][4] = { { 0 }, { 1, 3 }, { 2, 2, 3 },
        { 1, 6 }, { 2, 0, 3 }, { 1, 1 }, { 3, 1, 2, 1 }, { 2, 1, 1 } };
    const uint64_t *shape = shapes[below(m, 8)];
    varve_dtype dtype = (varve_dtype)(1 + below(m, VARVE_STRING));
    if (varve_dtype_size(dtype) > 8 && dtype != VARVE_STRING)
        dtype = VARVE_FLOAT32;
    return varve_view(dtype == VARVE_STRING ? (void *)m->strings : m->memory,
        dtype, varve_shape_of((uint32_t)shape[0], shape + 1));
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
    case 4: return varve_add_state(parent, name, &callbacks, m->memory);
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
    for (uint64_t i = below(m, 4); i > 0; i--)
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
    for (size_t i = 0; i < 8; i++) {
        m->memory[i] = i % 2 ? UINT64_C(0x0101010101010101) : 0;
        m->strings[i].data = names[i];
        m->strings[i].size = i % 3 ? strlen(names[i]) : 0;
    }
    build(m);
    size_t size = write_file(m, &file, bytes, room);
    struct pieces pieces;
    if (below(m, 2) && pieces_begin(&pieces, bytes, size)) {
        cut_values(&pieces, m->random);
        size = pieces_end(&pieces, SEAL_PLACES, bytes, room);
        pieces_clear(&pieces);
    }
    varve_graph_free(m->graph);
    free(file.written);
    free(m);
    return size;
}
