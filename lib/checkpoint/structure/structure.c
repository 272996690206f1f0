/* structure.c - Makes a graph from a file: its nodes, then edges, slots, tags
 * and names. An ordinary restoration then brings the values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "structure.h"

#include <varve/collection.h>
#include <varve/reader.h>
#include <varve/restoration.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "default_allocator.h"
#include "edge.h"
#include "failure.h"
#include "formats.h"
#include "graph.h"
#include "layout.h"
#include "memory_table.h"
#include "opaque.h"
#include "read.h"
#include "reader_names.h"
#include "restoration.h"
#include "save.h"
#include "selection.h"
#include "slice.h"
#include "slot.h"
#include "state.h"
#include "store.h"
#include "tag.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"

/* --- Values that stay in the file ----------------------------------------- */

enum {
    MOST_HELD = 8 << 20, /* bytes of values in memory, all together */
    LEAST_LEFT = 256,
};

struct in_file {
    struct vv_observer observer;
    varve_allocator allocator;
    varve_reader *reader;
    size_t count;
    struct value_in_file {
        const struct in_file *file;
        uint32_t node;
        uint32_t value;
    } values[];
};

uint64_t vv_in_file_from(const struct vv_index *index)
{
    uint64_t from = VV_PAGED_SIZE;
    for (;;) {
        uint64_t held = 0;
        for (uint32_t i = 0; i < index->value_count; i++) {
            uint64_t size = vv_at64(index->value_sizes, i);
            held += size < from ? size : 0;
        }
        if (held <= MOST_HELD || from == LEAST_LEFT)
            return from;
        from /= 2;
    }
}

/* --- A value ------------------------------------------------------------ */

static varve_status copy_chunk(
    const struct value_in_file *v, uint64_t chunk, unsigned char *bytes)
{
    return vv_reader_read_chunk(
        v->file->reader, v->node, v->value, chunk, bytes, NULL);
}

/* Copies a range that is not exactly one chunk. */
static varve_status copy_parts(const struct value_in_file *v, uint64_t offset,
    unsigned char *bytes, size_t size)
{
    varve_status status = VARVE_OK;
    unsigned char *room = vv_allocate(&v->file->allocator, VV_CHUNK_SIZE);
    if (!room)
        return VARVE_NO_MEMORY;
    for (size_t at = 0, part; at < size && !status; at += part) {
        size_t begin = (size_t)((offset + at) % VV_CHUNK_SIZE);
        part = VV_CHUNK_SIZE - begin;
        part = part < size - at ? part : size - at;
        status = copy_chunk(v, (offset + at) / VV_CHUNK_SIZE, room);
        if (!status)
            memcpy(bytes + at, room + begin, part);
    }
    vv_release(&v->file->allocator, room, VV_CHUNK_SIZE);
    return status;
}

static varve_status in_file_copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    const struct value_in_file *v = self;
    const struct vv_index *index = &v->file->reader->file.parsed.index;
    uint64_t left = vv_at64(index->value_sizes, v->value) - offset;
    bool is_chunk =
        offset % VV_CHUNK_SIZE == 0 && (size == VV_CHUNK_SIZE || size == left);
    varve_status status = is_chunk
                              ? copy_chunk(v, offset / VV_CHUNK_SIZE, bytes)
                              : copy_parts(v, offset, bytes, size);
    varve_dtype dtype = (varve_dtype)index->value_dtypes[v->value];
    if (!status && VV_BIG_ENDIAN)
        vv_dtype_swap_copy(dtype, bytes, bytes, size / varve_dtype_size(dtype));
    return status;
}

/* --- All of them -------------------------------------------------------- */

static void in_file_graph_freed(struct vv_observer *self)
{
    struct in_file *file = (struct in_file *)self;
    const varve_allocator a = file->allocator;
    size_t size = sizeof *file + file->count * sizeof *file->values;
    varve_reader_free(file->reader);
    vv_release(&a, file, size);
}

static bool in_file_stays(const varve_node *node)
{
    return node && node->variable && node->value_state == VARVE_RESTORED &&
           vv_variable_is_owned(node->variable) &&
           !node->variable->tensor.data &&
           varve_tensor_size(&node->variable->tensor) > 0;
}

static bool in_file_reach(struct in_file *file, varve_node *node, uint32_t id)
{
    struct value_in_file *v = &file->values[file->count];
    const struct vv_index *index = &file->reader->file.parsed.index;
    *v = (struct value_in_file){ file, id, vv_index_find_value(index, id) };
    if (!vv_variable_reach(
            node, &(varve_memory){ .copy_out = in_file_copy_out, .self = v }))
        return false;
    file->count++;
    return true;
}

/* Connects each node that was restored without memory with its value in the
 * file. `nodes` are in the order of their ids in the file. On success the graph
 * owns the reader and closes it when the graph is freed. Fails only if out of
 * memory; then nothing has changed. */
static varve_status structure_leave_in_file(varve_graph *graph,
    varve_reader *reader, varve_node *const *nodes, size_t count,
    varve_error *error)
{
    const varve_allocator *a = &graph->context.allocator;
    size_t staying = 0;
    for (size_t id = 0; id < count; id++)
        staying += in_file_stays(nodes[id]);
    size_t size =
        sizeof(struct in_file) + staying * sizeof(struct value_in_file);
    struct in_file *file = vv_allocate_zeroed(a, size);
    if (!file)
        return vv_fail_memory(error, "a graph");
    file->allocator = *a;
    file->reader = reader;
    for (size_t id = 0; id < count; id++) {
        if (in_file_stays(nodes[id]) &&
            !in_file_reach(file, nodes[id], (uint32_t)id)) {
            vv_release(a, file, size);
            return vv_fail_memory(error, "a graph");
        }
    }
    file->observer.graph_freed = in_file_graph_freed;
    vv_graph_observe(graph, &file->observer);
    return VARVE_OK;
}

/* --- Graphs --------------------------------------------------------------- */

struct importing {
    varve_graph *graph;
    varve_reader *reader;
    const varve_read_options *options;
    bool leaves_values; /* large values stay in the file */
    varve_node **nodes; /* by id in the file */
    size_t count;
};

/* --- Nodes -------------------------------------------------------------- */

/* The new state is empty until it is restored. */
static varve_node *structure_make_state(varve_graph *graph)
{
    struct vv_buffer *bytes = vv_opaque_new(graph);
    varve_node *node =
        bytes ? vv_state_new(graph, &vv_opaque_callbacks, bytes) : NULL;
    if (!node || vv_is_nil(node)) {
        vv_opaque_free(graph, bytes);
        return vv_graph_memory_error(graph);
    }
    node->value_state = VARVE_DECLARED;
    return node;
}

/* No variable gets memory here. The restoration reads directly into new memory,
 * so that values are read once and not staged. */
static varve_node *structure_make_node(
    const struct importing *i, const varve_saved_node *saved)
{
    if (saved->kind == VARVE_STATE)
        return structure_make_state(i->graph);
    if (saved->kind != VARVE_VARIABLE)
        return vv_node_new(i->graph, saved->kind);
    return vv_slice_new(varve_graph_root(i->graph),
        vv_reader_node_path(i->reader, saved->id), saved->value, saved->part,
        true);
}

static varve_node *structure_make_slot(const varve_saved_node *saved,
    varve_node *owner, varve_node *variable, const char *name)
{
    if (!saved->part)
        return varve_add_allocated_slot(owner, variable, name,
            saved->value.dtype,
            varve_shape_of(saved->value.rank, saved->value.shape), NULL, NULL);
    varve_node *node =
        vv_slice_new(owner, name, saved->value, saved->part, true);
    node = vv_slot_attach(owner, variable, name, node);
    if (!vv_is_nil(node))
        vv_variable_begin(node);
    return node;
}

/* Slot variables are made together with their slots, so their places are first
 * filled with `nil`. */
static void structure_make_nodes(struct importing *i)
{
    varve_saved_node saved;
    const char *name;
    uint32_t variable, slot;
    for (size_t id = 0; id < i->count; id++)
        for (size_t k = 0;
             varve_reader_slot_at(i->reader, id, k, &name, &variable, &slot);
             k++)
            i->nodes[slot] = &i->graph->nil;
    for (size_t id = 0; id < i->count; id++)
        if (vv_reader_describe(i->reader, id, &saved) && !i->nodes[id])
            i->nodes[id] = structure_make_node(i, &saved);
}

static void structure_make_slots(struct importing *i, size_t id)
{
    varve_saved_node saved;
    const char *name;
    uint32_t variable, slot;
    for (size_t k = 0;
         varve_reader_slot_at(i->reader, id, k, &name, &variable, &slot); k++) {
        vv_reader_describe(i->reader, slot, &saved);
        i->nodes[slot] =
            structure_make_slot(&saved, i->nodes[id], i->nodes[variable], name);
    }
}

static void structure_take_over(struct importing *i, size_t id)
{
    varve_node *node = i->nodes[id];
    varve_saved_node saved;
    const char *text;
    uint32_t child;
    for (size_t k = 0; varve_reader_edge_at(i->reader, id, k, &text, &child);
         k++)
        vv_edge_add(node, node->kind == VARVE_LIST ? VARVE_APPEND : text,
            i->nodes[child]);
    for (size_t k = 0; (text = varve_reader_tag_at(i->reader, id, k)); k++)
        vv_tag(node, text);
    if (vv_reader_describe(i->reader, id, &saved) && saved.global_name)
        varve_set_global_name(node, saved.global_name);
}

static varve_status structure_make_graph(
    struct importing *i, varve_error *error)
{
    structure_make_nodes(i);
    VV_TRY(varve_graph_check(i->graph, error));
    for (size_t id = 0; id < i->count; id++)
        structure_make_slots(i, id);
    VV_TRY(varve_graph_check(i->graph, error));
    for (size_t id = 0; id < i->count; id++)
        structure_take_over(i, id);
    VV_TRY(varve_graph_check(i->graph, error));
    vv_graph_set_root(i->graph, i->nodes[0]);
    return VARVE_OK;
}

/* --- Values and the rest ------------------------------------------------ */

static varve_status structure_keep_metadata(
    struct importing *i, varve_error *error)
{
    size_t count = 0;
    while (varve_reader_metadata_at(i->reader, count))
        count++;
    if (!vv_graph_keep_metadata(
            i->graph, varve_reader_metadata_at(i->reader, 0), count))
        return vv_fail_memory(error, "metadata");
    return VARVE_OK;
}

static varve_status keep_nodes(struct importing *i, varve_error *error)
{
    struct vv_kept *kept = vv_checkpoint_kept(&i->reader->file);
    if (kept && !vv_graph_keep_nodes(i->graph, kept, i->nodes, i->count))
        return vv_fail_memory(error, "format-specific data of nodes");
    return VARVE_OK;
}

/* Returns the node at `subtree`, or the root. The restoration reports an error
 * if the subtree does not exist. */
static varve_node *find_top(const struct importing *i)
{
    varve_saved_node saved;
    const char *path = i->options ? i->options->subtree : NULL;
    bool is_there = path && varve_reader_find(i->reader, path, &saved);
    return i->nodes[is_there ? saved.id : 0];
}

static varve_status structure_restore(struct importing *i, varve_error *error)
{
    varve_node *top = find_top(i);
    /* Uses the open file, because another file may have replaced it. */
    struct vv_opening opening = { .path = varve_reader_path(i->reader),
        .file = &i->reader->file,
        .options = i->options,
        .leaves_from = i->leaves_values
                           ? vv_in_file_from(&i->reader->file.parsed.index)
                           : 0,
        .is_save = top == varve_graph_root(i->graph) };
    varve_restoration *r = vv_restoration_open(top, &opening, error);
    if (!r)
        return error->status;
    varve_restoration_free(r);
    return VARVE_OK;
}

static varve_status structure_fill(struct importing *i, varve_error *error)
{
    const varve_allocator *a = &i->graph->context.allocator;
    i->count = varve_reader_node_count(i->reader);
    i->nodes = vv_allocate_zeroed(a, i->count * sizeof *i->nodes);
    varve_status status = VARVE_OK;
    if (!i->nodes || !vv_opaque_watch(i->graph))
        status = vv_fail_memory(error, "a graph");
    if (!status)
        status = structure_keep_metadata(i, error);
    /* Values bring their memory. Variables without a value get memory at the
     * first access. */
    if (!status && !vv_defer_memory(i->graph, true))
        status = vv_fail_memory(error, "a graph");
    if (!status)
        status = structure_make_graph(i, error);
    if (!status)
        status = keep_nodes(i, error);
    if (!status)
        status = structure_restore(i, error);
    if (!status && i->leaves_values) {
        status = structure_leave_in_file(
            i->graph, i->reader, i->nodes, i->count, error);
        if (!status)
            i->reader = NULL; /* now owned by the graph */
    }
    vv_release(a, i->nodes, i->count * sizeof *i->nodes);
    vv_defer_memory(i->graph, false);
    return status;
}

static varve_status open_reader(struct importing *i,
    const struct vv_context *context, const char *path, varve_error *error)
{
    struct vv_context how = *context;
    vv_choose_opening(&how, i->options);
    i->reader = vv_reader_open_in(&how, path, error);
    return i->reader ? VARVE_OK : error->status;
}

static varve_graph *import(const struct vv_context *context, const char *path,
    const varve_read_options *options, bool leaves_values, varve_error *error)
{
    varve_error reason = { 0 };
    struct importing i = { .graph = vv_graph_new_in(context),
        .options = options,
        .leaves_values = leaves_values };
    varve_defer_initializers(i.graph, true);
    varve_status status = varve_graph_check(i.graph, &reason);
    if (!status)
        status = vv_check_unrestored(options,
            leaves_values ? "varve_graph_from_lazy" : "varve_graph_from_part",
            false, &reason);
    if (!status)
        status = open_reader(&i, context, path, &reason);
    if (!status)
        status = structure_fill(&i, &reason);
    varve_reader_free(i.reader);
    if (!status) {
        varve_defer_initializers(i.graph, false);
        return i.graph;
    }
    varve_graph_free(i.graph);
    if (error)
        *error = reason;
    return NULL;
}

varve_graph *vv_graph_from_in(const struct vv_context *context,
    const char *path, const varve_read_options *options, varve_error *error)
{
    return import(context, path, options, false, error);
}

varve_graph *vv_graph_over_in(const struct vv_context *context,
    const char *path, const varve_read_options *options, varve_error *error)
{
    return import(context, path, options, true, error);
}

varve_graph *varve_graph_from(
    const char *path, const varve_allocator *allocator, varve_error *error)
{
    return varve_graph_from_part(path, NULL, allocator, error);
}

static varve_graph *import_by_default(const char *path,
    const varve_read_options *options, const varve_allocator *allocator,
    bool leaves_values, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(allocator),
        .system = vv_default_system(),
    };
    if (!path) {
        vv_fail(error, VARVE_MISUSE, "path is NULL");
        return NULL;
    }
    return import(&context, path, options, leaves_values, error);
}

varve_graph *varve_graph_from_part(const char *path,
    const varve_read_options *options, const varve_allocator *allocator,
    varve_error *error)
{
    return import_by_default(path, options, allocator, false, error);
}

varve_graph *varve_graph_from_lazy(const char *path,
    const varve_read_options *options, const varve_allocator *allocator,
    varve_error *error)
{
    return import_by_default(path, options, allocator, true, error);
}

const varve_metadata *varve_graph_metadata(
    const varve_graph *graph, size_t *count)
{
    size_t ignored;
    if (!graph)
        return NULL;
    return vv_graph_kept_metadata(graph, count ? count : &ignored);
}
