/* hdf5_out.c - Writes objects along edges, then slots, then texts. The bytes of
 * values are written directly to the file, without a copy.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_out.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "file.h"
#include "hash_table.h"
#include "hdf5_graph.h"
#include "hdf5_kept.h"
#include "hdf5_source.h"
#include "keras_again.h"
#include "store.h"
#include "try.h"

struct out {
    const struct vv_target *target;
    const struct vv_hdf5_calls *calls;
    struct vv_hdf5_file *file;
    struct vv_publication p;
    uint64_t root;
    uint64_t *objects;      /* address of each node; 0: not written yet */
    struct vv_buffer nodes; /* uint32_t: groups whose edges must still be
                               written */
    struct vv_buffer name;  /* of the current object */
    struct vv_buffer ways;  /* uint32_t: edges of a path, the last first */
    struct vv_arena paths;  /* names of groups below `@slots` */
    struct vv_map groups;   /* struct slot_group, by parent and name */
    varve_error *error;
};

/* A group below `@slots`. */
struct slot_group {
    uint64_t parent, object;
    const char *name;
};

static varve_status hdf5_out_fail_memory(const struct out *o)
{
    return vv_fail_memory(o->error, "an HDF5 file");
}

/* --- The module ----------------------------------------------------------- */

static bool write_bytes(void *user, uint64_t offset, const void *bytes,
    size_t size, varve_error *error)
{
    const struct out *o = user;
    return !vv_file_write(o->target->context, o->p.file, o->target->path, bytes,
        size, offset, error);
}

static bool hdf5_out_read_bytes(
    void *user, uint64_t offset, void *bytes, size_t size, varve_error *error)
{
    const struct out *o = user;
    return !vv_file_read(o->target->context, o->p.file, o->target->path, bytes,
        size, offset, error);
}

/* Returns a failure of the module, with the path prepended to its message. */
static varve_status hdf5_out_fail(
    const struct out *o, varve_status status, const varve_error *said)
{
    const char *path = o->target->path;
    if (!status)
        return VARVE_OK;
    if (strncmp(said->message, path, strlen(path)) == 0) {
        if (o->error)
            *o->error = *said;
        return status;
    }
    return vv_fail(o->error, status, "%s: %s", path, said->message);
}

/* --- Names ---------------------------------------------------------------- */

static const char *hdf5_out_edge_name(
    const struct out *o, uint32_t edge, size_t *size)
{
    return vv_index_name(
        o->target->index, vv_at32(o->target->index->edge_names, edge), size);
}

static void set_escaped(struct out *o, const char *bytes, size_t size)
{
    o->name.size = 0;
    vv_hdf5_escape(&o->name, bytes, size);
}

/* Sets o->name to the name of an edge in the file and returns it. */
static const char *hdf5_out_set_name(struct out *o, uint32_t edge)
{
    size_t size;
    const char *bytes = hdf5_out_edge_name(o, edge, &size);
    uint32_t child = vv_at32(o->target->index->edge_children, edge);
    struct vv_hdf5_kept kept = vv_hdf5_kept_of(o->target, child);
    if (kept.kind == VV_HDF5_KEPT_NAME &&
        vv_hdf5_is_name(bytes, size, kept.first)) {
        o->name.size = 0;
        vv_buffer_add_string(&o->name, kept.second);
    } else {
        set_escaped(o, bytes, size);
    }
    return vv_buffer_string(&o->name);
}

/* Returns true if an edge was added when the file was read, and its target is
 * still a child of `vars` beside it. */
static bool is_alias(const struct out *o, uint32_t node, uint32_t edge)
{
    const struct vv_index *index = o->target->index;
    uint32_t child = vv_at32(index->edge_children, edge), begin, end;
    struct vv_hdf5_kept kept = vv_hdf5_kept_of(o->target, child);
    size_t size;
    const char *name = hdf5_out_edge_name(o, edge, &size);
    if (kept.kind != VV_HDF5_KEPT_ALIAS ||
        !vv_hdf5_is_name(name, size, kept.first))
        return false;
    uint32_t vars =
        vv_index_find_child(index, node, vv_index_find_name(index, "vars", 4));
    if (vars == VV_NONE)
        return false;
    vv_index_edges(index, vars, &begin, &end);
    while (begin < end && vv_at32(index->edge_children, begin) != child)
        begin++;
    return begin < end;
}

/* --- Values --------------------------------------------------------------- */

/* Returns true if a text contains NUL. Programs that read HDF5 strings as C
 * strings cut it there. */
static bool has_nul(const varve_string *text)
{
    return text->size > 0 && memchr(text->data, 0, (size_t)text->size);
}

static varve_status hdf5_out_write_texts(struct out *o, uint32_t node,
    uint64_t object, const struct vv_source *source, uint64_t count)
{
    bool is_cut = false;
    const varve_allocator *a = &o->target->context->allocator;
    varve_error said = { VARVE_OK, 0, "" };
    varve_string *texts = vv_allocate_array(a, (size_t)count, sizeof *texts);
    if (!texts)
        return hdf5_out_fail_memory(o);
    const unsigned char *at = source->bytes + 8 * count;
    for (uint64_t i = 0; i < count; i++) {
        texts[i] = (varve_string){ (const char *)at,
            vv_load64(source->bytes + 8 * i) };
        at += texts[i].size;
        is_cut |= has_nul(&texts[i]);
    }
    if (is_cut)
        vv_target_report_lost(
            o->target, node, "the text after a NUL, for readers of C strings");
    varve_status status =
        o->calls->write_texts(o->file, object, texts, (size_t)count, &said);
    vv_release(a, texts, (size_t)count * sizeof *texts);
    return hdf5_out_fail(o, status, &said);
}

static varve_status hdf5_out_write_value(struct out *o, uint32_t value,
    const varve_tensor *type, uint64_t object, uint64_t offset)
{
    struct vv_source source;
    size_t part;
    const struct vv_target *t = o->target;
    uint64_t size = vv_at64(t->index->value_sizes, value);
    VV_TRY(t->value(t->user, value, &source, o->error));
    if (size == 0)
        return VARVE_OK;
    if (type->dtype == VARVE_STRING)
        return hdf5_out_write_texts(o, vv_at32(t->index->value_nodes, value),
            object, &source, varve_tensor_count(type));
    for (uint64_t at = 0; at < size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(&source, size - at);
        VV_TRY(vv_source_piece(&source, at, part, &bytes, o->error));
        VV_TRY(vv_file_write(t->context, o->p.file, t->path, bytes, part,
            offset + at, o->error));
    }
    return VARVE_OK;
}

static bool has_children(const struct out *o, uint32_t node)
{
    uint32_t begin, end, first, last;
    vv_index_edges(o->target->index, node, &begin, &end);
    vv_index_slots(o->target->index, node, &first, &last);
    return end > begin || last > first;
}

/* A state without children is written with the type that it had. */
static void take_kept_type(
    const struct out *o, uint32_t node, struct vv_hdf5_new *what)
{
    struct vv_hdf5_kept_type kept;
    if (has_children(o, node) || what->is_null ||
        !vv_hdf5_kept_type_of(o->target, node, &kept))
        return;
    what->rank = kept.rank;
    memcpy(what->extents, kept.extents, sizeof kept.extents);
    what->type = kept.type;
    what->type_size = kept.type_size;
}

/* Adds a variable, or the bytes of a state. */
static varve_status hdf5_out_add_dataset(struct out *o,
    const struct vv_hdf5_name *at, uint32_t node, uint64_t *object)
{
    const struct vv_index *index = o->target->index;
    uint32_t value = vv_index_find_value(index, node);
    varve_error said = { VARVE_OK, 0, "" };
    struct vv_hdf5_new what = { .is_null = true };
    uint64_t offset = 0;
    varve_tensor type = { .dtype = VARVE_UINT8, .rank = 1 };
    if (value != VV_NONE) {
        type = vv_index_tensor(index, o->target->table, value);
        what.is_null = !vv_index_is_saved(index, value);
    }
    what.dtype =
        vv_index_kind(index, node) == VARVE_STATE ? (varve_dtype)0 : type.dtype;
    what.rank = type.rank;
    memcpy(what.extents, type.shape, sizeof type.shape);
    take_kept_type(o, node, &what);
    if (what.is_null)
        vv_target_report_lost(o->target, node, "its shape: it has no value");
    VV_TRY(hdf5_out_fail(o,
        o->calls->add_dataset(o->file, at, &what, object, &offset, &said),
        &said));
    return what.is_null
               ? VARVE_OK
               : hdf5_out_write_value(o, value, &type, *object, offset);
}

/* --- Objects -------------------------------------------------------------- */

static varve_status set_attribute(
    struct out *o, uint64_t object, const struct vv_hdf5_attribute *attribute)
{
    varve_error said = { VARVE_OK, 0, "" };
    return hdf5_out_fail(
        o, o->calls->add_attribute(o->file, object, attribute, &said), &said);
}

static varve_status set_text(
    struct out *o, uint64_t object, const char *name, const char *text)
{
    const varve_string string = { text, strlen(text) };
    return set_attribute(o, object,
        &(struct vv_hdf5_attribute){
            .name = name, .is_scalar = true, .count = 1, .texts = &string });
}

static varve_status hdf5_out_add_group(struct out *o,
    const struct vv_hdf5_name *at, uint32_t node, uint64_t *object)
{
    varve_error said = { VARVE_OK, 0, "" };
    struct vv_hdf5_kept kept = vv_hdf5_kept_of(o->target, node);
    VV_TRY(hdf5_out_fail(
        o, o->calls->add_group(o->file, at, object, &said), &said));
    vv_buffer_add(&o->nodes, &node, sizeof node);
    if (o->nodes.failed)
        return hdf5_out_fail_memory(o);
    return kept.kind == VV_HDF5_KEPT_LABEL
               ? set_text(o, *object, "name", kept.first)
               : VARVE_OK;
}

/* Adds a node that has not been written yet. */
static varve_status hdf5_out_add_object(
    struct out *o, const struct vv_hdf5_name *at, uint32_t node)
{
    varve_kind kind = vv_index_kind(o->target->index, node);
    uint64_t *object = &o->objects[node], state;
    if (kind == VARVE_VARIABLE ||
        (kind == VARVE_STATE && !has_children(o, node)))
        return hdf5_out_add_dataset(o, at, node, object);
    VV_TRY(hdf5_out_add_group(o, at, node, object));
    if (kind != VARVE_STATE)
        return VARVE_OK;
    struct vv_hdf5_name inside = { *object, VV_HDF5_STATE };
    return hdf5_out_add_dataset(o, &inside, node, &state);
}

static varve_status hdf5_out_add_node(
    struct out *o, const struct vv_hdf5_name *at, uint32_t node)
{
    varve_error said = { VARVE_OK, 0, "" };
    if (o->name.failed)
        return hdf5_out_fail_memory(o);
    if (!o->objects[node])
        return hdf5_out_add_object(o, at, node);
    return hdf5_out_fail(
        o, o->calls->add_link(o->file, at, o->objects[node], &said), &said);
}

static varve_status hdf5_out_add_edges(struct out *o, uint32_t node)
{
    uint32_t begin, end;
    vv_index_edges(o->target->index, node, &begin, &end);
    for (; begin < end; begin++) {
        if (is_alias(o, node, begin))
            continue;
        struct vv_hdf5_name at = { o->objects[node],
            hdf5_out_set_name(o, begin) };
        VV_TRY(hdf5_out_add_node(
            o, &at, vv_at32(o->target->index->edge_children, begin)));
    }
    return VARVE_OK;
}

static varve_status hdf5_out_add_all(struct out *o)
{
    uint32_t node = o->target->paths->root;
    struct vv_hdf5_kept kept = vv_hdf5_kept_of(o->target, node);
    o->objects[node] = o->root;
    vv_buffer_add(&o->nodes, &node, sizeof node);
    if (kept.kind == VV_HDF5_KEPT_LABEL)
        VV_TRY(set_text(o, o->root, "name", kept.first));
    while (o->nodes.size > 0) {
        o->nodes.size -= sizeof node;
        memcpy(&node, o->nodes.data + o->nodes.size, sizeof node);
        VV_TRY(hdf5_out_add_edges(o, node));
    }
    return o->nodes.failed ? hdf5_out_fail_memory(o) : VARVE_OK;
}

/* --- Slots ---------------------------------------------------------------- */

static bool hdf5_out_is_group(const void *item, const void *key)
{
    const struct slot_group *a = item, *b = key;
    return a->parent == b->parent && strcmp(a->name, b->name) == 0;
}

/* Moves into a group below `@slots`; creates it if necessary. */
static varve_status go_into(struct out *o, const char *name, uint64_t *object)
{
    struct slot_group key = { .parent = *object, .name = name };
    uint64_t hash = vv_map_mix(*object) ^ vv_hash_of(name, strlen(name));
    varve_error said = { VARVE_OK, 0, "" };
    struct slot_group *found =
        vv_map_find(&o->groups, hash, hdf5_out_is_group, &key);
    if (!found) {
        struct vv_hdf5_name at = { *object, name };
        found = vv_arena_take(&o->paths, sizeof *found);
        key.name = vv_arena_text(&o->paths, name, strlen(name));
        if (!found || !key.name)
            return hdf5_out_fail_memory(o);
        VV_TRY(hdf5_out_fail(
            o, o->calls->add_group(o->file, &at, &key.object, &said), &said));
        *found = key;
        if (!vv_map_add(&o->groups, hash, found))
            return hdf5_out_fail_memory(o);
    }
    *object = found->object;
    return VARVE_OK;
}

/* Sets o->ways to the edges that lead to a variable. Returns false if a slot
 * leads to it. */
static bool hdf5_out_find_ways(struct out *o, uint32_t node)
{
    const struct vv_saved_paths *paths = o->target->paths;
    o->ways.size = 0;
    for (; node != paths->root; node = paths->parents[node]) {
        if (paths->ways[node] & VV_WAY_IS_SLOT)
            return false;
        vv_buffer_add(&o->ways, &paths->ways[node], sizeof(uint32_t));
    }
    return true;
}

/* Replaces an alias at the end of the path by the edges through `vars`. */
static void lead_by_numbers(struct out *o)
{
    const struct vv_index *index = o->target->index;
    uint32_t *ways = (uint32_t *)(void *)o->ways.data, begin, end;
    size_t count = o->ways.size / sizeof *ways;
    uint32_t parent = count > 1 ? vv_at32(index->edge_children, ways[1])
                                : o->target->paths->root;
    if (count == 0 || !is_alias(o, parent, ways[0]))
        return;
    uint32_t name = vv_index_find_name(index, "vars", 4);
    uint32_t edge = vv_index_find_edge(index, parent, name);
    uint32_t child = vv_at32(index->edge_children, ways[0]);
    vv_index_edges(index, vv_at32(index->edge_children, edge), &begin, &end);
    while (begin < end && vv_at32(index->edge_children, begin) != child)
        begin++;
    ways[0] = edge;
    vv_buffer_add(&o->ways, &begin, sizeof begin);
    if (o->ways.failed)
        return;
    ways = (uint32_t *)(void *)o->ways.data;
    memmove(ways + 1, ways, count * sizeof *ways);
    ways[0] = begin;
}

static varve_status hdf5_out_add_slot(struct out *o, uint32_t slot)
{
    const struct vv_index *index = o->target->index;
    uint32_t variable = vv_at32(index->slot_variables, slot);
    uint64_t group = o->objects[vv_at32(index->slot_owners, slot)];
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->slot_names, slot), &size);
    if (!group || !hdf5_out_find_ways(o, variable)) {
        vv_target_report_lost(o->target, variable, "a slot");
        return VARVE_OK;
    }
    lead_by_numbers(o);
    set_escaped(o, name, size);
    char *text =
        vv_arena_text(&o->paths, (const char *)o->name.data, o->name.size);
    if (o->ways.failed || o->name.failed || !text)
        return hdf5_out_fail_memory(o);
    VV_TRY(go_into(o, VV_HDF5_SLOTS, &group));
    VV_TRY(go_into(o, text, &group));
    const uint32_t *ways = (const uint32_t *)(const void *)o->ways.data;
    for (size_t i = o->ways.size / sizeof *ways; i-- > 1;)
        VV_TRY(go_into(o, hdf5_out_set_name(o, ways[i]), &group));
    struct vv_hdf5_name at = { group, hdf5_out_set_name(o, ways[0]) };
    return hdf5_out_add_node(o, &at, vv_at32(index->slot_nodes, slot));
}

static varve_status hdf5_out_add_slots(struct out *o)
{
    for (uint32_t i = 0; i < o->target->index->slot_count; i++)
        VV_TRY(hdf5_out_add_slot(o, i));
    return VARVE_OK;
}

/* --- Texts ---------------------------------------------------------------- */

static varve_status hdf5_out_add_metadata(
    struct out *o, const varve_metadata *m)
{
    struct vv_hdf5_attribute a = {
        .name = m->name, .is_scalar = true, .count = 1
    };
    switch (m->kind) {
    case VARVE_METADATA_STRING: return set_text(o, o->root, m->name, m->string);
    case VARVE_METADATA_REAL:
        a.kind = VV_HDF5_REAL;
        a.numbers = &m->real;
        break;
    case VARVE_METADATA_INTEGER:
    case VARVE_METADATA_BOOLEAN:
        a.kind = VV_HDF5_INTEGER;
        a.numbers = &m->integer;
        break;
    }
    return set_attribute(o, o->root, &a);
}

static varve_status hdf5_out_add_texts(struct out *o)
{
    const struct vv_index *index = o->target->index;
    for (size_t i = 0; i < index->metadata_count; i++)
        VV_TRY(hdf5_out_add_metadata(o, &index->metadata[i]));
    if (!index->counter)
        return VARVE_OK;
    return set_attribute(o, o->root,
        &(struct vv_hdf5_attribute){ .name = "save_counter",
            .is_scalar = true,
            .count = 1,
            .kind = VV_HDF5_NATURAL,
            .numbers = &index->counter });
}

/* --- Entry points --------------------------------------------------------- */

static varve_status write_file(struct out *o)
{
    varve_error said = { VARVE_OK, 0, "" };
    const struct vv_hdf5_bytes bytes = {
        .user = o, .read = hdf5_out_read_bytes, .write = write_bytes
    };
    VV_TRY(hdf5_out_fail(
        o, o->calls->open(&bytes, &o->file, &o->root, &said), &said));
    varve_status status = hdf5_out_add_all(o);
    if (!status)
        status = hdf5_out_add_slots(o);
    if (!status)
        status = hdf5_out_add_texts(o);
    varve_status closed = o->calls->close(o->file, &said);
    return status ? status : hdf5_out_fail(o, closed, &said);
}

static varve_status hdf5_out_publish(struct out *o)
{
    const struct vv_target *t = o->target;
    const varve_allocator *a = &t->context->allocator;
    size_t size = t->index->node_count * sizeof *o->objects;
    o->objects = vv_allocate_zeroed(a, size);
    if (!o->objects)
        return hdf5_out_fail_memory(o);
    varve_status status =
        vv_store_refuse_any(t->path, VV_STORE_IN_ORDER, o->error);
    if (!status)
        status =
            vv_publish_begin(&o->p, t->context, t->path, t->flags, o->error);
    if (!status)
        status = vv_publish_end(
            &o->p, vv_target_finish(t, write_file(o), o->error), o->error);
    vv_release(a, o->objects, size);
    return status;
}

/* Sets `path` to the path of a value in the file. Returns false if a slot leads
 * to it. */
static bool hdf5_out_add_path(
    struct out *o, uint32_t node, struct vv_buffer *path)
{
    const uint32_t *ways;
    path->size = 0;
    if (!hdf5_out_find_ways(o, node))
        return false;
    lead_by_numbers(o);
    ways = (const uint32_t *)(const void *)o->ways.data;
    for (size_t i = o->ways.size / sizeof *ways; i-- > 0;) {
        if (path->size > 0)
            vv_buffer_add8(path, '/');
        vv_buffer_add_string(path, hdf5_out_set_name(o, ways[i]));
    }
    return true;
}

/* A global name that is equal to the path of its value in the file is not
 * lost. */
static void report_lost_globals(struct out *o)
{
    const struct vv_index *index = o->target->index;
    struct vv_buffer path;
    vv_buffer_init(&path, &o->target->context->allocator);
    for (uint32_t i = 0; i < index->global_count; i++) {
        uint32_t node = vv_at32(index->global_nodes, i);
        size_t size;
        const char *global =
            vv_index_name(index, vv_at32(index->global_names, i), &size);
        if (!hdf5_out_add_path(o, node, &path) || path.size != size ||
            memcmp(path.data, global, size) != 0)
            vv_target_report_lost(o->target, node, "its global name");
    }
    vv_buffer_clear(&path);
}

static varve_status hdf5_out_write_kept(
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    struct out o = { .target = target, .error = error };
    VV_TRY(vv_hdf5_load(target->context, target->path, &o.calls, error));
    vv_buffer_init(&o.nodes, a);
    vv_buffer_init(&o.name, a);
    vv_buffer_init(&o.ways, a);
    vv_arena_init(&o.paths, a);
    vv_map_init(&o.groups, a);
    if (target->loss)
        vv_target_report_lost_graph(target, true, vv_hdf5_keeps_tag);
    if (target->loss)
        report_lost_globals(&o);
    varve_status status = hdf5_out_publish(&o);
    vv_buffer_clear(&o.nodes);
    vv_buffer_clear(&o.name);
    vv_buffer_clear(&o.ways);
    vv_arena_clear(&o.paths);
    vv_map_clear(&o.groups);
    return status;
}

static varve_status hdf5_out_write_target(
    const struct vv_target *target, varve_error *error)
{
    struct vv_keras_again again;
    varve_status status = vv_keras_again_init(&again, target, error);
    if (!status)
        status = hdf5_out_write_kept(&again.target, error);
    vv_keras_again_clear(&again);
    return status;
}

const struct vv_target_format vv_hdf5_target = { .format = VARVE_FORMAT_HDF5,
    .write = hdf5_out_write_target };
