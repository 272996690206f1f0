/* flax_tree.c - Walks the tree with a stack of open maps and lists and the
 * numbers of their remaining members.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_tree.h"

#include <stdio.h>

#include "failure.h"
#include "flax_array.h"
#include "name.h"
#include "try.h"

/* Limit on items in a list. Flax writes lists as maps and arrays as bytes. A
 * hole in a sparse file looks like a list of zeros, which takes time but no
 * space. */
enum { MOST_IN_LIST = 1 << 26 };

/* An open map or list. */
struct level {
    uint64_t left;
    uint64_t position; /* position of the next member */
    uint32_t node;
    bool has_keys;
    size_t path; /* size of the path of its parent */
};

struct tree {
    struct vv_msgpack in;
    struct vv_draft *draft;
    struct vv_buffer levels;
    struct vv_buffer name; /* name of the current member */
    struct vv_buffer path; /* path of the open map or list, for error
                              messages */
};

static varve_status flax_tree_fail_memory(const struct tree *t)
{
    return vv_fail_memory(t->in.window.error, "a Flax tree");
}

/* --- Values --------------------------------------------------------------- */

/* Adds a node as a child with the current name. */
static uint32_t flax_tree_attach(
    struct tree *t, uint32_t parent, varve_kind kind)
{
    uint32_t node = vv_draft_node(t->draft, kind);
    vv_draft_edge(
        t->draft, parent, (const char *)t->name.data, t->name.size, node);
    return node;
}

/* Adds a value that is decoded from an item. */
static void flax_tree_add_made(struct tree *t, uint32_t parent,
    const struct vv_msgpack_item *item, const varve_tensor *type)
{
    struct vv_place place = { .file = VV_DECODED, .offset = item->begin };
    uint32_t node = flax_tree_attach(t, parent, VARVE_VARIABLE);
    vv_draft_value(t->draft, node, type,
        type->dtype == VARVE_STRING ? 8 + item->size : 0, &place);
}

static void flax_tree_add_scalar(struct tree *t, uint32_t parent,
    const struct vv_msgpack_item *item, varve_dtype dtype)
{
    varve_tensor type = { .dtype = dtype };
    flax_tree_add_made(t, parent, item, &type);
}

/* Adds an array whose bytes are at `place`. */
static void flax_tree_add_array(struct tree *t, uint32_t parent,
    const struct vv_flax_array *array, const struct vv_place *place)
{
    if (array->shape.dtype) {
        uint32_t node = flax_tree_attach(t, parent, VARVE_VARIABLE);
        vv_draft_value(t->draft, node, &array->shape, 0, place);
        return;
    }
    uint32_t node = flax_tree_attach(t, parent, VARVE_STATE);
    vv_draft_state(t->draft, node, array->size, place);
    vv_draft_tag(t->draft, node, array->tag);
}

/* Checks that an extension contains a list of two reals and nothing else. */
static varve_status check_complex(
    struct tree *t, const struct vv_msgpack_item *extension)
{
    struct vv_msgpack in = t->in;
    struct vv_msgpack_item list, part = { .kind = VV_MSGPACK_REAL };
    in.at = extension->at;
    in.end = extension->at + extension->size;
    VV_TRY(vv_msgpack_next(&in, "a complex number", &list));
    bool fits = list.kind == VV_MSGPACK_LIST && list.bits == 2;
    for (int i = 0; i < 2 && fits; i++) {
        VV_TRY(vv_msgpack_next(&in, "a complex number", &part));
        fits = part.kind == VV_MSGPACK_REAL || part.kind == VV_MSGPACK_FLOAT;
    }
    return fits && in.at == in.end
               ? VARVE_OK
               : vv_msgpack_fail(&t->in, VARVE_CORRUPT, extension->begin,
                     "a complex number of two reals", "other items");
}

static varve_status add_extension(
    struct tree *t, uint32_t parent, const struct vv_msgpack_item *item)
{
    struct vv_flax_array array = { .size = item->size };
    struct vv_place place = { .offset = item->at };
    if (item->type == VV_FLAX_COMPLEX) {
        VV_TRY(check_complex(t, item));
        flax_tree_add_scalar(t, parent, item, VARVE_COMPLEX128);
        return VARVE_OK;
    }
    if (item->type == VV_FLAX_ARRAY || item->type == VV_FLAX_SCALAR) {
        VV_TRY(vv_flax_array_read(&t->in, item, &array));
        place.offset = array.at;
    } else {
        snprintf(array.tag, sizeof array.tag, "msgpack:%d", item->type);
    }
    if (array.size == 0)
        place.offset = 0; /* without data, the offset may be at the end */
    flax_tree_add_array(t, parent, &array, &place);
    return VARVE_OK;
}

/* --- Members -------------------------------------------------------------- */

static void flax_tree_add_to_path(struct tree *t)
{
    if (t->path.size > 0 && t->name.size > 0)
        vv_buffer_add8(&t->path, '/');
    if (t->name.size > 0)
        vv_buffer_add(&t->path, t->name.data, t->name.size);
}

static varve_status flax_tree_push(
    struct tree *t, uint32_t node, const struct vv_msgpack_item *item)
{
    struct level level = { .left = item->bits,
        .node = node,
        .has_keys = item->kind == VV_MSGPACK_MAP,
        .path = t->path.size };
    if (t->levels.size > 0)
        flax_tree_add_to_path(t);
    vv_buffer_add(&t->levels, &level, sizeof level);
    return t->levels.failed || t->path.failed ? flax_tree_fail_memory(t)
                                              : VARVE_OK;
}

static varve_status flax_tree_add_list(struct tree *t, uint32_t parent,
    bool is_root, const struct vv_msgpack_item *item)
{
    varve_tensor type = { .rank = 1, .shape = { item->bits } };
    if (item->bits > MOST_IN_LIST)
        return vv_msgpack_fail(&t->in, VARVE_LIMIT, item->begin,
            "a list of at most 67108864 items", "a longer one");
    VV_TRY(vv_flax_vector(&t->in, item, &type.dtype));
    if (!type.dtype)
        return flax_tree_push(
            t, is_root ? 0 : flax_tree_attach(t, parent, VARVE_OBJECT), item);
    flax_tree_add_made(t, parent, item, &type);
    return VARVE_OK;
}

static varve_status add_map(struct tree *t, uint32_t parent, bool is_root,
    const struct vv_msgpack_item *item)
{
    struct vv_flax_chunks chunks;
    struct vv_place place = { .file = VV_DECODED, .offset = item->begin };
    bool are_next;
    VV_TRY(vv_flax_chunks_are_next(&t->in, item, &are_next));
    if (!are_next)
        return flax_tree_push(
            t, is_root ? 0 : flax_tree_attach(t, parent, VARVE_OBJECT), item);
    VV_TRY(vv_flax_chunks_read(&t->in, item, &chunks));
    flax_tree_add_array(t, parent, &chunks.array, &place);
    return VARVE_OK;
}

/* Reads the next item and adds it to `parent`. If `is_root`, a map or list
 * becomes the root itself. */
static varve_status flax_tree_add_member(
    struct tree *t, uint32_t parent, bool is_root)
{
    struct vv_msgpack_item item;
    VV_TRY(vv_msgpack_next(&t->in, "a value", &item));
    switch (item.kind) {
    case VV_MSGPACK_NOTHING:
    case VV_MSGPACK_NIL: break;
    case VV_MSGPACK_BOOL:
        flax_tree_add_scalar(t, parent, &item, VARVE_BOOL);
        break;
    case VV_MSGPACK_INTEGER:
        flax_tree_add_scalar(t, parent, &item, VARVE_INT64);
        break;
    case VV_MSGPACK_UNSIGNED:
        flax_tree_add_scalar(t, parent, &item, VARVE_UINT64);
        break;
    case VV_MSGPACK_FLOAT:
    case VV_MSGPACK_REAL:
        flax_tree_add_scalar(t, parent, &item, VARVE_FLOAT64);
        break;
    case VV_MSGPACK_TEXT:
    case VV_MSGPACK_BYTES:
        flax_tree_add_scalar(t, parent, &item, VARVE_STRING);
        break;
    case VV_MSGPACK_LIST: return flax_tree_add_list(t, parent, is_root, &item);
    case VV_MSGPACK_MAP: return add_map(t, parent, is_root, &item);
    case VV_MSGPACK_EXTENSION: return add_extension(t, parent, &item);
    }
    return VARVE_OK;
}

/* --- Names ---------------------------------------------------------------- */

/* Sets the name from a key: a text, an integer as Python prints it, or
 * otherwise the position. */
static varve_status flax_tree_take_key(struct tree *t, uint64_t position)
{
    struct vv_msgpack_item key;
    VV_TRY(vv_msgpack_next(&t->in, "a key", &key));
    bool is_text = key.kind == VV_MSGPACK_TEXT || key.kind == VV_MSGPACK_BYTES;
    if (key.kind == VV_MSGPACK_LIST || key.kind == VV_MSGPACK_MAP)
        return vv_msgpack_fail(&t->in, VARVE_CORRUPT, key.begin, "a key",
            vv_msgpack_word(key.kind));
    if (is_text && key.size <= VARVE_MAX_NAME_SIZE)
        VV_TRY(vv_msgpack_take(&t->in, &key, &t->name));
    if (is_text && vv_name_is_valid((const char *)t->name.data, t->name.size))
        return VARVE_OK;
    t->name.size = 0;
    if (key.kind == VV_MSGPACK_INTEGER) {
        bool is_negative = key.bits > INT64_MAX;
        if (is_negative)
            vv_buffer_add8(&t->name, '-');
        vv_buffer_add_decimal(&t->name, is_negative ? 0 - key.bits : key.bits);
        return VARVE_OK;
    }
    vv_buffer_add8(&t->name, '<');
    vv_buffer_add_decimal(&t->name, position);
    vv_buffer_add8(&t->name, '>');
    return VARVE_OK;
}

static varve_status flax_tree_take_name(
    struct tree *t, const struct level *level)
{
    t->name.size = 0;
    if (level->has_keys)
        VV_TRY(flax_tree_take_key(t, level->position));
    else
        vv_buffer_add_decimal(&t->name, level->position);
    return t->name.failed ? flax_tree_fail_memory(t) : VARVE_OK;
}

/* --- Entry points --------------------------------------------------------- */

/* Adds the path of the current member to the error message. */
static varve_status flax_tree_name_failure(struct tree *t, varve_status status)
{
    flax_tree_add_to_path(t);
    if (status != VARVE_NO_MEMORY && !t->path.failed && t->path.size > 0)
        vv_fail_of(t->in.window.error, t->in.window.foreign->files[0].path,
            "value", (const char *)t->path.data, t->path.size);
    return status;
}

static varve_status flax_tree_take_members(struct tree *t)
{
    while (t->levels.size > 0 && !t->draft->failed) {
        struct level *top =
            (struct level *)(void *)(t->levels.data + t->levels.size) - 1;
        if (top->left == 0) {
            t->path.size = top->path;
            t->levels.size -= sizeof *top;
            continue;
        }
        varve_status status = flax_tree_take_name(t, top);
        top->left--;
        top->position++;
        if (!status)
            status =
                /* `top` is invalid after this */
                flax_tree_add_member(t, top->node, false);
        if (status)
            return flax_tree_name_failure(t, status);
    }
    return VARVE_OK;
}

static varve_status flax_tree_take_all(struct tree *t)
{
    vv_buffer_add_string(&t->name, "value");
    if (t->name.failed)
        return flax_tree_fail_memory(t);
    VV_TRY(flax_tree_add_member(t, 0, true));
    VV_TRY(flax_tree_take_members(t));
    if (t->draft->failed || t->in.at == t->in.end)
        return VARVE_OK;
    return vv_msgpack_fail(&t->in, VARVE_CORRUPT, t->in.at,
        "the end of the file after its only item", "more");
}

varve_status vv_flax_tree_add(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct tree t = { .in = { .window = { .foreign = foreign, .error = error },
                          .end = foreign->files[0].size },
        .draft = draft };
    vv_buffer_init(&t.levels, a);
    vv_buffer_init(&t.name, a);
    vv_buffer_init(&t.path, a);
    varve_status status = flax_tree_take_all(&t);
    vv_buffer_clear(&t.levels);
    vv_buffer_clear(&t.name);
    vv_buffer_clear(&t.path);
    return status;
}
