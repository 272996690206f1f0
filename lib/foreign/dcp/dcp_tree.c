/* dcp_tree.c - Finds nodes by their parent and key in a hash map.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dcp_tree.h"

#include <string.h>

#include "checksum.h"
#include "try.h"

struct vv_dcp_node {
    struct vv_dcp_node *parent;
    struct vv_dcp_node *first, *last,
        *next; /* the first and last child; the next sibling */
    uint32_t key;
    uint32_t item; /* of a value; of a dict once it was added */
    uint32_t count;
    bool is_value;
    bool is_list; /* the keys are 0, 1, 2, ... */
};

struct place {
    const struct vv_pickle *p;
    const struct vv_dcp_node *parent;
    uint32_t key;
};

static bool dcp_tree_is_same(const struct vv_pickle *p, uint32_t a, uint32_t b)
{
    const struct vv_pickle_item *x = vv_pickle_item(p, a);
    const struct vv_pickle_item *y = vv_pickle_item(p, b);
    if (x->kind != y->kind || x->b != y->b)
        return false;
    return x->kind == VV_PICKLE_TEXT
               ? memcmp(vv_pickle_bytes(p, x), vv_pickle_bytes(p, y), x->b) == 0
               : x->a == y->a;
}

static bool dcp_tree_is_there(const void *item, const void *wanted)
{
    const struct vv_dcp_node *node = item;
    const struct place *place = wanted;
    return node->parent == place->parent &&
           dcp_tree_is_same(place->p, node->key, place->key);
}

static uint64_t dcp_tree_hash_of(const struct place *place)
{
    const struct vv_pickle_item *key = vv_pickle_item(place->p, place->key);
    uint64_t hash = key->kind == VV_PICKLE_TEXT
                        ? vv_hash_of(vv_pickle_bytes(place->p, key), key->b)
                        : (uint64_t)key->b << 32 | key->a;
    return vv_map_mix(hash + (uint64_t)(uintptr_t)place->parent);
}

static struct vv_dcp_node *dcp_tree_add_node(struct vv_dcp_tree *t)
{
    struct vv_dcp_node *node = vv_arena_take(&t->arena, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct vv_dcp_node){ .is_list = true };
    vv_buffer_add(&t->nodes, &node, sizeof node);
    return t->nodes.failed ? NULL : node;
}

bool vv_dcp_tree_begin(struct vv_dcp_tree *t, struct vv_torch_merge *merge)
{
    const varve_allocator *a = merge->pickle.items.allocator;
    *t = (struct vv_dcp_tree){ .merge = merge };
    vv_arena_init(&t->arena, a);
    vv_map_init(&t->places, a);
    vv_buffer_init(&t->nodes, a);
    return dcp_tree_add_node(t) != NULL;
}

void vv_dcp_tree_clear(struct vv_dcp_tree *t)
{
    vv_arena_clear(&t->arena);
    vv_map_clear(&t->places);
    vv_buffer_clear(&t->nodes);
}

/* Returns the child of a node under a key, and creates it if there is none.
 * Returns NULL without memory. */
static struct vv_dcp_node *dcp_tree_step(
    struct vv_dcp_tree *t, struct vv_dcp_node *parent, uint32_t key)
{
    const struct vv_pickle *p = &t->merge->pickle;
    struct place place = { .p = p, .parent = parent, .key = key };
    uint64_t hash = dcp_tree_hash_of(&place);
    struct vv_dcp_node *node =
        vv_map_find(&t->places, hash, dcp_tree_is_there, &place);
    if (node)
        return node;
    node = dcp_tree_add_node(t);
    if (!node || !vv_map_add(&t->places, hash, node))
        return NULL;
    node->parent = parent;
    node->key = key;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    const struct vv_pickle_item *item = vv_pickle_item(p, key);
    parent->is_list &= item->kind == VV_PICKLE_INTEGER &&
                       vv_pickle_integer(item) == parent->count;
    parent->count++;
    return node;
}

bool vv_dcp_tree_add(struct vv_dcp_tree *t, const uint32_t *keys, size_t count,
    uint32_t item, bool *is_free)
{
    struct vv_dcp_node *node = *(struct vv_dcp_node **)(void *)t->nodes.data;
    *is_free = true;
    for (size_t i = 0; i < count; i++) {
        node = dcp_tree_step(t, node, keys[i]);
        if (!node)
            return false;
        *is_free = !node->is_value;
        if (!*is_free)
            return true;
    }
    *is_free = !node->first;
    if (*is_free) {
        node->is_value = true;
        node->item = item;
    }
    return true;
}

/* Adds the dict or list of a node. The items of its children exist already. */
static varve_status dcp_tree_add_dict(
    struct vv_dcp_tree *t, struct vv_dcp_node *node)
{
    bool is_list = node->is_list && node->count > 0;
    struct vv_pickle_item item = { .kind = is_list ? VV_PICKLE_LIST
                                                   : VV_PICKLE_DICT };
    VV_TRY(vv_torch_merge_item(t->merge, item, &node->item));
    for (struct vv_dcp_node *at = node->first; at; at = at->next) {
        if (!is_list)
            VV_TRY(vv_torch_merge_member(t->merge, node->item, at->key));
        VV_TRY(vv_torch_merge_member(t->merge, node->item, at->item));
    }
    return VARVE_OK;
}

varve_status vv_dcp_tree_end(struct vv_dcp_tree *t, uint32_t *root)
{
    struct vv_dcp_node **nodes = (struct vv_dcp_node **)(void *)t->nodes.data;
    for (size_t i = t->nodes.size / sizeof *nodes; i-- > 0;) {
        if (!nodes[i]->is_value)
            VV_TRY(dcp_tree_add_dict(t, nodes[i]));
    }
    *root = nodes[0]->item;
    return VARVE_OK;
}
