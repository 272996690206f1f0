/* torch_key.c - Names dict keys by their type, and resolves conflicts between
 * names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "name.h"

/* A name that a node has, and its key. */
struct taken {
    uint32_t node;
    uint32_t key;
    const struct vv_torch_name *name;
};

bool vv_torch_keys_init(struct vv_torch_keys *k, const struct vv_pickle *p,
    struct vv_arena *kept, const varve_allocator *a)
{
    *k = (struct vv_torch_keys){ .p = p, .kept = kept };
    vv_arena_init(&k->arena, a);
    vv_map_init(&k->names, a);
    vv_map_init(&k->taken, a);
    vv_buffer_init(&k->text, a);
    k->of_items =
        vv_allocate_zeroed(a, vv_pickle_count(p) * sizeof *k->of_items);
    return k->of_items != NULL;
}

void vv_torch_keys_clear(struct vv_torch_keys *k)
{
    vv_release(k->text.allocator, k->of_items,
        vv_pickle_count(k->p) * sizeof *k->of_items);
    vv_arena_clear(&k->arena);
    vv_map_clear(&k->names);
    vv_map_clear(&k->taken);
    vv_buffer_clear(&k->text);
}

/* --- Names ---------------------------------------------------------------- */

static bool torch_key_is_called(const void *item, const void *key)
{
    const struct vv_torch_name *a = item, *b = key;
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Returns the name with these bytes. The bytes of a new name are copied unless
 * they stay. */
static const struct vv_torch_name *torch_key_name_of(
    struct vv_torch_keys *k, const char *bytes, uint32_t size, bool they_stay)
{
    struct vv_torch_name key = { bytes, size };
    uint64_t hash = vv_hash_of(bytes, size);
    struct vv_torch_name *name =
        vv_map_find(&k->names, hash, torch_key_is_called, &key);
    if (name)
        return name;
    name = vv_arena_take(&k->arena, sizeof *name);
    if (!they_stay)
        key.bytes = vv_arena_text(k->kept, bytes, size);
    if (!name || !key.bytes || !vv_map_add(&k->names, hash, name))
        return NULL;
    *name = key;
    return name;
}

static const struct vv_torch_name *name_of_text(struct vv_torch_keys *k)
{
    return k->text.failed ? NULL
                          : torch_key_name_of(k, (const char *)k->text.data,
                                (uint32_t)k->text.size, false);
}

const struct vv_torch_name *vv_torch_position(
    struct vv_torch_keys *k, uint64_t position)
{
    k->text.size = 0;
    vv_buffer_add_decimal(&k->text, position);
    return name_of_text(k);
}

const struct vv_torch_name *vv_torch_text(
    struct vv_torch_keys *k, const char *text)
{
    return torch_key_name_of(k, text, (uint32_t)strlen(text), false);
}

const struct vv_torch_name *vv_torch_name_of(
    struct vv_torch_keys *k, const char *bytes, uint32_t size)
{
    return torch_key_name_of(k, bytes, size, true);
}

/* Returns the name <N>. */
static const struct vv_torch_name *substitute(
    struct vv_torch_keys *k, uint64_t position)
{
    k->text.size = 0;
    vv_buffer_add8(&k->text, '<');
    vv_buffer_add_decimal(&k->text, position);
    vv_buffer_add8(&k->text, '>');
    return name_of_text(k);
}

/* --- Keys ----------------------------------------------------------------- */

/* Adds the shortest decimal that converts back to the same number. */
static void torch_key_add_real(double real, struct vv_buffer *text)
{
    char digits[40];
    double back = 0;
    for (int count = 15; count <= 17; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, real);
        back = strtod(digits, NULL);
        if (memcmp(&back, &real, sizeof back) == 0)
            break;
    }
    vv_buffer_add_string(text, vv_set_point(digits));
    if (!strpbrk(digits, ".en"))
        vv_buffer_add_string(text, ".0");
}

static void add_integer(int64_t value, struct vv_buffer *text)
{
    if (value < 0)
        vv_buffer_add8(text, '-');
    vv_buffer_add_decimal(
        text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Sets `text` to a key as Python prints it, or to nothing for most types. */
static void print(const struct vv_pickle_item *item, struct vv_buffer *text)
{
    text->size = 0;
    if (item->kind == VV_PICKLE_NONE)
        vv_buffer_add_string(text, "None");
    if (item->kind == VV_PICKLE_BOOL)
        vv_buffer_add_string(text, vv_pickle_integer(item) ? "True" : "False");
    if (item->kind == VV_PICKLE_INTEGER)
        add_integer(vv_pickle_integer(item), text);
    if (item->kind == VV_PICKLE_REAL)
        torch_key_add_real(vv_pickle_real(item), text);
}

static const struct vv_torch_name *name_of_item(struct vv_torch_keys *k,
    const struct vv_pickle_item *item, uint64_t position)
{
    if (item->kind != VV_PICKLE_TEXT) {
        print(item, &k->text);
        return k->text.size > 0 || k->text.failed ? name_of_text(k)
                                                  : substitute(k, position);
    }
    const char *bytes = vv_pickle_bytes(k->p, item);
    return vv_name_is_valid(bytes, item->b)
               ? torch_key_name_of(k, bytes, item->b, true)
               : substitute(k, position);
}

/* The name of a text key is looked up once. A substitute depends on the
 * position and is not cached. */
const struct vv_torch_name *vv_torch_key(
    struct vv_torch_keys *k, uint32_t key, uint64_t position)
{
    const struct vv_pickle_item *item = vv_pickle_item(k->p, key);
    if (k->of_items[key])
        return k->of_items[key];
    const struct vv_torch_name *name = name_of_item(k, item, position);
    if (name && item->kind == VV_PICKLE_TEXT && name->size == item->b)
        k->of_items[key] = name;
    return name;
}

void vv_torch_look_at_key(const struct vv_pickle *p, uint32_t key,
    const struct vv_torch_name *name, bool *has_integers, bool *has_others)
{
    bool is_integer = vv_pickle_item(p, key)->kind == VV_PICKLE_INTEGER;
    size_t sign = name->size > 0 && name->bytes[0] == '-';
    uint64_t number;
    *has_integers |= is_integer;
    *has_others |= !is_integer && vv_parse_decimal(name->bytes + sign,
                                      name->size - sign, &number);
}

/* --- Names of one node ---------------------------------------------------- */

static uint64_t torch_key_hash_of(const struct taken *t)
{
    return vv_map_mix((uint64_t)(uintptr_t)t->name + t->node);
}

static bool torch_key_is_taken(const void *item, const void *key)
{
    const struct taken *a = item, *b = key;
    return a->node == b->node && a->name == b->name;
}

/* Returns true if Python considers two keys with the same name equal. */
static bool torch_key_is_same(const struct vv_pickle *p, uint32_t a, uint32_t b)
{
    const struct vv_pickle_item *x = vv_pickle_item(p, a);
    const struct vv_pickle_item *y = vv_pickle_item(p, b);
    return a == b || x->kind == y->kind;
}

bool vv_torch_take_key(struct vv_torch_keys *k, uint32_t node, uint32_t key,
    uint64_t position, const struct vv_torch_name **name)
{
    struct taken t = { .node = node, .key = key };
    t.name = vv_torch_key(k, key, position);
    *name = NULL;
    const struct taken *other =
        vv_map_find(&k->taken, torch_key_hash_of(&t), torch_key_is_taken, &t);
    if (other && torch_key_is_same(k->p, other->key, key))
        return true;
    if (other) {
        t.name = substitute(k, position);
        if (t.name && vv_map_find(&k->taken, torch_key_hash_of(&t),
                          torch_key_is_taken, &t))
            return true; /* the name <N> is taken too: this member is lost */
    }
    struct taken *mine = vv_arena_take(&k->arena, sizeof *mine);
    if (!t.name || !mine || !vv_map_add(&k->taken, torch_key_hash_of(&t), mine))
        return false;
    *mine = t;
    *name = t.name;
    return true;
}
