/* save_plan.c - Gathers the data of a save: metadata, a walk of the graph, the
 * columns of the index, and the addresses of values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "at_risk.h"
#include "failure.h"
#include "fixed_value.h"
#include "graph.h"
#include "memory_table.h"
#include "migrating.h"
#include "name.h"
#include "opaque.h"
#include "pack.h"
#include "private.h"
#include "save_plan_copy.h"
#include "saved_path.h"
#include "slice.h"
#include "state.h"
#include "tag.h"
#include "try.h"
#include "typed_memory.h"
#include "value_bytes.h"
#include "variable.h"
#include "write_options.h"

/* --- Metadata ----------------------------------------------------------- */

static varve_status save_plan_check_metadata(
    const varve_metadata *m, varve_error *error)
{
    if (!m->name || !vv_name_is_valid(m->name, strlen(m->name)))
        return vv_fail(error, VARVE_BAD_NAME,
            "metadata: a name must be 1 to %d bytes of UTF-8",
            VARVE_MAX_NAME_SIZE);
    if (m->kind < VARVE_METADATA_INTEGER || m->kind > VARVE_METADATA_STRING)
        return vv_fail(error, VARVE_MISUSE,
            "metadata \"%.200s\": the kind %d is invalid", m->name,
            (int)m->kind);
    if (m->kind == VARVE_METADATA_STRING &&
        (!m->string || !vv_utf8_is_valid(m->string, strlen(m->string))))
        return vv_fail(error, VARVE_BAD_NAME,
            "metadata \"%.200s\": the text is not valid UTF-8", m->name);
    return VARVE_OK;
}

static varve_status save_plan_sort_metadata(
    struct vv_save_plan *save_plan, varve_error *error)
{
    const varve_metadata *given = save_plan->options.metadata;
    size_t count = save_plan->options.metadata_count;
    save_plan->options.metadata = NULL;
    if (count == 0)
        return VARVE_OK;
    for (size_t i = 0; i < count; i++)
        VV_TRY(save_plan_check_metadata(&given[i], error));
    varve_metadata *sorted =
        vv_allocate_array(&save_plan->context.allocator, count, sizeof *sorted);
    if (!sorted)
        return vv_fail_memory(error, "metadata");
    save_plan->options.metadata = sorted;
    memcpy(sorted, given, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, vv_metadata_compare);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            return vv_fail(error, VARVE_DUPLICATE,
                "metadata: duplicate name \"%.200s\"", sorted[i].name);
    }
    return VARVE_OK;
}

/* --- Values ------------------------------------------------------------- */

/* A value that is read through functions instead of an address. */
struct accessed_value {
    uint32_t value;
    const varve_node *node;
};

static bool needs_encoding(varve_dtype dtype)
{
    return dtype == VARVE_STRING ||
           (VV_BIG_ENDIAN && varve_dtype_size(dtype) > 1);
}

/* Returns the address of the encoded bytes of a value, or its tensor if the
 * value must be encoded or copied. The offset of a value that is not saved is
 * 0. */
static const void *save_plan_find_bytes(
    const struct vv_save_plan *save_plan, const varve_node *node, size_t *state)
{
    if (node->kind == VARVE_STATE)
        return save_plan->columns.states.data + *state;
    const varve_tensor *tensor = &node->variable->tensor;
    return needs_encoding(tensor->dtype) || vv_needs_copy_in(tensor)
               ? tensor
               : tensor->data;
}

static void note_accessed(
    struct vv_save_plan *save_plan, const varve_node *node, uint32_t value)
{
    const struct accessed_value found = { value, node };
    if (node->variable && vv_needs_copy_in(&node->variable->tensor))
        vv_buffer_add(&save_plan->accessed, &found, sizeof found);
}

/* Refuses a shard that is saved alone. Other processes have the rest of the
 * value. In other formats the file could not be distinguished from one with the
 * whole value. */
static varve_status fail_part(const varve_node *node, varve_error *error)
{
    const varve_tensor whole = vv_whole_of(node);
    char path[256], text[VARVE_TENSOR_TEXT_SIZE], part[VV_SLICE_TEXT_SIZE];
    return vv_fail(error, VARVE_MISUSE,
        "%s: a shard of %s cannot be saved alone: %s: only a call with a "
        "communicator (`comm`) saves shards, outside rank-local subtrees",
        vv_node_text(node, path, sizeof path), varve_tensor_text(&whole, text),
        vv_slice_text(&node->variable->tensor, vv_part_of(node), part));
}

/* Records a shard in a save by many processes. Returns false for other
 * values. */
static bool note_slice(
    struct vv_save_plan *save_plan, const varve_node *node, uint32_t value)
{
    if (save_plan->of != VV_OF_SEVERAL || !varve_slice_of(node))
        return false;
    struct vv_save_plan_slice slice = {
        .value = value, .whole = vv_whole_of(node), .box = vv_box_of(node)
    };
    slice.rank = slice.whole.rank;
    slice.whole_size = varve_tensor_size(&slice.whole);
    vv_buffer_add(&save_plan->slices, &slice, sizeof slice);
    return true;
}

/* Checks that a fixed value is unchanged. Pending values are saved from their
 * file, so they are not checked. */
static varve_status save_plan_check_fixed(const struct vv_save_plan *save_plan,
    varve_node *node, size_t state, size_t size, varve_error *error)
{
    if (!node->attachments || vv_carried_value_of(node))
        return VARVE_OK;
    const unsigned char *states = save_plan->columns.states.data;
    bool is_state = node->kind == VARVE_STATE;
    return vv_fixed_value_check(
        node, is_state && size ? states + state : NULL, size, error);
}

static varve_status save_plan_find_values(struct vv_save_plan *save_plan,
    const struct vv_walk *walk, varve_error *error)
{
    const struct vv_index_columns *c = &save_plan->columns.index;
    size_t count = c->value_nodes.size / 4, state = 0;
    bool has_fixed = vv_tag_bit(walk->graph, VARVE_TAG_FIXED) != 0;
    save_plan->value_count = count;
    if (count == 0)
        return VARVE_OK;
    save_plan->values = vv_allocate_zeroed(
        &save_plan->context.allocator, count * sizeof *save_plan->values);
    if (!save_plan->values)
        return vv_fail_memory(error, "addresses of values");
    for (size_t i = 0; i < count; i++) {
        size_t size = (size_t)vv_at64(c->value_sizes.data, i);
        varve_node *node = walk->steps[vv_at32(c->value_nodes.data, i)].node;
        if (vv_at64(c->value_offsets.data, i) == 0)
            continue;
        if (node->attachments) {
            if (node->variable && !note_slice(save_plan, node, (uint32_t)i) &&
                !save_plan->columns.takes_parts && vv_part_of(node))
                return fail_part(node, error);
            if (vv_carried_value_of(node))
                vv_buffer_add(
                    &save_plan->pending, &(uint32_t){ (uint32_t)i }, 4);
        }
        if (node->variable && size > 0 && !node->variable->tensor.data)
            VV_TRY(vv_variable_check_there(node, error));
        if (has_fixed)
            VV_TRY(save_plan_check_fixed(save_plan, node, state, size, error));
        if (node->kind == VARVE_STATE && !save_plan->options.no_sync)
            VV_TRY(vv_state_sync(node, error));
        if (size == 0)
            continue;
        save_plan->values[i] = save_plan_find_bytes(save_plan, node, &state);
        state += node->kind == VARVE_STATE ? size : 0;
        note_accessed(save_plan, node, (uint32_t)i);
    }
    return save_plan->slices.failed || save_plan->accessed.failed ||
                   save_plan->pending.failed
               ? vv_fail_memory(error, "addresses of values")
               : VARVE_OK;
}

static varve_status find_kept(struct vv_save_plan *save_plan,
    const struct vv_walk *walk, varve_error *error)
{
    save_plan->node_count = walk->count;
    if (save_plan->options.format == VARVE_FORMAT_VARVE)
        return VARVE_OK;
    save_plan->kept = vv_allocate_zeroed(
        &save_plan->context.allocator, walk->count * sizeof *save_plan->kept);
    if (!save_plan->kept)
        return vv_fail_memory(error, "format-specific data");
    for (size_t i = 0; i < walk->count; i++)
        save_plan->kept[i].bytes = vv_graph_kept_of(walk->steps[i].node,
            save_plan->options.format, &save_plan->kept[i].size);
    return VARVE_OK;
}

static bool encode_strings(struct vv_buffer *to, const varve_tensor *tensor)
{
    uint64_t count = varve_tensor_count(tensor);
    const varve_string *strings = tensor->data;
    to->size = 0;
    for (uint64_t i = 0; i < count; i++)
        vv_buffer_add64(to, strings[i].size);
    for (uint64_t i = 0; i < count; i++)
        vv_buffer_add(to, strings[i].data, (size_t)strings[i].size);
    return !to->failed;
}

bool vv_encode_swapped(struct vv_buffer *to, const varve_tensor *tensor)
{
    to->size = 0;
    void *at = vv_buffer_extend(to, (size_t)varve_tensor_size(tensor));
    if (at)
        vv_dtype_swap_copy(
            tensor->dtype, at, tensor->data, varve_tensor_count(tensor));
    return at != NULL;
}

bool vv_save_plan_encodes(const struct vv_save_plan *save_plan, size_t value)
{
    uint8_t dtype = save_plan->columns.index.value_dtypes.data[value];
    bool is_copy = save_plan->copies && save_plan->copies[value] &&
                   save_plan->values[value] == save_plan->copies[value];
    return !save_plan->is_encoded && !is_copy &&
           needs_encoding((varve_dtype)dtype);
}

const void *vv_save_plan_bytes(const struct vv_save_plan *save_plan,
    uint32_t value, struct vv_buffer *scratch)
{
    const void *bytes = save_plan->values[value];
    uint8_t dtype = save_plan->columns.index.value_dtypes.data[value];
    if (!bytes)
        return "";
    if (!vv_save_plan_encodes(save_plan, value))
        return bytes;
    const varve_tensor *tensor = bytes;
    bool done = dtype == VARVE_STRING ? encode_strings(scratch, tensor)
                                      : vv_encode_swapped(scratch, tensor);
    return done ? scratch->data : NULL;
}

/* --- Values that are read through functions ------------------------------- */

static int save_plan_compare_accessed(const void *left, const void *right)
{
    const uint32_t *value = left;
    const struct accessed_value *other = right;
    return (*value > other->value) - (*value < other->value);
}

const varve_node *vv_save_plan_copies_in(
    const struct vv_save_plan *save_plan, size_t value)
{
    uint32_t key = (uint32_t)value;
    size_t count = save_plan->accessed.size / sizeof(struct accessed_value);
    if (count == 0 || save_plan->is_encoded)
        return NULL;
    const struct accessed_value *found = bsearch(&key, save_plan->accessed.data,
        count, sizeof *found, save_plan_compare_accessed);
    return found ? found->node : NULL;
}

varve_status vv_save_plan_copy_out(const varve_node *node, uint64_t at,
    void *to, size_t size, varve_error *error)
{
    varve_dtype dtype = node->variable->tensor.dtype;
    const struct vv_carried_value *carried = vv_carried_value_of(node);
    if (carried) /* reports the reason of a failure, unlike vv_value_out */
        return carried->source->read(
            carried->source, carried->value, at, to, size, error);
    VV_TRY(vv_value_out(node, at, to, size, error));
    if (VV_BIG_ENDIAN)
        vv_dtype_swap_copy(dtype, to, to, size / varve_dtype_size(dtype));
    return VARVE_OK;
}

void vv_save_plan_settle_carried(struct vv_save_plan *save_plan)
{
    struct accessed_value *all =
        (struct accessed_value *)(void *)save_plan->accessed.data;
    size_t count = save_plan->accessed.size / sizeof *all, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!vv_carried_value_of(all[i].node))
            all[kept++] = all[i];
    }
    save_plan->accessed.size = kept * sizeof *all;
    const uint32_t *pending =
        (const uint32_t *)(const void *)save_plan->pending.data;
    for (size_t i = 0; i < save_plan->pending.size / sizeof *pending; i++)
        if (save_plan->copies[pending[i]])
            save_plan->values[pending[i]] = save_plan->copies[pending[i]];
    vv_carried_free(save_plan->carried);
    save_plan->carried = NULL;
}

static varve_status make_piece(const struct vv_source *self, uint64_t at,
    size_t size, const unsigned char **bytes, varve_error *error)
{
    self->scratch->size = 0;
    void *to = vv_buffer_extend(self->scratch, size);
    if (!to)
        return vv_fail_memory(error, "the bytes of a value");
    VV_TRY(vv_save_plan_copy_out(self->from, at, to, size, error));
    *bytes = to;
    return VARVE_OK;
}

/* Fails with the path of the value, or without it if out of memory. */
static varve_status refuse_bool(const struct vv_source *source, uint64_t at,
    unsigned byte, varve_error *error)
{
    const struct vv_save_plan *save_plan = source->owner;
    struct vv_saved_paths paths = { 0 };
    struct vv_index index;
    struct vv_buffer path;
    vv_buffer_init(&path, &save_plan->context.allocator);
    if (!vv_save_plan_index(save_plan, &index, NULL) &&
        !vv_saved_paths_begin(
            &paths, &save_plan->context.allocator, &index, 0, NULL))
        vv_saved_path(&paths, vv_at32(index.value_nodes, source->value), &path);
    const char *text = vv_buffer_string(&path);
    vv_fail(error, VARVE_MISUSE,
        "%s: element %" PRIu64 ": a bool must be 0 or 1, found the byte %u: "
        "initialize the memory before saving",
        *text ? text : "a value", at, byte);
    vv_saved_paths_end(&paths);
    vv_buffer_clear(&path);
    return VARVE_MISUSE;
}

varve_status vv_save_plan_source(const struct vv_save_plan *save_plan,
    uint32_t value, struct vv_buffer *scratch, struct vv_source *source,
    varve_error *error)
{
    const unsigned char *dtypes = save_plan->columns.index.value_dtypes.data;
    *source = (struct vv_source){
        .piece = make_piece,
        .from = vv_save_plan_copies_in(save_plan, value),
        .scratch = scratch,
        .refuse = dtypes && dtypes[value] == VARVE_BOOL ? refuse_bool : NULL,
        .owner = save_plan,
        .value = value,
    };
    if (source->from)
        return VARVE_OK;
    source->bytes = vv_save_plan_bytes(save_plan, value, scratch);
    return source->bytes ? VARVE_OK
                         : vv_fail_memory(error, "the bytes of a value");
}

/* --- All ---------------------------------------------------------------- */

/* Refuses a rank-local subtree that is saved alone: the other processes have
 * their own. */
static varve_status fail_private(const varve_node *node, varve_error *error)
{
    char path[256];
    return vv_fail(error, VARVE_MISUSE,
        "%s: a rank-local subtree cannot be saved alone: it is of rank %" PRIu32
        " of %" PRIu32 ": only a call with a communicator (`comm`) saves it, "
        "outside other rank-local subtrees",
        vv_node_text(node, path, sizeof path), vv_private_of(node)->rank,
        vv_private_of(node)->size);
}

/* Records the rank-local nodes; only a save by many processes may have some.
 * Fails if a node is partially restored. */
static varve_status look_at_nodes(struct vv_save_plan *save_plan,
    const struct vv_walk *walk, varve_error *error)
{
    for (size_t i = 0; i < walk->count; i++) {
        struct vv_save_plan_private found = { (uint32_t)i,
            walk->steps[i].node };
        if (found.node->is_half)
            VV_TRY(vv_check_whole(found.node, error));
        if (!found.node->attachments)
            continue;
        const struct vv_private *private = vv_private_of(found.node);
        VV_TRY(vv_migrating_check(found.node, error));
        if (private && save_plan->of == VV_OF_SEVERAL)
            vv_buffer_add(&save_plan->privates, &found, sizeof found);
        else if (private && private->size > 1)
            return fail_private(found.node, error);
    }
    return save_plan->privates.failed
               ? vv_fail_memory(error, "rank-local subtrees")
               : VARVE_OK;
}

static varve_status begin_columns(
    struct vv_save_plan *save_plan, struct vv_walk *walk, varve_error *error)
{
    bool takes_parts = save_plan->of == VV_OF_PARTS &&
                       save_plan->options.format == VARVE_FORMAT_VARVE;
    return takes_parts
               ? vv_columns_begin_parts(&save_plan->columns, walk, error)
               : vv_columns_begin(&save_plan->columns, walk, error);
}

static varve_status save_plan_gather(
    struct vv_save_plan *save_plan, varve_node *root, varve_error *error)
{
    struct vv_walk walk;
    VV_TRY(save_plan->of == VV_OF_SEVERAL
               ? vv_walk_begin_above(&walk, root, vv_is_private, error)
               : vv_walk_begin(&walk, root, error));
    varve_status status = save_plan->carried
                              ? vv_carried_check(save_plan->carried, &walk,
                                    save_plan->options.pending, error)
                              : VARVE_OK;
    if (!status)
        status = look_at_nodes(save_plan, &walk, error);
    if (!status)
        status = begin_columns(save_plan, &walk, error);
    if (!status)
        status = save_plan_find_values(save_plan, &walk, error);
    if (!status)
        status = find_kept(save_plan, &walk, error);
    if (!status) {
        const struct vv_index index =
            vv_index_of_columns(&save_plan->columns.index);
        const varve_write_options *o = &save_plan->options;
        vv_unchanged_gather(&save_plan->unchanged, &walk, &index,
            o->incremental ? &o->increment : NULL);
    }
    vv_walk_end(&walk);
    return status;
}

static bool has_carriers(const varve_graph *graph)
{
    const struct vv_observer *o = graph->newest;
    while (o && !o->carry)
        o = o->older;
    return o != NULL;
}

/* Gathers the save plan while the pending values have nodes in the graph. */
static varve_status gather_with_pending(
    struct vv_save_plan *save_plan, varve_node *root, varve_error *error)
{
    varve_graph *graph = root->graph;
    VV_TRY(save_plan_sort_metadata(
        save_plan, error)); /* first, as the options refer to memory of the
                               caller until then */
    if (save_plan->options.pending == VARVE_PENDING_OMIT ||
        !has_carriers(graph))
        return save_plan_gather(save_plan, root, error);
    save_plan->carried = vv_carried_new(graph);
    if (!save_plan->carried)
        return vv_fail_memory(error, "pending values");
    VV_TRY(vv_carry(save_plan->carried, graph, error));
    varve_status status = save_plan_gather(save_plan, root, error);
    vv_carried_unlink(save_plan->carried);
    if (status && save_plan->carried->failure.status && error)
        *error = save_plan->carried->failure;
    return status;
}

varve_status vv_save_plan_gather_of(struct vv_save_plan *save_plan,
    varve_node *root, enum vv_save_plan_of of,
    const varve_write_options *options, varve_error *error)
{
    varve_graph *graph = root->graph;
    VV_TRY(vv_write_options_check(options, error));
    *save_plan = (struct vv_save_plan){ .context = graph->context };
    save_plan->context.durable = &graph->saved_to;
    save_plan->context.durable_layers = &graph->layers_in;
    if (options)
        save_plan->options = *options;
    if (of != VV_OF_SEVERAL)
        VV_TRY(vv_check_not_collective(options, error));
    save_plan->wants_paths = options && options->progress;
    save_plan->of = of;
    vv_buffer_init(&save_plan->slices, &save_plan->context.allocator);
    vv_buffer_init(&save_plan->privates, &save_plan->context.allocator);
    vv_buffer_init(&save_plan->accessed, &save_plan->context.allocator);
    vv_buffer_init(&save_plan->pending, &save_plan->context.allocator);
    /* The callbacks of states must not change the graph after it was
     * traversed. */
    enum vv_hold older = vv_graph_hold(graph, VV_HOLDS_ALL);
    varve_status status = gather_with_pending(save_plan, root, error);
    vv_graph_let_go(graph, older);
    if (!status && !vv_reserve_at_risk(graph))
        status = vv_fail_memory(error, "a save");
    if (status)
        vv_save_plan_clear(save_plan);
    else
        vv_put_at_risk(graph, 0);
    return status;
}

varve_status vv_save_plan_gather(struct vv_save_plan *save_plan,
    varve_node *root, const varve_write_options *options, varve_error *error)
{
    return vv_save_plan_gather_of(save_plan, root, VV_OF_ONE, options, error);
}

void vv_save_plan_clear(struct vv_save_plan *save_plan)
{
    const varve_allocator *a = &save_plan->context.allocator;
    vv_release(
        a, save_plan->kept, save_plan->node_count * sizeof *save_plan->kept);
    vv_release(a, save_plan->copies,
        save_plan->value_count * sizeof *save_plan->copies);
    vv_release(a, save_plan->values,
        save_plan->value_count * sizeof *save_plan->values);
    vv_release(a, (void *)save_plan->options.metadata,
        save_plan->options.metadata_count *
            sizeof *save_plan->options.metadata);
    if (save_plan->reused)
        vv_save_plan_end_reuse(save_plan);
    vv_buffer_clear(&save_plan->copied);
    vv_buffer_clear(&save_plan->texts);
    vv_buffer_clear(&save_plan->slices);
    vv_buffer_clear(&save_plan->privates);
    vv_buffer_clear(&save_plan->accessed);
    vv_buffer_clear(&save_plan->pending);
    vv_carried_free(save_plan->carried);
    vv_unchanged_clear(&save_plan->unchanged, a);
    vv_columns_end(&save_plan->columns);
    *save_plan = (struct vv_save_plan){ .context = save_plan->context };
}

varve_status vv_save_plan_index(const struct vv_save_plan *save_plan,
    struct vv_index *index, varve_error *error)
{
    VV_TRY(vv_columns_index(&save_plan->columns, index, error));
    index->counter = save_plan->counter;
    index->metadata = save_plan->options.metadata;
    index->metadata_count = save_plan->options.metadata_count;
    return VARVE_OK;
}
