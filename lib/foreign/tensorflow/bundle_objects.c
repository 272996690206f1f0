/* bundle_objects.c - Encodes objects, children, attributes and slots in
 * protobuf.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_objects.h"

#include <inttypes.h>
#include <string.h>

#include "bundle.h"
#include "failure.h"
#include "try.h"
#include "wire.h"

/* --- Keys ----------------------------------------------------------------- */

/* The rest of a key. */
struct rest {
    const struct vv_index *index;
    const char *at;
    const char *end;
    struct vv_buffer *name; /* the last name that was parsed */
};

static bool bundle_key_begins_with(const struct rest *r, const char *mark)
{
    size_t size = strlen(mark);
    return (size_t)(r->end - r->at) >= size && memcmp(r->at, mark, size) == 0;
}

/* Parses a name and the '/' after it. Returns false if an escape is invalid. */
static bool bundle_key_take_name(struct rest *r)
{
    r->name->size = 0;
    for (; r->at < r->end && *r->at != '/'; r->at++) {
        char c = *r->at;
        if (c == '.') {
            if (++r->at == r->end || (*r->at != '.' && *r->at != 'S'))
                return false;
            c = *r->at == 'S' ? '/' : '.';
        }
        vv_buffer_add8(r->name, (uint8_t)c);
    }
    r->at += r->at < r->end;
    return !r->name->failed;
}

static uint32_t name_number(const struct rest *r)
{
    return r->name->size ? vv_index_find_name(r->index,
                               (const char *)r->name->data, r->name->size)
                         : VV_NONE;
}

/* Returns the node to which the names up to the next mark lead from the root.
 */
static uint32_t bundle_key_follow(struct rest *r, const char *mark)
{
    uint32_t node = 0;
    if (r->at < r->end && *r->at == '/')
        r->at++; /* the path is empty */
    while (
        node != VV_NONE && r->at < r->end && !bundle_key_begins_with(r, mark)) {
        uint32_t name = bundle_key_take_name(r) ? name_number(r) : VV_NONE;
        node = name == VV_NONE ? VV_NONE
                               : vv_index_find_child(r->index, node, name);
    }
    return node;
}

/* Returns the beginning of the last name before the last mark, which is the
 * name of a slot. */
static const char *last_name(const struct rest *r)
{
    static const char mark[] = "/" VV_BUNDLE_ATTRIBUTES "/";
    const char *at = r->end;
    while (at > r->at && ((size_t)(r->end - at) < sizeof mark - 1 ||
                             memcmp(at, mark, sizeof mark - 1) != 0))
        at--;
    while (at > r->at && at[-1] != '/')
        at--;
    return at;
}

static uint32_t bundle_key_follow_slot(struct rest *r, uint32_t variable)
{
    const char *name = last_name(r);
    struct rest path = { r->index, r->at, name, r->name };
    uint32_t owner = bundle_key_follow(&path, VV_BUNDLE_ATTRIBUTES "/");
    r->at = name;
    uint32_t number = bundle_key_take_name(r) ? name_number(r) : VV_NONE;
    return owner == VV_NONE || number == VV_NONE
               ? VV_NONE
               : vv_index_find_slot(r->index, owner, variable, number);
}

/* Follows the key up to the mark of attributes, through a slot if there is one.
 */
static uint32_t bundle_key_follow_all(struct rest *r)
{
    static const char slot[] = VV_BUNDLE_SLOT "/";
    struct rest other = *r;
    uint32_t node = bundle_key_follow(r, VV_BUNDLE_ATTRIBUTES "/");
    if (node != VV_NONE && bundle_key_begins_with(r, VV_BUNDLE_ATTRIBUTES "/"))
        return node;
    *r = other;
    node = bundle_key_follow(r, slot);
    if (node == VV_NONE || !bundle_key_begins_with(r, slot))
        return VV_NONE;
    r->at += sizeof slot - 1;
    return bundle_key_follow_slot(r, node);
}

bool vv_bundle_key_leads(const struct vv_index *index, const char *key,
    size_t size, uint32_t node, struct vv_buffer *scratch)
{
    if (size == 0)
        return false;
    struct rest rest = { index, key, key + size, scratch };
    return bundle_key_follow_all(&rest) == node &&
           bundle_key_begins_with(&rest, VV_BUNDLE_ATTRIBUTES "/");
}

/* --- Objects -------------------------------------------------------------- */

varve_status vv_bundle_objects_begin(struct vv_bundle_objects *o,
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    *o = (struct vv_bundle_objects){ .target = target };
    vv_buffer_init(&o->ways, a);
    vv_buffer_init(&o->name, a);
    vv_buffer_init(&o->key, a);
    return vv_bundle_roles_begin(&o->roles, target, error);
}

void vv_bundle_objects_end(struct vv_bundle_objects *o)
{
    vv_bundle_roles_end(&o->roles);
    vv_buffer_clear(&o->ways);
    vv_buffer_clear(&o->name);
    vv_buffer_clear(&o->key);
}

/* --- Names --------------------------------------------------------------- */

/* Doubles every '.', because a single one begins a reserved name or an escape,
 * and escapes '/', which separates names. */
static void add_escaped(const char *text, size_t size, struct vv_buffer *to)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '/')
            vv_buffer_add_string(to, ".S");
        else if (text[i] == '.')
            vv_buffer_add_string(to, "..");
        else
            vv_buffer_add8(to, (uint8_t)text[i]);
    }
}

static void bundle_objects_add_name(
    const struct vv_index *index, uint32_t name, struct vv_buffer *to)
{
    size_t size;
    const char *text = vv_index_name(index, name, &size);
    add_escaped(text, size, to);
}

/* Adds the path of a node that is reached by edges. */
static void bundle_objects_add_path(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *to)
{
    const struct vv_saved_paths *paths = o->target->paths;
    const struct vv_index *index = o->target->index;
    o->ways.size = 0;
    for (; node != paths->root; node = paths->parents[node])
        vv_buffer_add32(&o->ways, paths->ways[node]);
    to->failed |= o->ways.failed;
    if (to->failed)
        return;
    for (size_t i = o->ways.size / 4; i-- > 0;) {
        uint32_t edge = vv_load32(o->ways.data + 4 * i);
        bundle_objects_add_name(index, vv_at32(index->edge_names, edge), to);
        if (i)
            vv_buffer_add8(to, '/');
    }
}

static void add_slot_path(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *to)
{
    const struct vv_saved_paths *paths = o->target->paths;
    const struct vv_index *index = o->target->index;
    uint32_t slot = paths->ways[node] & ~VV_WAY_IS_SLOT;
    bundle_objects_add_path(o, vv_at32(index->slot_variables, slot), to);
    vv_buffer_add_string(to, "/" VV_BUNDLE_SLOT "/");
    bundle_objects_add_path(o, paths->parents[node], to);
    vv_buffer_add8(to, '/');
    bundle_objects_add_name(index, vv_at32(index->slot_names, slot), to);
}

static const char *attribute_of(const struct vv_index *index, uint32_t node)
{
    return vv_index_kind(index, node) == VARVE_STATE ? VV_BUNDLE_STATE
                                                     : VV_BUNDLE_VARIABLE;
}

/* Returns the object of which a node is an attribute, or the node itself if it
 * is an object. */
static uint32_t holder_of(const struct vv_bundle_objects *o, uint32_t node)
{
    return vv_bundle_is_object(&o->roles, node)
               ? node
               : o->target->paths->parents[node];
}

/* Makes a key from the path of a node. */
static void make_key(struct vv_bundle_objects *o, uint32_t node,
    const struct vv_bundle_kept *kept, struct vv_buffer *key)
{
    const struct vv_saved_paths *paths = o->target->paths;
    const char *name = attribute_of(o->target->index, node);
    uint32_t holder = holder_of(o, node);
    key->size = 0;
    if (holder != paths->root && paths->ways[holder] & VV_WAY_IS_SLOT)
        add_slot_path(o, holder, key);
    else
        bundle_objects_add_path(o, holder, key);
    vv_buffer_add_string(key, "/" VV_BUNDLE_ATTRIBUTES "/");
    if (kept->name_size)
        add_escaped(kept->name, kept->name_size, key);
    else
        vv_buffer_add_string(key, name);
}

/* Sets `key` to the key of the attribute that contains a node: the key in the
 * original file if it still leads to the node, otherwise one made from the
 * path. */
static void find_key(struct vv_bundle_objects *o, uint32_t node,
    const struct vv_bundle_kept *kept, struct vv_buffer *key)
{
    if (!vv_bundle_key_leads(o->target->index, kept->key, kept->key_size,
            holder_of(o, node), &o->name)) {
        make_key(o, node, kept, key);
    } else {
        key->size = 0;
        vv_buffer_add(key, kept->key, kept->key_size);
    }
}

void vv_bundle_objects_key(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *key)
{
    struct vv_bundle_kept kept;
    bool is_object = vv_bundle_is_object(&o->roles, node);
    vv_bundle_kept_of(o->target, node, &kept);
    if (is_object && kept.role != VV_ROLE_OBJECT)
        kept = (struct vv_bundle_kept){ .role = VV_ROLE_OBJECT };
    if (kept.role != VV_ROLE_ENTRY)
        find_key(o, node, &kept, key);
    else
        key->size = 0;
    if (kept.role == VV_ROLE_ENTRY)
        vv_buffer_add(key, kept.entry, kept.entry_size);
    else if (kept.role == VV_ROLE_MEMBER)
        vv_buffer_add(
            key, kept.entry + kept.key_size, kept.entry_size - kept.key_size);
}

void vv_bundle_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name)
{
    vv_target_full_name(target, node, name);
}

/* --- Objects ------------------------------------------------------------- */

static void bundle_objects_add_child(
    struct vv_buffer *b, uint32_t number, const char *name, size_t size)
{
    size_t child = vv_wire_begin(b, VV_OBJECT_CHILD);
    vv_wire_number(b, VV_CHILD_NODE, number);
    vv_wire_bytes(b, VV_CHILD_NAME, name, size);
    vv_wire_end(b, child);
}

static void add_children(
    const struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *b)
{
    const struct vv_index *index = o->target->index;
    uint32_t begin, end;
    vv_index_edges(index, node, &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        size_t size;
        const char *name =
            vv_index_name(index, vv_at32(index->edge_names, e), &size);
        uint32_t child = vv_at32(index->edge_children, e);
        if (vv_bundle_is_object(&o->roles, child))
            bundle_objects_add_child(b, o->roles.numbers[child], name, size);
    }
    if (node == 0 && o->roles.counter != VV_NONE)
        bundle_objects_add_child(b, o->roles.counter_number, VV_BUNDLE_COUNTER,
            strlen(VV_BUNDLE_COUNTER));
}

/* Adds an attribute `name` with the full name and the key in the buffers. */
static void bundle_objects_add_attribute(
    struct vv_bundle_objects *o, const char *name, struct vv_buffer *b)
{
    b->failed |= o->name.failed || o->key.failed;
    size_t attribute = vv_wire_begin(b, VV_OBJECT_ATTRIBUTE);
    vv_wire_bytes(b, VV_ATTRIBUTE_NAME, name, strlen(name));
    vv_wire_bytes(b, VV_ATTRIBUTE_FULL_NAME, o->name.data, o->name.size);
    vv_wire_bytes(b, VV_ATTRIBUTE_KEY, o->key.data, o->key.size);
    vv_wire_end(b, attribute);
}

/* Sets the full name: the global name if there is one, or the path for a
 * variable that was not read from such a file; otherwise the full name in the
 * original file. */
static void find_full_name(struct vv_bundle_objects *o, uint32_t node,
    const struct vv_bundle_kept *kept)
{
    const struct vv_index *index = o->target->index;
    o->name.size = 0;
    if (vv_index_find_global(index, node) != VV_NONE ||
        (!kept->record_size && vv_index_kind(index, node) == VARVE_VARIABLE))
        vv_bundle_full_name(o->target, node, &o->name);
    else
        vv_buffer_add(&o->name, kept->full_name, kept->full_name_size);
}

/* Adds the value of an object. A variable that was declared without a value
 * stays declared. */
static void bundle_objects_add_value(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *b)
{
    const struct vv_index *index = o->target->index;
    struct vv_bundle_kept kept;
    bool has_value = vv_bundle_has_value(&o->roles, node);
    vv_bundle_kept_of(o->target, node, &kept);
    bool has_record = kept.role == VV_ROLE_OBJECT && kept.record_size;
    if (!has_value &&
        !(has_record && vv_index_has_tag(index, node, VV_BUNDLE_UNTYPED_TAG)))
        return;
    if (!has_record)
        kept = (struct vv_bundle_kept){ .role = VV_ROLE_OBJECT };
    vv_bundle_objects_key(o, node, &o->key);
    find_full_name(o, node, &kept);
    if (has_record)
        vv_bundle_kept_record(&kept, &o->name, &o->key, b);
    else
        bundle_objects_add_attribute(o, attribute_of(index, node), b);
}

/* Adds the attributes of an object that have nodes. An attribute of several
 * tensors is added with the first of them. */
static void add_attributes(
    struct vv_bundle_objects *o, uint32_t object, struct vv_buffer *b)
{
    const struct vv_index *index = o->target->index;
    uint32_t e, end, left = 0;
    vv_index_edges(index, object, &e, &end);
    for (; e < end; e++) {
        struct vv_bundle_kept kept;
        uint32_t node = vv_at32(index->edge_children, e);
        enum vv_bundle_role role = o->roles.roles[node];
        left -= left > 0;
        if ((role != VV_ROLE_ATTRIBUTE && role != VV_ROLE_MEMBER) || left)
            continue;
        vv_bundle_kept_of(o->target, node, &kept);
        left = kept.members;
        find_key(o, node, &kept, &o->key);
        if (role == VV_ROLE_ATTRIBUTE)
            find_full_name(o, node, &kept);
        else {
            o->name.size = 0;
            vv_buffer_add(&o->name, kept.full_name, kept.full_name_size);
        }
        vv_bundle_kept_record(&kept, &o->name, &o->key, b);
    }
}

static void bundle_objects_add_slots(
    const struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *b)
{
    const struct vv_index *index = o->target->index;
    uint32_t begin, end;
    vv_index_slots(index, node, &begin, &end);
    for (uint32_t s = begin; s < end; s++) {
        size_t size;
        if (!vv_bundle_slot_is_kept(&o->roles, s))
            continue;
        const char *name =
            vv_index_name(index, vv_at32(index->slot_names, s), &size);
        size_t slot = vv_wire_begin(b, VV_OBJECT_SLOT);
        vv_wire_number(b, VV_SLOT_VARIABLE,
            o->roles.numbers[vv_at32(index->slot_variables, s)]);
        vv_wire_bytes(b, VV_SLOT_NAME, name, size);
        vv_wire_number(
            b, VV_SLOT_NODE, o->roles.numbers[vv_at32(index->slot_nodes, s)]);
        vv_wire_end(b, slot);
    }
}

static void add_has_values(struct vv_buffer *b, bool has)
{
    size_t flag = vv_wire_begin(b, VV_OBJECT_HAS_VALUES);
    vv_wire_number(b, VV_BOOL_VALUE, has);
    vv_wire_end(b, flag);
}

static void bundle_objects_add_object(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *b)
{
    struct vv_bundle_kept kept;
    size_t object = vv_wire_begin(b, VV_OBJECTS_NODE);
    add_children(o, node, b);
    bundle_objects_add_value(o, node, b);
    add_attributes(o, node, b);
    bundle_objects_add_slots(o, node, b);
    if (vv_bundle_kept_of(o->target, node, &kept))
        vv_buffer_add(b, kept.rest, kept.rest_size);
    add_has_values(b, o->roles.has_values[node]);
    vv_wire_end(b, object);
}

static void bundle_objects_add_counter(
    struct vv_bundle_objects *o, struct vv_buffer *b)
{
    size_t object = vv_wire_begin(b, VV_OBJECTS_NODE);
    o->name.size = 0;
    o->key.size = 0;
    vv_buffer_add_string(&o->name, VV_BUNDLE_COUNTER);
    vv_buffer_add_string(&o->key, VV_BUNDLE_COUNTER_KEY);
    bundle_objects_add_attribute(o, VV_BUNDLE_VARIABLE, b);
    add_has_values(b, true);
    vv_wire_end(b, object);
}

/* Returns the total size of the names of all edges. Edges can share a long
 * name, but each one is written with its name. */
static uint64_t size_of_names(const struct vv_index *index)
{
    uint64_t sum = 0;
    for (uint32_t edge = 0; edge < index->edge_count; edge++) {
        size_t size;
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
        sum += size;
    }
    return sum;
}

static varve_status fail_too_large(
    const struct vv_bundle_objects *o, uint64_t size, varve_error *error)
{
    return vv_fail(error, VARVE_LIMIT,
        "%.300s: the object graph of %" PRIu64
        " bytes exceeds the 2 GiB limit of protobuf",
        o->target->path, size);
}

varve_status vv_bundle_objects_encode(
    struct vv_bundle_objects *o, struct vv_buffer *bytes, varve_error *error)
{
    uint32_t count = o->target->index->node_count;
    size_t begin = bytes->size;
    uint64_t names = size_of_names(o->target->index);
    if (names > INT32_MAX)
        return fail_too_large(o, names, error);
    for (uint32_t node = 0; node < count && !bytes->failed; node++) {
        if (node == o->roles.counter)
            bundle_objects_add_counter(o, bytes);
        if (vv_bundle_is_object(&o->roles, node))
            bundle_objects_add_object(o, node, bytes);
    }
    if (count == o->roles.counter)
        bundle_objects_add_counter(o, bytes);
    if (bytes->failed)
        return vv_fail_memory(error, "the objects of a checkpoint");
    if (bytes->size - begin > INT32_MAX)
        return fail_too_large(o, bytes->size - begin, error);
    return VARVE_OK;
}
