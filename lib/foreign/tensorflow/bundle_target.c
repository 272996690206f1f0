/* bundle_target.c - Selects the values of a TensorFlow checkpoint, their order
 * and their keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_target.h"

#include <string.h>

#include "bundle.h"
#include "bundle_objects.h"
#include "bundle_out.h"
#include "failure.h"
#include "try.h"
#include "typed_memory.h"

struct writer {
    const struct vv_target *target;
    struct vv_bundle_out out;
    struct vv_bundle_objects objects; /* of an object-based checkpoint */
    struct vv_buffer graph;           /* the encoded object graph */
    struct vv_buffer key;
    bool is_flat; /* a name-based checkpoint */
};

/* --- Values -------------------------------------------------------------- */

/* Adds a value under the key in w->key. */
static varve_status bundle_target_add(
    struct writer *w, struct vv_bundle_value *value, varve_error *error)
{
    if (w->key.failed)
        return vv_fail_memory(error, "the key of a value");
    value->key = (const char *)w->key.data;
    value->key_size = w->key.size;
    return vv_bundle_out_add(&w->out, value, error);
}

/* Returns true if the bytes of a state still have the type that they had in the
 * original file. */
static bool has_type(
    const struct vv_bundle_kept *kept, const void *bytes, uint64_t size)
{
    uint64_t count;
    uint32_t sum;
    if (!kept->number ||
        !vv_shape_count(kept->shape.rank, kept->shape.shape, &count))
        return false;
    if (kept->number == VV_BUNDLE_VARIANT)
        return vv_bundle_sum_variants(bytes, size, count, &sum);
    return count ? size % count == 0 : size == 0;
}

/* Adds a value that is a single string. */
static varve_status bundle_target_add_string(
    struct writer *w, const void *bytes, uint64_t size, varve_error *error)
{
    unsigned char length[8];
    vv_store64(length, size);
    return bundle_target_add(w,
        &(struct vv_bundle_value){
            .type = { .dtype = VARVE_STRING },
            .bytes = bytes,
            .size = size,
            .lengths = length,
        },
        error);
}

/* Adds a state as a string. If it had another type in the original file, the
 * type is lost. */
static varve_status bundle_target_add_state(struct writer *w, uint32_t node,
    const struct vv_bundle_kept *kept, const struct vv_bundle_value *value,
    varve_error *error)
{
    if (kept->number)
        vv_target_report_lost(
            w->target, node, "its type: it is written as a string");
    else if (w->is_flat)
        vv_target_report_lost(
            w->target, node, "its kind: a state, written as a string");
    return bundle_target_add_string(w, value->bytes, value->size, error);
}

static varve_status bundle_target_add_value(
    struct writer *w, uint32_t number, varve_error *error)
{
    const struct vv_target *target = w->target;
    const struct vv_index *index = target->index;
    const unsigned char *bytes = NULL;
    struct vv_source source;
    uint64_t size = vv_at64(index->value_sizes, number);
    VV_TRY(target->value(target->user, number, &source, error));
    /* The value is read as a whole, because its CRC is computed before it is
     * written. */
    VV_TRY(vv_source_piece(&source, 0, (size_t)size, &bytes, error));
    uint32_t node = vv_at32(index->value_nodes, number);
    struct vv_bundle_kept kept;
    vv_bundle_kept_of(target, node, &kept);
    struct vv_bundle_value value = {
        .type = vv_index_tensor(index, target->table, number),
        .bytes = bytes,
        .size = size,
    };
    if (vv_index_kind(index, node) == VARVE_STATE) {
        /* The state may contain a value of a type that Varve does not have. */
        if (!has_type(&kept, bytes, size))
            return bundle_target_add_state(w, node, &kept, &value, error);
        value.type = kept.shape;
        value.number = kept.number;
    } else if (vv_bundle_dtype(kept.number) == value.type.dtype) {
        value.number = kept.number;
    }
    if (value.type.dtype == VARVE_STRING && size) {
        uint64_t lengths_size = 8 * varve_tensor_count(&value.type);
        value.lengths = bytes;
        value.bytes += lengths_size;
        value.size -= lengths_size;
    }
    return bundle_target_add(w, &value, error);
}

static varve_status bundle_target_add_counter(
    struct writer *w, varve_error *error)
{
    unsigned char bytes[8];
    vv_store64(bytes, w->target->index->counter);
    w->key.size = 0;
    vv_buffer_add_string(&w->key, VV_BUNDLE_COUNTER_KEY);
    return bundle_target_add(w,
        &(struct vv_bundle_value){
            .type = { .dtype = VARVE_INT64 },
            .bytes = bytes,
            .size = sizeof bytes,
        },
        error);
}

/* --- Losses --------------------------------------------------------------- */

static void report_lost_metadata(const struct vv_target *target)
{
    const struct vv_index *index = target->index;
    for (size_t i = 0; i < index->metadata_count; i++) {
        struct vv_buffer what;
        vv_buffer_init(&what, &target->context->allocator);
        vv_buffer_add_string(&what, "metadata \"");
        vv_buffer_add_string(&what, index->metadata[i].name);
        vv_buffer_add_string(&what, "\"");
        const char *text = vv_buffer_string(&what);
        vv_target_report_lost(target, 0, *text ? text : "metadata");
        vv_buffer_clear(&what);
    }
}

static void report_lost_counter(const struct vv_target *target)
{
    if (target->index->counter)
        vv_target_report_lost(target, 0, "the save counter");
}

static void report_lost_slots(
    const struct vv_target *target, const struct vv_bundle_roles *roles)
{
    const struct vv_index *index = target->index;
    for (uint32_t slot = 0; slot < index->slot_count; slot++) {
        uint32_t node = vv_at32(index->slot_nodes, slot);
        if (roles->omits_slots || vv_bundle_slot_is_kept(roles, slot))
            continue;
        vv_target_report_lost(target, node,
            "its kind: a slot, but it or its variable has no value");
        uint32_t value = vv_index_find_value(index, node);
        if (roles->is_left_out[node] && vv_index_is_saved(index, value))
            vv_target_report_lost(
                target, node, "its value: its variable has none");
    }
}

static bool bundle_target_begins_with(
    const struct vv_target *target, uint32_t name, const char *text)
{
    size_t size;
    const char *tag = vv_index_name(target->index, name, &size);
    return size >= strlen(text) && memcmp(tag, text, strlen(text)) == 0;
}

/* Returns true for the tags that a reader derives from what was kept. */
static bool bundle_target_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name)
{
    struct vv_bundle_kept kept;
    return (bundle_target_begins_with(target, name, "tensorflow:") ||
               bundle_target_begins_with(target, name, "registered:") ||
               bundle_target_begins_with(target, name, VARVE_TAG_OPTIONAL)) &&
           vv_bundle_kept_of(target, node, &kept);
}

/* Returns true for the tag of a type that was kept; a name-based checkpoint
 * keeps no others. */
static bool keeps_type_tag(
    const struct vv_target *target, uint32_t node, uint32_t name)
{
    struct vv_bundle_kept kept;
    return bundle_target_begins_with(target, name, "tensorflow:") &&
           vv_bundle_kept_of(target, node, &kept) && kept.number;
}

/* Reports nodes that lose the role that they had in the original file. */
static void report_lost_attributes(
    const struct vv_target *target, const struct vv_bundle_roles *roles)
{
    for (uint32_t node = 0; node < target->index->node_count; node++) {
        struct vv_bundle_kept kept;
        if (vv_bundle_kept_of(target, node, &kept) &&
            kept.role != VV_ROLE_OBJECT && vv_bundle_is_object(roles, node))
            vv_target_report_lost(target, node,
                kept.role == VV_ROLE_ENTRY
                    ? "its kind: an entry without an object"
                    : "its kind: an attribute of its object");
    }
}

/* --- Object-based -------------------------------------------------------- */

/* Adds the variables from *value to the last one before `node`. */
static varve_status add_variables(
    struct writer *w, uint32_t *value, uint32_t node, varve_error *error)
{
    const struct vv_index *index = w->target->index;
    for (; *value < index->value_count; ++*value) {
        uint32_t at = vv_at32(index->value_nodes, *value);
        if (at >= node)
            return VARVE_OK;
        if (vv_index_kind(index, at) == VARVE_STATE ||
            !vv_bundle_has_value(&w->objects.roles, at))
            continue;
        vv_bundle_objects_key(&w->objects, at, &w->key);
        VV_TRY(bundle_target_add_value(w, *value, error));
    }
    return VARVE_OK;
}

static varve_status add_states(struct writer *w, varve_error *error)
{
    const struct vv_index *index = w->target->index;
    for (uint32_t value = 0; value < index->value_count; value++) {
        uint32_t node = vv_at32(index->value_nodes, value);
        if (vv_index_kind(index, node) != VARVE_STATE ||
            !vv_bundle_has_value(&w->objects.roles, node))
            continue;
        vv_bundle_objects_key(&w->objects, node, &w->key);
        VV_TRY(bundle_target_add_value(w, value, error));
    }
    return VARVE_OK;
}

static varve_status add_objects(struct writer *w, varve_error *error)
{
    uint32_t value = 0;
    VV_TRY(add_variables(w, &value, w->objects.roles.counter, error));
    if (w->objects.roles.counter != VV_NONE)
        VV_TRY(bundle_target_add_counter(w, error));
    VV_TRY(add_variables(w, &value, VV_NONE, error));
    VV_TRY(add_states(w, error));
    w->key.size = 0;
    vv_buffer_add_string(&w->key, VV_BUNDLE_GRAPH_KEY);
    return bundle_target_add_string(w, w->graph.data, w->graph.size, error);
}

static varve_status bundle_target_publish(struct writer *w,
    varve_status (*add_all)(struct writer *w, varve_error *error),
    varve_error *error)
{
    const struct vv_target *target = w->target;
    VV_TRY(vv_bundle_out_begin(&w->out, target->context, target->path,
        target->flags, target->shard_size, error));
    return vv_bundle_out_end(
        &w->out, vv_target_finish(target, add_all(w, error), error), error);
}

static varve_status write_objects(
    const struct vv_target *target, varve_error *error)
{
    struct writer w = { .target = target };
    vv_buffer_init(&w.key, &target->context->allocator);
    vv_buffer_init(&w.graph, &target->context->allocator);
    varve_status status = vv_bundle_objects_begin(&w.objects, target, error);
    if (!status)
        status = vv_bundle_objects_encode(&w.objects, &w.graph, error);
    if (!status) {
        vv_target_report_lost_graph(target, true, bundle_target_keeps_tag);
        report_lost_metadata(target);
        report_lost_slots(target, &w.objects.roles);
        report_lost_attributes(target, &w.objects.roles);
        if (w.objects.roles.counter == VV_NONE)
            report_lost_counter(target);
        status = bundle_target_publish(&w, add_objects, error);
    }
    vv_bundle_objects_end(&w.objects);
    vv_buffer_clear(&w.graph);
    vv_buffer_clear(&w.key);
    return status;
}

/* --- Name-based ---------------------------------------------------------- */

/* Rejects the empty key, which is that of the header, and the key of the object
 * graph: a reader that finds an object graph ignores names. */
static varve_status bundle_target_check_key(
    const struct writer *w, varve_error *error)
{
    static const char graph[] = VV_BUNDLE_GRAPH_KEY;
    if (w->key.failed)
        return vv_fail_memory(error, "the key of a value");
    if (w->key.size == 0)
        return vv_fail(error, VARVE_BAD_NAME,
            "%.300s: the value of the root needs a global name",
            w->target->path);
    if (w->key.size == strlen(graph) &&
        memcmp(w->key.data, graph, w->key.size) == 0)
        return vv_fail(error, VARVE_BAD_NAME,
            "%.300s: no value can have the name \"%s\"", w->target->path,
            graph);
    return VARVE_OK;
}

static varve_status bundle_target_add_names(
    struct writer *w, varve_error *error)
{
    const struct vv_index *index = w->target->index;
    for (uint32_t value = 0; value < index->value_count; value++) {
        uint32_t node = vv_at32(index->value_nodes, value);
        if (!vv_index_is_saved(index, value))
            continue;
        vv_bundle_full_name(w->target, node, &w->key);
        VV_TRY(bundle_target_check_key(w, error));
        VV_TRY(bundle_target_add_value(w, value, error));
    }
    return VARVE_OK;
}

static varve_status write_names(
    const struct vv_target *target, varve_error *error)
{
    struct writer w = { .target = target, .is_flat = true };
    vv_buffer_init(&w.key, &target->context->allocator);
    vv_target_report_lost_graph(target, false, keeps_type_tag);
    report_lost_metadata(target);
    report_lost_counter(target);
    varve_status status =
        bundle_target_publish(&w, bundle_target_add_names, error);
    vv_buffer_clear(&w.key);
    return status;
}

const struct vv_target_format vv_bundle_target = {
    .format = VARVE_FORMAT_TENSORFLOW,
    .write = write_objects,
};

const struct vv_target_format vv_bundle_names_target = {
    .format = VARVE_FORMAT_TENSORFLOW_NAMES,
    .write = write_names,
};
