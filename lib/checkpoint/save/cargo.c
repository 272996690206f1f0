/* cargo.c - gathering: metadata, walk, columns, where values are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cargo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "dtype.h"
#include "failure.h"
#include "fixed_value.h"
#include "graph.h"
#include "memory_table.h"
#include "migrating.h"
#include "private.h"
#include "name.h"
#include "opaque.h"
#include "pack.h"
#include "saved_path.h"
#include "slice.h"
#include "spared.h"
#include "stake.h"
#include "state.h"
#include "tag.h"
#include "try.h"
#include "value_bytes.h"
#include "variable.h"
#include "write_options.h"

/* --- Metadata ----------------------------------------------------------- */

static varve_status check_metadata(const varve_metadata *m, varve_error *error)
{
    if (!m->name || !vv_name_is_valid(m->name, strlen(m->name)))
        return vv_fail(error, VARVE_BAD_NAME,
            "metadata: expected a name of 1 to %d bytes of UTF-8, found "
            "another",
            VARVE_MAX_NAME_SIZE);
    if (m->kind < VARVE_METADATA_INTEGER || m->kind > VARVE_METADATA_STRING)
        return vv_fail(error, VARVE_MISUSE,
            "metadata \"%.200s\": expected a kind, found %d", m->name,
            (int)m->kind);
    if (m->kind == VARVE_METADATA_STRING &&
        (!m->string || !vv_utf8_is_valid(m->string, strlen(m->string))))
        return vv_fail(error, VARVE_BAD_NAME,
            "metadata \"%.200s\": expected a text of UTF-8, found other bytes",
            m->name);
    return VARVE_OK;
}

static varve_status sort_metadata(struct vv_cargo *cargo, varve_error *error)
{
    const varve_metadata *given = cargo->options.metadata;
    size_t count = cargo->options.metadata_count;
    cargo->options.metadata = NULL;
    if (count == 0)
        return VARVE_OK;
    for (size_t i = 0; i < count; i++)
        VV_TRY(check_metadata(&given[i], error));
    varve_metadata *sorted =
        vv_allocate_array(&cargo->context.allocator, count, sizeof *sorted);
    if (!sorted)
        return vv_fail_memory(error, "metadata");
    cargo->options.metadata = sorted;
    memcpy(sorted, given, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, vv_metadata_compare);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            return vv_fail(error, VARVE_DUPLICATE,
                "metadata: expected unique names, found \"%.200s\" twice",
                sorted[i].name);
    }
    return VARVE_OK;
}

/* --- Values ------------------------------------------------------------- */

/* A value that is copied out. */
struct elsewhere {
    uint32_t value;
    const varve_node *node;
};

static bool lies_otherwise(varve_dtype dtype)
{
    return dtype == VARVE_STRING ||
           (VV_BIG_ENDIAN && varve_dtype_size(dtype) > 1);
}

/* A value that is not saved has the offset 0. */
static const void *find_bytes(
    const struct vv_cargo *cargo, const varve_node *node, size_t *state)
{
    if (node->kind == VARVE_STATE)
        return cargo->columns.states.data + *state;
    const varve_tensor *tensor = &node->variable->tensor;
    return lies_otherwise(tensor->dtype) || vv_lies_elsewhere(tensor)
               ? tensor
               : tensor->data;
}

static void note_elsewhere(
    struct vv_cargo *cargo, const varve_node *node, uint32_t value)
{
    const struct elsewhere found = { value, node };
    if (node->variable && vv_lies_elsewhere(&node->variable->tensor))
        vv_buffer_add(&cargo->elsewhere, &found, sizeof found);
}

/* Others have the rest of it: a file of this part alone would pass for all.
 * Files of other formats would not say that it is one. */
static varve_status fail_part(const varve_node *node, varve_error *error)
{
    const varve_tensor whole = vv_whole_of(node);
    char path[256], text[VARVE_TENSOR_TEXT_SIZE], part[VV_SLICE_TEXT_SIZE];
    return vv_fail(error, VARVE_MISUSE,
        "%s: expected all of %s, found a slice of it: %s",
        vv_node_text(node, path, sizeof path), varve_tensor_text(&whole, text),
        vv_slice_text(&node->variable->tensor, vv_part_of(node), part));
}

/* Whether a value is a slice of many processes, which is noted. */
static bool note_slice(
    struct vv_cargo *cargo, const varve_node *node, uint32_t value)
{
    if (cargo->of != VV_OF_SEVERAL || !varve_slice_of(node))
        return false;
    struct vv_cargo_slice slice = {
        .value = value, .whole = vv_whole_of(node), .box = vv_box_of(node)
    };
    slice.rank = slice.whole.rank;
    slice.whole_size = varve_tensor_size(&slice.whole);
    vv_buffer_add(&cargo->slices, &slice, sizeof slice);
    return true;
}

/* What waits in a file is saved from there, and not from the program. */
static varve_status check_fixed(const struct vv_cargo *cargo, varve_node *node,
    size_t state, size_t size, varve_error *error)
{
    if (!node->attachments || vv_carried_value_of(node))
        return VARVE_OK;
    const unsigned char *states = cargo->columns.states.data;
    bool is_state = node->kind == VARVE_STATE;
    return vv_fixed_value_check(
        node, is_state && size ? states + state : NULL, size, error);
}

static varve_status find_values(
    struct vv_cargo *cargo, const struct vv_walk *walk, varve_error *error)
{
    const struct vv_index_columns *c = &cargo->columns.index;
    size_t count = c->value_nodes.size / 4, state = 0;
    bool has_fixed = vv_tag_bit(walk->graph, VARVE_TAG_FIXED) != 0;
    cargo->value_count = count;
    if (count == 0)
        return VARVE_OK;
    cargo->values = vv_allocate_zeroed(
        &cargo->context.allocator, count * sizeof *cargo->values);
    if (!cargo->values)
        return vv_fail_memory(error, "where values are");
    for (size_t i = 0; i < count; i++) {
        size_t size = (size_t)vv_at64(c->value_sizes.data, i);
        varve_node *node = walk->steps[vv_at32(c->value_nodes.data, i)].node;
        if (vv_at64(c->value_offsets.data, i) == 0)
            continue;
        if (node->variable && !note_slice(cargo, node, (uint32_t)i) &&
            !cargo->columns.takes_parts && vv_part_of(node))
            return fail_part(node, error);
        if (vv_carried_value_of(node))
            vv_buffer_add(&cargo->waiting, &(uint32_t){ (uint32_t)i }, 4);
        if (node->variable && size > 0)
            VV_TRY(vv_variable_check_there(node, error));
        if (has_fixed)
            VV_TRY(check_fixed(cargo, node, state, size, error));
        if (node->kind == VARVE_STATE && !cargo->options.no_sync)
            VV_TRY(vv_state_sync(node, error));
        if (size == 0)
            continue;
        cargo->values[i] = find_bytes(cargo, node, &state);
        state += node->kind == VARVE_STATE ? size : 0;
        note_elsewhere(cargo, node, (uint32_t)i);
    }
    return cargo->slices.failed || cargo->elsewhere.failed ||
                   cargo->waiting.failed
               ? vv_fail_memory(error, "where values are")
               : VARVE_OK;
}

static varve_status find_kept(
    struct vv_cargo *cargo, const struct vv_walk *walk, varve_error *error)
{
    cargo->node_count = walk->count;
    if (cargo->options.format == VARVE_FORMAT_VARVE)
        return VARVE_OK;
    cargo->kept = vv_allocate_zeroed(
        &cargo->context.allocator, walk->count * sizeof *cargo->kept);
    if (!cargo->kept)
        return vv_fail_memory(error, "what was kept of a file");
    for (size_t i = 0; i < walk->count; i++)
        cargo->kept[i].bytes = vv_graph_kept_of(
            walk->steps[i].node, cargo->options.format, &cargo->kept[i].size);
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

bool vv_cargo_encodes(const struct vv_cargo *cargo, size_t value)
{
    uint8_t dtype = cargo->columns.index.value_dtypes.data[value];
    bool is_copy = cargo->copies && cargo->copies[value] &&
                   cargo->values[value] == cargo->copies[value];
    return !cargo->is_encoded && !is_copy && lies_otherwise((varve_dtype)dtype);
}

const void *vv_cargo_bytes(
    const struct vv_cargo *cargo, uint32_t value, struct vv_buffer *scratch)
{
    const void *bytes = cargo->values[value];
    uint8_t dtype = cargo->columns.index.value_dtypes.data[value];
    if (!bytes)
        return "";
    if (!vv_cargo_encodes(cargo, value))
        return bytes;
    const varve_tensor *tensor = bytes;
    bool done = dtype == VARVE_STRING ? encode_strings(scratch, tensor)
                                      : vv_encode_swapped(scratch, tensor);
    return done ? scratch->data : NULL;
}

/* --- Values that are copied out ------------------------------------------- */

static int compare_elsewhere(const void *left, const void *right)
{
    const uint32_t *value = left;
    const struct elsewhere *other = right;
    return (*value > other->value) - (*value < other->value);
}

const varve_node *vv_cargo_elsewhere(const struct vv_cargo *cargo, size_t value)
{
    uint32_t key = (uint32_t)value;
    size_t count = cargo->elsewhere.size / sizeof(struct elsewhere);
    if (count == 0 || cargo->is_encoded)
        return NULL;
    const struct elsewhere *found = bsearch(
        &key, cargo->elsewhere.data, count, sizeof *found, compare_elsewhere);
    return found ? found->node : NULL;
}

varve_status vv_cargo_copy_out(const varve_node *node, uint64_t at, void *to,
    size_t size, varve_error *error)
{
    varve_dtype dtype = node->variable->tensor.dtype;
    const struct vv_carried_value *carried = vv_carried_value_of(node);
    if (carried) /* with the reason of a failure, which copying out has not */
        return carried->source->read(
            carried->source, carried->value, at, to, size, error);
    VV_TRY(vv_value_out(node, at, to, size, error));
    if (VV_BIG_ENDIAN)
        vv_dtype_swap_copy(dtype, to, to, size / varve_dtype_size(dtype));
    return VARVE_OK;
}

void vv_cargo_settle_carried(struct vv_cargo *cargo)
{
    struct elsewhere *all = (struct elsewhere *)(void *)cargo->elsewhere.data;
    size_t count = cargo->elsewhere.size / sizeof *all, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!vv_carried_value_of(all[i].node))
            all[kept++] = all[i];
    }
    cargo->elsewhere.size = kept * sizeof *all;
    const uint32_t *waiting =
        (const uint32_t *)(const void *)cargo->waiting.data;
    for (size_t i = 0; i < cargo->waiting.size / sizeof *waiting; i++)
        if (cargo->copies[waiting[i]])
            cargo->values[waiting[i]] = cargo->copies[waiting[i]];
    vv_carried_free(cargo->carried);
    cargo->carried = NULL;
}

static varve_status make_piece(const struct vv_source *self, uint64_t at,
    size_t size, const unsigned char **bytes, varve_error *error)
{
    self->scratch->size = 0;
    void *to = vv_buffer_extend(self->scratch, size);
    if (!to)
        return vv_fail_memory(error, "the bytes of a value");
    VV_TRY(vv_cargo_copy_out(self->from, at, to, size, error));
    *bytes = to;
    return VARVE_OK;
}

/* Fails with the path of the value, or without it where there is no memory. */
static varve_status refuse_bool(const struct vv_source *source, uint64_t at,
    unsigned byte, varve_error *error)
{
    const struct vv_cargo *cargo = source->owner;
    struct vv_saved_paths paths = { 0 };
    struct vv_index index;
    struct vv_buffer path;
    vv_buffer_init(&path, &cargo->context.allocator);
    if (!vv_cargo_index(cargo, &index, NULL) &&
        !vv_saved_paths_begin(
            &paths, &cargo->context.allocator, &index, 0, NULL))
        vv_saved_path(&paths, vv_at32(index.value_nodes, source->value), &path);
    const char *text = vv_buffer_string(&path);
    vv_fail(error, VARVE_MISUSE,
        "%s: element %" PRIu64 ": expected a bool of 0 or 1, found the byte "
        "%u: initialize the memory before it is saved",
        *text ? text : "a value", at, byte);
    vv_saved_paths_end(&paths);
    vv_buffer_clear(&path);
    return VARVE_MISUSE;
}

varve_status vv_cargo_source(const struct vv_cargo *cargo, uint32_t value,
    struct vv_buffer *scratch, struct vv_source *source, varve_error *error)
{
    const unsigned char *dtypes = cargo->columns.index.value_dtypes.data;
    *source = (struct vv_source){
        .piece = make_piece,
        .from = vv_cargo_elsewhere(cargo, value),
        .scratch = scratch,
        .refuse = dtypes && dtypes[value] == VARVE_BOOL ? refuse_bool : NULL,
        .owner = cargo,
        .value = value,
    };
    if (source->from)
        return VARVE_OK;
    source->bytes = vv_cargo_bytes(cargo, value, scratch);
    return source->bytes ? VARVE_OK
                         : vv_fail_memory(error, "the bytes of a value");
}

/* --- All ---------------------------------------------------------------- */

/* The others have the rest of this, too. */
static varve_status fail_private(const varve_node *node, varve_error *error)
{
    char path[256];
    return vv_fail(error, VARVE_MISUSE,
        "%s: expected what one process has, found a private subtree of rank "
        "%" PRIu32 " of %" PRIu32,
        vv_node_text(node, path, sizeof path), vv_private_of(node)->rank,
        vv_private_of(node)->size);
}

/* Notes private nodes, of which one process alone has none; none is half
 * restored. */
static varve_status look_at_nodes(
    struct vv_cargo *cargo, const struct vv_walk *walk, varve_error *error)
{
    for (size_t i = 0; i < walk->count; i++) {
        struct vv_cargo_private found = { (uint32_t)i, walk->steps[i].node };
        const struct vv_private *private = vv_private_of(found.node);
        VV_TRY(vv_check_whole(found.node, error));
        if (found.node->attachments)
            VV_TRY(vv_migrating_check(found.node, error));
        if (private && cargo->of == VV_OF_SEVERAL)
            vv_buffer_add(&cargo->privates, &found, sizeof found);
        else if (private && private->size > 1)
            return fail_private(found.node, error);
    }
    return cargo->privates.failed ? vv_fail_memory(error, "private subtrees")
                                  : VARVE_OK;
}

static varve_status begin_columns(
    struct vv_cargo *cargo, struct vv_walk *walk, varve_error *error)
{
    bool takes_parts =
        cargo->of == VV_OF_PARTS && cargo->options.format == VARVE_FORMAT_VARVE;
    return takes_parts ? vv_columns_begin_parts(&cargo->columns, walk, error)
                       : vv_columns_begin(&cargo->columns, walk, error);
}

static varve_status gather(
    struct vv_cargo *cargo, varve_node *root, varve_error *error)
{
    struct vv_walk walk;
    VV_TRY(cargo->of == VV_OF_SEVERAL
               ? vv_walk_begin_above(&walk, root, vv_is_private, error)
               : vv_walk_begin(&walk, root, error));
    varve_status status = cargo->carried
                              ? vv_carried_check(cargo->carried, &walk,
                                    cargo->options.pending, error)
                              : VARVE_OK;
    if (!status)
        status = look_at_nodes(cargo, &walk, error);
    if (!status)
        status = begin_columns(cargo, &walk, error);
    if (!status)
        status = find_values(cargo, &walk, error);
    if (!status)
        status = find_kept(cargo, &walk, error);
    if (!status) {
        const struct vv_index index =
            vv_index_of_columns(&cargo->columns.index);
        const varve_write_options *o = &cargo->options;
        vv_unchanged_gather(
            &cargo->unchanged, &walk, &index, o->layered ? &o->layers : NULL);
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

/* What waits for the program stands in the graph while it is gathered. */
static varve_status gather_with_waiting(
    struct vv_cargo *cargo, varve_node *root, varve_error *error)
{
    varve_graph *graph = root->graph;
    VV_TRY(sort_metadata(cargo, error)); /* first: until then it is borrowed */
    if (cargo->options.pending == VARVE_PENDING_OMIT || !has_carriers(graph))
        return gather(cargo, root, error);
    cargo->carried = vv_carried_new(graph);
    if (!cargo->carried)
        return vv_fail_memory(error, "values that wait in a file");
    VV_TRY(vv_carry(cargo->carried, graph, error));
    varve_status status = gather(cargo, root, error);
    vv_carried_unlink(cargo->carried);
    if (status && cargo->carried->failure.status && error)
        *error = cargo->carried->failure;
    return status;
}

varve_status vv_cargo_gather_of(struct vv_cargo *cargo, varve_node *root,
    enum vv_cargo_of of, const varve_write_options *options, varve_error *error)
{
    varve_graph *graph = root->graph;
    VV_TRY(vv_write_options_check(options, error));
    *cargo = (struct vv_cargo){ .context = graph->context };
    cargo->context.durable = &graph->saved_to;
    cargo->context.durable_layers = &graph->layers_in;
    if (options)
        cargo->options = *options;
    VV_TRY(vv_pack_check(cargo->options.compress, error));
    if (cargo->options.many.files && of != VV_OF_SEVERAL)
        return vv_fail(error, VARVE_MISUSE,
            "`many.files` must be 0 in a save by one process: use "
            "varve_write_all, or a manager or saver with `comm`");
    cargo->wants_paths = options && options->progress;
    cargo->of = of;
    vv_buffer_init(&cargo->slices, &cargo->context.allocator);
    vv_buffer_init(&cargo->privates, &cargo->context.allocator);
    vv_buffer_init(&cargo->elsewhere, &cargo->context.allocator);
    vv_buffer_init(&cargo->waiting, &cargo->context.allocator);
    /* The graph stays as it is walked, whatever the callbacks of states would
     * like. */
    enum vv_hold older = vv_graph_hold(graph, VV_HOLDS_ALL);
    varve_status status = gather_with_waiting(cargo, root, error);
    vv_graph_let_go(graph, older);
    if (!status && !vv_reserve_stake(graph))
        status = vv_fail_memory(error, "a save");
    if (status)
        vv_cargo_clear(cargo);
    else
        vv_put_at_stake(graph, 0);
    return status;
}

varve_status vv_cargo_gather(struct vv_cargo *cargo, varve_node *root,
    const varve_write_options *options, varve_error *error)
{
    return vv_cargo_gather_of(cargo, root, VV_OF_ONE, options, error);
}

varve_status vv_cargo_gather_slices(struct vv_cargo *cargo, varve_node *root,
    const varve_write_options *options, varve_error *error)
{
    return vv_cargo_gather_of(cargo, root, VV_OF_SEVERAL, options, error);
}

void vv_cargo_clear(struct vv_cargo *cargo)
{
    const varve_allocator *a = &cargo->context.allocator;
    vv_release(a, cargo->kept, cargo->node_count * sizeof *cargo->kept);
    vv_release(a, cargo->copies, cargo->value_count * sizeof *cargo->copies);
    vv_release(a, cargo->values, cargo->value_count * sizeof *cargo->values);
    vv_release(a, (void *)cargo->options.metadata,
        cargo->options.metadata_count * sizeof *cargo->options.metadata);
    if (cargo->spared)
        vv_cargo_end_sparing(cargo);
    vv_buffer_clear(&cargo->copied);
    vv_buffer_clear(&cargo->texts);
    vv_buffer_clear(&cargo->slices);
    vv_buffer_clear(&cargo->privates);
    vv_buffer_clear(&cargo->elsewhere);
    vv_buffer_clear(&cargo->waiting);
    vv_carried_free(cargo->carried);
    vv_unchanged_clear(&cargo->unchanged, a);
    vv_columns_end(&cargo->columns);
    *cargo = (struct vv_cargo){ .context = cargo->context };
}

varve_status vv_cargo_index(
    const struct vv_cargo *cargo, struct vv_index *index, varve_error *error)
{
    VV_TRY(vv_columns_index(&cargo->columns, index, error));
    index->counter = cargo->counter;
    index->metadata = cargo->options.metadata;
    index->metadata_count = cargo->options.metadata_count;
    return VARVE_OK;
}
