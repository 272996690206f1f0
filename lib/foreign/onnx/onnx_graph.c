/* onnx_graph.c - Walks nested messages with a stack that contains the rest of
 * each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_graph.h"

#include <inttypes.h>
#include <string.h>

#include "checksum.h"
#include "draft_parts.h"
#include "failure.h"
#include "name.h"
#include "try.h"

/* Field numbers in the file. */
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_SPARSE = 15 };
enum { FUNCTION_NODE = 7, FUNCTION_ATTRIBUTE = 11 };
enum { TRAINING_INITIALIZATION = 1, TRAINING_ALGORITHM = 2 };
enum { NODE_OUTPUT = 2, NODE_NAME = 3, NODE_TYPE = 4, NODE_ATTRIBUTE = 5 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_TENSOR = 5,
    ATTRIBUTE_GRAPH = 6,
    ATTRIBUTE_TENSORS = 10,
    ATTRIBUTE_GRAPHS = 11,
    ATTRIBUTE_SPARSE = 22,
    ATTRIBUTE_SPARSES = 23,
};

struct level {
    struct vv_wire_part rest;
    uint64_t number; /* of a graph: its number among all; of a node: its
                        position */
    uint64_t count;  /* number of nodes of a graph, or of tensors or graphs of
                        an attribute */
    struct vv_wire_part name, type; /* of a node */
    struct vv_wire_part output;     /* name of its first output */
    size_t path;                    /* size of the path that leads to it */
    uint32_t kind;                  /* enum vv_onnx_message */
    bool is_called; /* of a node: its name has been added to the path; of an
                       attribute: it is the value of a constant */
};

/* The name of a node in its graph. */
struct label {
    uint64_t graph;
    size_t size;
    char text[];
};

struct reading {
    struct vv_onnx_values *v;
    struct vv_buffer levels;
    struct vv_map labels;
    struct vv_arena arena;
    uint64_t graphs; /* number of graphs so far */
};

static const char *const whats[] = {
    [VV_ONNX_GRAPH] = "a graph",
    [VV_ONNX_FUNCTION] = "a function",
    [VV_ONNX_TRAINING] = "training information",
    [VV_ONNX_NODE] = "a node",
    [VV_ONNX_ATTRIBUTE] = "an attribute",
};

static varve_status onnx_graph_fail_memory(const struct reading *r)
{
    return vv_fail_memory(r->v->file.window.error, "a graph");
}

/* Adds the position of a node in its graph to the error message. */
static varve_status name_node(
    const struct reading *r, uint64_t number, varve_status status)
{
    char digits[24];
    vv_decimal(number, digits);
    if (status && status != VARVE_NO_MEMORY)
        vv_fail_of(r->v->file.window.error, r->v->foreign->files[0].path,
            "node", digits, strlen(digits));
    return status;
}

/* --- Levels --------------------------------------------------------------- */

static struct level *level_at(const struct reading *r, size_t down)
{
    struct level *levels = (struct level *)(void *)r->levels.data;
    return levels + r->levels.size / sizeof *levels - 1 - down;
}

static varve_status onnx_graph_enter(
    struct reading *r, const struct level *level)
{
    vv_buffer_add(&r->levels, level, sizeof *level);
    return r->levels.failed ? onnx_graph_fail_memory(r) : VARVE_OK;
}

static varve_status enter_graph(struct reading *r, struct vv_wire_part message)
{
    struct level level = { .rest = message,
        .kind = VV_ONNX_GRAPH,
        .number = r->graphs++,
        .path = r->v->path.size };
    return onnx_graph_enter(r, &level);
}

/* Appends a text and '/' to the path. */
static varve_status onnx_graph_add_to_path(struct reading *r, const char *text)
{
    struct vv_buffer *path = &r->v->path;
    vv_buffer_add_string(path, text);
    vv_buffer_add8(path, '/');
    return path->failed ? onnx_graph_fail_memory(r) : VARVE_OK;
}

/* Reads the next field of a message. */
static varve_status onnx_graph_next(
    struct reading *r, struct level *level, struct vv_wire_spot *spot)
{
    return vv_wire_file_next(
        &r->v->file, &level->rest, whats[level->kind], spot);
}

static varve_status expect_sized(
    struct reading *r, const struct vv_wire_spot *spot, uint32_t kind)
{
    return vv_wire_file_expect(&r->v->file, spot, VV_WIRE_SIZED, whats[kind]);
}

/* --- Names of nodes ------------------------------------------------------- */

struct wanted {
    uint64_t graph;
    const char *text;
    size_t size;
};

static bool onnx_graph_is_same(const void *item, const void *key)
{
    const struct label *l = item;
    const struct wanted *w = key;
    return l->graph == w->graph && l->size == w->size &&
           memcmp(l->text, w->text, w->size) == 0;
}

/* Records the name of a node. Sets *is_new to false if another node of the
 * graph already has it. */
static varve_status note_label(
    struct reading *r, const struct wanted *wanted, bool *is_new)
{
    uint64_t hash =
        vv_hash_of(wanted->text, wanted->size) ^ vv_map_mix(wanted->graph);
    *is_new = !vv_map_find(&r->labels, hash, onnx_graph_is_same, wanted);
    if (!*is_new)
        return VARVE_OK;
    struct label *l = vv_arena_take(&r->arena, sizeof *l + wanted->size);
    if (!l)
        return onnx_graph_fail_memory(r);
    l->graph = wanted->graph;
    l->size = wanted->size;
    memcpy(l->text, wanted->text, wanted->size);
    return vv_map_add(&r->labels, hash, l) ? VARVE_OK
                                           : onnx_graph_fail_memory(r);
}

/* Appends the name of a node to the path, or its type if it has no name, and
 * the position if that is not unique. */
static varve_status call_node(struct reading *r, const struct level *node)
{
    struct vv_buffer *path = &r->v->path;
    bool has_name = node->name.end > node->name.at, is_new = false;
    uint64_t graph = level_at(r, 1)->number;
    VV_TRY(vv_wire_file_take(
        &r->v->file, has_name ? node->name : node->type, path));
    for (int i = has_name ? 0 : 1; i < 3 && !is_new; i++) {
        if (i > 0) {
            vv_buffer_add8(path, '_');
            vv_buffer_add_decimal(path, node->number);
        }
        if (path->failed)
            return onnx_graph_fail_memory(r);
        struct wanted wanted = { graph, (const char *)path->data + node->path,
            path->size - node->path };
        VV_TRY(note_label(r, &wanted, &is_new));
    }
    return onnx_graph_add_to_path(r, "");
}

/* --- Attributes ----------------------------------------------------------- */

static bool is_interesting(uint64_t field)
{
    return field == ATTRIBUTE_TENSOR || field == ATTRIBUTE_GRAPH ||
           field == ATTRIBUTE_TENSORS || field == ATTRIBUTE_GRAPHS ||
           field == ATTRIBUTE_SPARSE || field == ATTRIBUTE_SPARSES;
}

/* Sets *name to the name of an attribute, and *has_some to true if it contains
 * tensors or graphs. */
static varve_status look_at_attribute(struct reading *r,
    struct vv_wire_part message, struct vv_wire_part *name, bool *has_some)
{
    struct level level = { .rest = message, .kind = VV_ONNX_ATTRIBUTE };
    *has_some = false;
    *name = (struct vv_wire_part){ message.at, message.at };
    while (level.rest.at < level.rest.end) {
        struct vv_wire_spot spot;
        VV_TRY(onnx_graph_next(r, &level, &spot));
        if (spot.number == ATTRIBUTE_NAME) {
            VV_TRY(expect_sized(r, &spot, level.kind));
            *name = spot.part;
        }
        if (is_interesting(spot.number)) {
            VV_TRY(expect_sized(r, &spot, level.kind));
            *has_some = true;
        }
    }
    return VARVE_OK;
}

static varve_status part_is(
    struct reading *r, struct vv_wire_part part, const char *text, bool *is_it)
{
    size_t size = strlen(text);
    *is_it = false;
    if (part.end - part.at != size)
        return VARVE_OK;
    r->v->text.size = 0;
    VV_TRY(vv_wire_file_take(&r->v->file, part, &r->v->text));
    *is_it = memcmp(r->v->text.data, text, size) == 0;
    return VARVE_OK;
}

/* The value of a constant has the name of its output, like initializers. */
static varve_status is_constant(struct reading *r, const struct level *node,
    struct vv_wire_part name, bool *is_it)
{
    bool is_value, is_sparse;
    *is_it = false;
    if (node->output.end == node->output.at)
        return VARVE_OK;
    VV_TRY(part_is(r, node->type, "Constant", is_it));
    if (!*is_it)
        return VARVE_OK;
    VV_TRY(part_is(r, name, "value", &is_value));
    VV_TRY(part_is(r, name, "sparse_value", &is_sparse));
    *is_it = is_value || is_sparse;
    return VARVE_OK;
}

static varve_status enter_attribute(
    struct reading *r, struct vv_wire_part message)
{
    struct level attribute = {
        .rest = message, .kind = VV_ONNX_ATTRIBUTE, .path = r->v->path.size
    };
    struct vv_wire_part name;
    bool has_some;
    struct level *node = level_at(r, 0);
    VV_TRY(look_at_attribute(r, message, &name, &has_some));
    if (!has_some)
        return VARVE_OK;
    VV_TRY(is_constant(r, node, name, &attribute.is_called));
    if (attribute.is_called) {
        VV_TRY(vv_wire_file_take(&r->v->file, node->output, &r->v->path));
        return onnx_graph_enter(r, &attribute);
    }
    /* The path of a node is only needed if it contains values. */
    if (!node->is_called)
        VV_TRY(call_node(r, node));
    node->is_called = true;
    attribute.path = r->v->path.size;
    VV_TRY(vv_wire_file_take(&r->v->file, name, &r->v->path));
    return onnx_graph_enter(r, &attribute);
}

/* Reads one of the tensors or graphs of an attribute. */
static varve_status step_attribute(
    struct reading *r, struct level *level, const struct vv_wire_spot *spot)
{
    struct vv_buffer *path = &r->v->path;
    size_t size = path->size;
    bool is_list = spot->number == ATTRIBUTE_TENSORS ||
                   spot->number == ATTRIBUTE_GRAPHS ||
                   spot->number == ATTRIBUTE_SPARSES;
    if (!is_interesting(spot->number))
        return VARVE_OK;
    if (is_list) {
        vv_buffer_add8(path, '/');
        vv_buffer_add_decimal(path, level->count++);
    }
    bool is_graph =
        spot->number == ATTRIBUTE_GRAPH || spot->number == ATTRIBUTE_GRAPHS;
    if (is_graph)
        vv_buffer_add8(path, '/');
    if (path->failed)
        return onnx_graph_fail_memory(r);
    if (is_graph) {
        VV_TRY(enter_graph(r, spot->part));
        level_at(r, 0)->path = size;
        return VARVE_OK;
    }
    varve_status status =
        spot->number == ATTRIBUTE_SPARSE || spot->number == ATTRIBUTE_SPARSES
            ? vv_onnx_values_add_sparse(r->v, spot->part, false)
            : vv_onnx_values_add(r->v, spot->part, false);
    path->size = size;
    return status;
}

/* --- Nodes ---------------------------------------------------------------- */

/* Reads the name and the type first, because they may follow the attributes. */
static varve_status look_at_node(
    struct reading *r, struct level *node, bool *has_attributes)
{
    struct vv_wire_part rest = node->rest;
    struct vv_wire_spot spot;
    *has_attributes = false;
    while (node->rest.at < node->rest.end) {
        VV_TRY(onnx_graph_next(r, node, &spot));
        *has_attributes |= spot.number == NODE_ATTRIBUTE;
        struct vv_wire_part *to = spot.number == NODE_NAME   ? &node->name
                                  : spot.number == NODE_TYPE ? &node->type
                                                             : &node->output;
        if (spot.number < NODE_OUTPUT || spot.number > NODE_TYPE ||
            (spot.number == NODE_OUTPUT && to->end > 0))
            continue;
        VV_TRY(expect_sized(r, &spot, VV_ONNX_NODE));
        *to = spot.part;
    }
    node->rest = rest;
    return VARVE_OK;
}

static varve_status enter_node(
    struct reading *r, struct level *graph, struct vv_wire_part message)
{
    bool has_attributes;
    struct level node = { .rest = message,
        .kind = VV_ONNX_NODE,
        .number = graph->count++,
        .path = r->v->path.size };
    VV_TRY(name_node(r, node.number, look_at_node(r, &node, &has_attributes)));
    return has_attributes ? onnx_graph_enter(r, &node) : VARVE_OK;
}

/* --- Entry points --------------------------------------------------------- */

static varve_status step_graph(
    struct reading *r, struct level *graph, const struct vv_wire_spot *spot)
{
    switch (spot->number) {
    case GRAPH_NODE: return enter_node(r, graph, spot->part);
    case GRAPH_INITIALIZER: return vv_onnx_values_add(r->v, spot->part, true);
    case GRAPH_SPARSE: return vv_onnx_values_add_sparse(r->v, spot->part, true);
    default: return VARVE_OK;
    }
}

static varve_status step_training(
    struct reading *r, const struct vv_wire_spot *spot)
{
    size_t path = r->v->path.size;
    if (spot->number != TRAINING_INITIALIZATION &&
        spot->number != TRAINING_ALGORITHM)
        return VARVE_OK;
    VV_TRY(onnx_graph_add_to_path(r,
        spot->number == TRAINING_ALGORITHM ? "algorithm" : "initialization"));
    VV_TRY(enter_graph(r, spot->part));
    level_at(r, 0)->path = path;
    return VARVE_OK;
}

static bool may_hold_values(uint32_t kind, uint64_t field)
{
    switch ((enum vv_onnx_message)kind) {
    case VV_ONNX_GRAPH:
        return field == GRAPH_NODE || field == GRAPH_INITIALIZER ||
               field == GRAPH_SPARSE;
    case VV_ONNX_FUNCTION: return field == FUNCTION_NODE;
    case VV_ONNX_TRAINING:
        return field == TRAINING_INITIALIZATION || field == TRAINING_ALGORITHM;
    case VV_ONNX_NODE: return field == NODE_ATTRIBUTE;
    case VV_ONNX_ATTRIBUTE: return is_interesting(field);
    }
    return false;
}

/* Reads the next field of the innermost message; it may open another
 * message. */
static varve_status onnx_graph_step(struct reading *r)
{
    struct level *level = level_at(r, 0);
    struct vv_wire_spot spot;
    VV_TRY(onnx_graph_next(r, level, &spot));
    if (!may_hold_values(level->kind, spot.number))
        return VARVE_OK;
    VV_TRY(expect_sized(r, &spot, level->kind));
    switch ((enum vv_onnx_message)level->kind) {
    case VV_ONNX_GRAPH: return step_graph(r, level, &spot);
    case VV_ONNX_FUNCTION: return enter_node(r, level, spot.part);
    case VV_ONNX_TRAINING: return step_training(r, &spot);
    case VV_ONNX_NODE: return enter_attribute(r, spot.part);
    case VV_ONNX_ATTRIBUTE: return step_attribute(r, level, &spot);
    }
    return VARVE_OK;
}

/* Adds the position of the innermost open node to the error message. */
static varve_status name_open_node(const struct reading *r, varve_status status)
{
    size_t count = r->levels.size / sizeof(struct level);
    for (size_t i = 0; i < count; i++) {
        if (level_at(r, i)->kind == VV_ONNX_NODE)
            return name_node(r, level_at(r, i)->number, status);
    }
    return status;
}

static varve_status onnx_graph_read_all(struct reading *r)
{
    while (r->levels.size > 0 && !r->v->draft->failed) {
        struct level *level = level_at(r, 0);
        if (level->rest.at < level->rest.end) {
            varve_status status = onnx_graph_step(r);
            if (status)
                return name_open_node(r, status);
            continue;
        }
        r->v->path.size = level->path;
        r->levels.size -= sizeof *level;
    }
    return VARVE_OK;
}

varve_status vv_onnx_graph_read(struct vv_onnx_values *values,
    enum vv_onnx_message kind, struct vv_wire_part message, const char *name)
{
    const varve_allocator *a = values->path.allocator;
    struct reading r = { .v = values };
    struct level first = { .rest = message, .kind = kind };
    vv_buffer_init(&r.levels, a);
    vv_map_init(&r.labels, a);
    vv_arena_init(&r.arena, a);
    varve_status status = onnx_graph_enter(&r, &first);
    if (!status && name)
        status = onnx_graph_add_to_path(&r, name);
    r.graphs = 1;
    if (!status)
        status = onnx_graph_read_all(&r);
    vv_buffer_clear(&r.levels);
    vv_map_clear(&r.labels);
    vv_arena_clear(&r.arena);
    return status;
}
