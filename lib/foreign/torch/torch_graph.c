/* torch_graph.c - Makes nodes of containers, scalars, tensors and calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_graph.h"

#include <string.h>

#include "allocator.h"
#include "draft_parts.h"
#include "failure.h"
#include "name.h"
#include "torch_pieces.h"
#include "torch_python.h"
#include "try.h"

enum {
    LONGEST_TAG = 255,
    LONGEST_COPIED = 64, /* a longer text is one node wherever it occurs */
    MOST_COPIED = 8,     /* likewise for a tuple of more numbers */
};

static varve_status torch_graph_fail_memory(const struct vv_torch_graph *g)
{
    return vv_fail_memory(g->error, "objects");
}

/* --- Format extras -------------------------------------------------------- */

static varve_status torch_graph_keep(struct vv_torch_graph *g, uint32_t node)
{
    if (g->kept.failed)
        return torch_graph_fail_memory(g);
    vv_draft_keep(g->draft, node, g->kept.data, g->kept.size);
    return VARVE_OK;
}

static varve_status keep_kind(
    struct vv_torch_graph *g, uint32_t node, enum vv_torch_was was)
{
    vv_torch_kept_begin(&g->kept, was);
    return torch_graph_keep(g, node);
}

/* --- Paths ---------------------------------------------------------------- */

/* Adds the path of the node that is being added, from its end to the root. */
static void torch_graph_add_path(void *user, struct vv_buffer *text)
{
    const struct vv_torch_graph *g = user;
    const struct vv_torch_name *name = g->name;
    vv_buffer_add_string(text, g->file->zip.foreign->files[0].path);
    vv_buffer_add_string(text, ": ");
    size_t begin = text->size;
    for (uint32_t node = g->parent; name;
         name = vv_torch_place_of(g, node)->name,
                  node = vv_torch_place_of(g, node)->parent) {
        size_t at = text->size;
        if (at > begin)
            vv_buffer_add8(text, '/');
        at = text->size;
        vv_path_add_name(text, name->bytes, name->size);
        vv_buffer_reverse(text, at);
    }
    vv_buffer_reverse(text, begin);
}

/* --- Opaque leaves -------------------------------------------------------- */

static void add_global(struct vv_buffer *tag, const struct vv_pickle *p,
    const struct vv_pickle_item *global)
{
    const struct vv_pickle_item *module = vv_pickle_item(p, global->a);
    const struct vv_pickle_item *name = vv_pickle_item(p, global->b);
    if (module->b + (uint64_t)name->b > LONGEST_TAG)
        return;
    vv_buffer_add(tag, vv_pickle_bytes(p, module), module->b);
    vv_buffer_add8(tag, '.');
    vv_buffer_add(tag, vv_pickle_bytes(p, name), name->b);
}

/* Adds the tag pickle:MODULE.NAME. */
static varve_status torch_graph_add_tag(
    struct vv_torch_graph *g, uint32_t node, uint32_t number)
{
    const struct vv_pickle_item *item = vv_pickle_item(g->p, number);
    if (item->kind == VV_PICKLE_OUTSIDE) /* ('module', class, file, source) */
        item = vv_pickle_item(g->p, vv_pickle_nth(g->p, item->a, 1));
    struct vv_buffer *tag = &g->keys.text;
    tag->size = 0;
    vv_buffer_add_string(tag, "pickle:");
    size_t begin = tag->size;
    if (item->kind == VV_PICKLE_GLOBAL)
        add_global(tag, g->p, item);
    if (item->kind == VV_PICKLE_EXTENSION) {
        vv_buffer_add_string(tag, "extension ");
        vv_buffer_add_decimal(tag, item->a);
    }
    if (tag->size == begin)
        vv_buffer_add8(tag, '?');
    const char *text = vv_buffer_string(tag);
    if (tag->failed)
        return torch_graph_fail_memory(g);
    vv_draft_tag(g->draft, node, text);
    return VARVE_OK;
}

static varve_status add_opaque(
    struct vv_torch_graph *g, uint32_t what, uint32_t *node)
{
    *node = vv_draft_node(g->draft, VARVE_OBJECT);
    return torch_graph_add_tag(g, *node, what);
}

/* --- An item and its node ------------------------------------------------- */

/* Adds a list of numbers as a vector, and any other container as an object
 * whose members are added later. */
static varve_status add_container(
    struct vv_torch_graph *g, uint32_t item, uint32_t *node, bool *has_members)
{
    if (vv_torch_is_vector(g->p, item)) {
        VV_TRY(vv_torch_add_vector(&g->values, item, node));
        return keep_kind(g, *node, vv_torch_was(g->p, item));
    }
    *has_members = true;
    *node = vv_draft_node(g->draft, VARVE_OBJECT);
    return VARVE_OK;
}

static varve_status fail_tensor(
    struct vv_torch_graph *g, const struct vv_torch_tensor *t)
{
    struct vv_buffer where;
    vv_buffer_init(&where, g->ways.allocator);
    torch_graph_add_path(g, &where);
    varve_status status = vv_fail(g->error, VARVE_CORRUPT,
        "%s: the tensor has no %s", vv_buffer_string(&where), t->expected);
    vv_buffer_clear(&where);
    return status;
}

static varve_status torch_graph_add_scalar(
    struct vv_torch_graph *g, uint32_t item, uint32_t *node)
{
    VV_TRY(vv_torch_add_scalar(&g->values, item, node));
    return vv_pickle_item(g->p, item)->kind == VV_PICKLE_TEXT
               ? VARVE_OK
               : keep_kind(g, *node, vv_torch_was(g->p, item));
}

static varve_status add_call(
    struct vv_torch_graph *g, uint32_t item, uint32_t *node, bool *has_members)
{
    struct vv_torch_tensor t;
    bool is_one = false;
    uint32_t function = vv_pickle_item(g->p, item)->a;
    enum vv_torch_kind kind = vv_torch_tensor(g->p, item, &t);
    g->is_parameter = t.is_parameter;
    if (kind == VV_TORCH_BROKEN)
        return fail_tensor(g, &t);
    if (kind == VV_TORCH_TENSOR)
        VV_TRY(vv_torch_add_tensor(&g->values, &t, node, &is_one));
    if (is_one)
        return VARVE_OK;
    if (kind != VV_TORCH_OTHER)
        return add_opaque(g, kind == VV_TORCH_ALIEN ? t.name : function, node);
    if (vv_torch_makes_container(g->p, function))
        return add_container(g, item, node, has_members);
    VV_TRY(vv_torch_add_array(&g->values, item, node, &is_one));
    if (is_one)
        return keep_kind(g, *node, VV_TORCH_WAS_ARRAY);
    if (vv_torch_is_made(g->p, item)) {
        VV_TRY(vv_torch_add_made(&g->values, item, node));
        return keep_kind(g, *node, vv_torch_was(g->p, item));
    }
    *has_members = true;
    return add_opaque(g, function, node);
}

/* Creates the node of an item. Sets *has_members if the members of the item
 * must be added to it. */
static varve_status torch_graph_add_node(struct vv_torch_graph *g,
    uint32_t number, uint32_t *node, bool *has_members)
{
    const struct vv_pickle_item *item = vv_pickle_item(g->p, number);
    switch ((enum vv_pickle_kind)item->kind) {
    case VV_PICKLE_NONE: break;
    case VV_PICKLE_OUTSIDE:
        return vv_torch_add_pieced(&g->values, number, node);
    case VV_PICKLE_BOOL:
    case VV_PICKLE_INTEGER:
    case VV_PICKLE_LONG:
    case VV_PICKLE_REAL:
    case VV_PICKLE_TEXT:
    case VV_PICKLE_BYTES: return torch_graph_add_scalar(g, number, node);
    case VV_PICKLE_GLOBAL:
    case VV_PICKLE_EXTENSION: return add_opaque(g, number, node);
    case VV_PICKLE_CALL: return add_call(g, number, node, has_members);
    case VV_PICKLE_TUPLE:
    case VV_PICKLE_LIST:
    case VV_PICKLE_DICT:
    case VV_PICKLE_SET: return add_container(g, number, node, has_members);
    }
    return VARVE_OK;
}

/* Returns true for a tuple of a few numbers and None. Python may share such
 * tuples, and short texts, between unrelated values. */
static bool is_small_tuple(
    const struct vv_pickle *p, const struct vv_pickle_item *item)
{
    uint32_t at = item->kind == VV_PICKLE_TUPLE ? item->first : 0;
    if (!at)
        return false;
    for (int i = 0; at && i < MOST_COPIED; i++) {
        uint32_t kind = vv_pickle_item(p, vv_pickle_link(p, at).item)->kind;
        if (kind != VV_PICKLE_INTEGER && kind != VV_PICKLE_REAL &&
            kind != VV_PICKLE_NONE)
            return false;
        at = vv_pickle_link(p, at).next;
    }
    return !at;
}

/* Returns true if all references to an item lead to the same node. */
static bool torch_graph_is_shared(
    const struct vv_pickle *p, const struct vv_pickle_item *item)
{
    bool is_text = item->kind == VV_PICKLE_TEXT ||
                   item->kind == VV_PICKLE_BYTES ||
                   item->kind == VV_PICKLE_LONG;
    return is_text ? item->b > LONGEST_COPIED
                   : item->kind >= VV_PICKLE_TUPLE && !is_small_tuple(p, item);
}

/* Records the path of a node, unless it is a tensor that was reached before. */
static varve_status note_way(
    struct vv_torch_graph *g, uint32_t node, uint32_t item)
{
    struct vv_torch_place way = {
        .parent = g->parent, .item = item, .name = g->name
    };
    if (node == vv_torch_place_count(g))
        vv_buffer_add(&g->ways, &way, sizeof way);
    if (g->ways.failed)
        return torch_graph_fail_memory(g);
    vv_torch_place_of(g, node)->is_parameter |= g->is_parameter;
    return VARVE_OK;
}

static varve_status torch_graph_reach(
    struct vv_torch_graph *g, uint32_t number, uint32_t *node)
{
    bool has_members = false;
    const struct vv_pickle_item *item = vv_pickle_item(g->p, number);
    if (g->nodes[number] && torch_graph_is_shared(g->p, item)) {
        *node = g->nodes[number] - 1;
        return VARVE_OK;
    }
    g->is_parameter = false;
    VV_TRY(torch_graph_add_node(g, number, node, &has_members));
    if (g->draft->failed)
        return VARVE_OK;
    g->nodes[number] = *node + 1;
    return note_way(g, *node, has_members ? number : VV_PICKLE_THE_NONE);
}

/* --- Members -------------------------------------------------------------- */

/* None, and persistent ids that are not tensors in pieces, have no node. */
static bool torch_graph_is_nothing(const struct vv_pickle *p, uint32_t item)
{
    uint32_t kind = vv_pickle_item(p, item)->kind;
    return kind == VV_PICKLE_NONE ||
           (kind == VV_PICKLE_OUTSIDE && !vv_torch_is_pieced(p, item));
}

/* Adds an edge unless the item has no node. A tensor of the root, as in a state
 * dict, gets its key as global name. */
static varve_status add_edge(struct vv_torch_graph *g, uint32_t parent,
    const struct vv_torch_name *name, uint32_t item)
{
    uint32_t child = 0, kind = vv_pickle_item(g->p, item)->kind;
    if (!name)
        return torch_graph_fail_memory(g);
    if (torch_graph_is_nothing(g->p, item))
        return VARVE_OK;
    g->parent = parent;
    g->name = name;
    uint32_t count = vv_torch_place_count(g);
    VV_TRY(torch_graph_reach(g, vv_torch_same(g->p, item), &child));
    bool is_new = !g->draft->failed && vv_torch_place_count(g) > count;
    vv_draft_lent_edge(g->draft, parent, name->bytes, name->size, child);
    bool is_tensor = kind == VV_PICKLE_CALL || kind == VV_PICKLE_OUTSIDE;
    if (is_new && parent == 0 && is_tensor &&
        vv_draft_node_at(g->draft, child)->kind == VARVE_VARIABLE)
        vv_draft_global(g->draft, child, name->bytes, name->size);
    return VARVE_OK;
}

/* Adds an edge and records its key, in order. */
static varve_status torch_graph_add_kept(struct vv_torch_graph *g,
    uint32_t parent, uint32_t key, const struct vv_torch_name *name,
    uint32_t item)
{
    if (name)
        vv_torch_kept_add(&g->order,
            (enum vv_pickle_kind)vv_pickle_item(g->p, key)->kind, name,
            torch_graph_is_nothing(g->p, item));
    return add_edge(g, parent, name, item);
}

/* Adds the members of a list by position. None takes up a position. */
static varve_status torch_graph_add_positions(
    struct vv_torch_graph *g, uint32_t item, uint32_t node)
{
    uint64_t position = 0;
    for (uint32_t at = vv_pickle_item(g->p, item)->first; at;
         at = vv_pickle_link(g->p, at).next)
        VV_TRY(torch_graph_add_kept(g, node, VV_PICKLE_THE_NONE,
            vv_torch_position(&g->keys, position++),
            vv_pickle_link(g->p, at).item));
    return VARVE_OK;
}

/* A key of a dict and its value, which get an edge with a name. */
struct pair {
    uint32_t key;
    uint32_t value;
    const struct vv_torch_name *name; /* NULL: a later entry has the same key */
};

static varve_status torch_graph_add_pair(struct vv_torch_graph *g, uint32_t key,
    uint32_t value, struct vv_buffer *to)
{
    struct pair pair = { .key = key, .value = value };
    vv_buffer_add(to, &pair, sizeof pair);
    return to->failed ? torch_graph_fail_memory(g) : VARVE_OK;
}

/* If keys are equal, the last one is used. */
static varve_status add_named(
    struct vv_torch_graph *g, const struct vv_buffer *all, uint32_t node)
{
    struct pair *pairs = (struct pair *)(void *)all->data;
    size_t count = all->size / sizeof *pairs;
    bool has_integers = false, has_others = false;
    for (size_t i = count; i-- > 0;) {
        if (!vv_torch_take_key(&g->keys, node, pairs[i].key, i, &pairs[i].name))
            return torch_graph_fail_memory(g);
    }
    for (size_t i = 0; i < count; i++) {
        if (!pairs[i].name)
            continue;
        vv_torch_look_at_key(
            g->p, pairs[i].key, pairs[i].name, &has_integers, &has_others);
        VV_TRY(torch_graph_add_kept(
            g, node, pairs[i].key, pairs[i].name, pairs[i].value));
    }
    if (has_integers && !has_others)
        vv_draft_tag(g->draft, node, VV_TORCH_INTEGERS);
    return VARVE_OK;
}

/* Lists keys that alternate with their values. */
static varve_status list_keys(
    struct vv_torch_graph *g, uint32_t item, struct vv_buffer *pairs)
{
    for (uint32_t at = vv_pickle_item(g->p, item)->first; at;) {
        struct vv_pickle_link key = vv_pickle_link(g->p, at);
        struct vv_pickle_link value = vv_pickle_link(g->p, key.next);
        VV_TRY(torch_graph_add_pair(g, key.item, value.item, pairs));
        at = value.next;
    }
    return VARVE_OK;
}

/* Lists tuples of a key and a value. */
static varve_status list_pairs(
    struct vv_torch_graph *g, uint32_t item, struct vv_buffer *pairs)
{
    for (uint32_t at = vv_pickle_item(g->p, item)->first; at;
         at = vv_pickle_link(g->p, at).next) {
        uint32_t pair = vv_pickle_link(g->p, at).item;
        VV_TRY(torch_graph_add_pair(g, vv_pickle_nth(g->p, pair, 0),
            vv_pickle_nth(g->p, pair, 1), pairs));
    }
    return VARVE_OK;
}

static varve_status torch_graph_add_dict(
    struct vv_torch_graph *g, uint32_t item, uint32_t node)
{
    struct vv_buffer pairs;
    vv_buffer_init(&pairs, g->ways.allocator);
    varve_status status = vv_pickle_has_keys(g->p, item)
                              ? list_keys(g, item, &pairs)
                              : list_pairs(g, item, &pairs);
    if (!status)
        status = add_named(g, &pairs, node);
    vv_buffer_clear(&pairs);
    return status;
}

/* Adds the members of a container. */
static varve_status add_held(
    struct vv_torch_graph *g, uint32_t item, uint32_t node)
{
    const struct vv_pickle_item *i = vv_pickle_item(g->p, item);
    return i->kind == VV_PICKLE_DICT || i->holds == VV_PICKLE_DICT
               ? torch_graph_add_dict(g, item, node)
               : torch_graph_add_positions(g, item, node);
}

/* --- Modules and other objects -------------------------------------------- */

/* The three dicts with the values of a torch.nn.Module. */
static const char *const parts[] = { "_parameters", "_buffers", "_modules" };

static bool is_module(const struct vv_pickle *p, uint32_t state)
{
    return vv_pickle_has_keys(p, vv_pickle_look_up(p, state, parts[0])) &&
           vv_pickle_has_keys(p, vv_pickle_look_up(p, state, parts[2]));
}

static varve_status torch_graph_add_part(
    struct vv_torch_graph *g, uint32_t node, const char *name, uint32_t item)
{
    return add_edge(g, node, vv_torch_text(&g->keys, name), item);
}

/* Returns true if the members of a part are added to this node. Only the first
 * node that has the part gets them; others get an edge to that node. */
static bool is_first(struct vv_torch_graph *g, uint32_t node, uint32_t part)
{
    if (g->nodes[part])
        return false;
    g->nodes[part] = node + 1;
    return true;
}

static varve_status add_keys_of(
    struct vv_torch_graph *g, uint32_t node, const char *name, uint32_t part)
{
    return is_first(g, node, part) ? torch_graph_add_dict(g, part, node)
                                   : torch_graph_add_part(g, node, name, part);
}

static varve_status add_module(
    struct vv_torch_graph *g, uint32_t state, uint32_t node)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint32_t part = vv_pickle_look_up(g->p, state, parts[i]);
        if (vv_pickle_has_keys(g->p, part))
            VV_TRY(add_keys_of(g, node, parts[i], part));
    }
    return VARVE_OK;
}

static varve_status torch_graph_add_state(
    struct vv_torch_graph *g, uint32_t state, uint32_t node)
{
    if (vv_pickle_has_keys(g->p, vv_pickle_nth(g->p, state, 0)))
        state = vv_pickle_nth(g->p, state, 0); /* (__dict__, __slots__) */
    if (vv_pickle_item(g->p, state)->kind != VV_PICKLE_DICT ||
        !is_first(g, node, state))
        return torch_graph_add_part(g, node, "<state>", state);
    return is_module(g->p, state) ? add_module(g, state, node)
                                  : torch_graph_add_dict(g, state, node);
}

/* Adds the state and the arguments of an object of an unknown class. */
static varve_status add_unknown(
    struct vv_torch_graph *g, uint32_t number, uint32_t node)
{
    const struct vv_pickle_item *call = vv_pickle_item(g->p, number);
    if (!is_module(g->p, call->state))
        VV_TRY(keep_kind(g, node, VV_TORCH_WAS_DICT));
    VV_TRY(torch_graph_add_state(g, call->state, node));
    VV_TRY(add_held(g, number, node));
    return vv_pickle_item(g->p, call->b)->first
               ? torch_graph_add_part(g, node, "<arguments>", call->b)
               : VARVE_OK;
}

static varve_status torch_graph_add_members(
    struct vv_torch_graph *g, uint32_t number, uint32_t node)
{
    const struct vv_pickle_item *item = vv_pickle_item(g->p, number);
    bool is_call = item->kind == VV_PICKLE_CALL;
    if (is_call && !vv_torch_makes_container(g->p, item->a))
        return add_unknown(g, number, node);
    uint32_t pairs =
        is_call ? vv_torch_pairs_of(g->p, item) : VV_PICKLE_THE_NONE;
    vv_torch_kept_begin(&g->order, vv_torch_was(g->p, number));
    VV_TRY(pairs ? add_keys_of(g, node, "<arguments>", pairs)
                 : add_held(g, number, node));
    vv_buffer_swap(&g->order, &g->kept);
    return torch_graph_keep(g, node);
}

/* --- All ------------------------------------------------------------------ */

static bool becomes_object(const struct vv_pickle *p, uint32_t number)
{
    struct vv_torch_tensor t;
    struct vv_torch_array array;
    uint32_t kind = vv_pickle_item(p, number)->kind;
    if (kind == VV_PICKLE_CALL)
        return vv_torch_tensor(p, number, &t) == VV_TORCH_OTHER &&
               !vv_torch_array(p, number, &array) &&
               !vv_torch_is_made(p, number);
    return kind >= VV_PICKLE_TUPLE && kind <= VV_PICKLE_SET &&
           !vv_torch_is_vector(p, number);
}

/* If the root does not become an object, it is the only value of the file. */
static varve_status torch_graph_add_root(struct vv_torch_graph *g)
{
    uint32_t root = vv_torch_same(g->p, g->p->root);
    const struct vv_pickle_item *item = vv_pickle_item(g->p, root);
    struct vv_torch_place way = {
        .item = becomes_object(g->p, root) ? root : VV_PICKLE_THE_NONE
    };
    vv_buffer_add(&g->ways, &way, sizeof way);
    if (g->ways.failed)
        return torch_graph_fail_memory(g);
    if (!way.item) {
        VV_TRY(keep_kind(g, 0, VV_TORCH_WAS_ONLY));
        return torch_graph_add_part(g, 0, "value", root);
    }
    g->nodes[root] = 1;
    return item->kind == VV_PICKLE_CALL &&
                   !vv_torch_makes_container(g->p, item->a)
               ? torch_graph_add_tag(g, 0, item->a)
               : VARVE_OK;
}

static uint32_t torch_graph_edge_count(const struct vv_torch_graph *g)
{
    return (uint32_t)(g->draft->edges.size / sizeof(struct vv_draft_edge));
}

static varve_status torch_graph_add_all(struct vv_torch_graph *g)
{
    VV_TRY(torch_graph_add_root(g));
    for (uint32_t node = 0; node < vv_torch_place_count(g) && !g->draft->failed;
         node++) {
        uint32_t item = vv_torch_place_of(g, node)->item;
        vv_torch_place_of(g, node)->edges = torch_graph_edge_count(g);
        if (item)
            VV_TRY(torch_graph_add_members(g, item, node));
        else if (vv_torch_place_of(g, node)->is_parameter)
            VV_TRY(keep_kind(g, node, VV_TORCH_WAS_PARAMETER));
    }
    return VARVE_OK;
}

varve_status vv_torch_graph_make(struct vv_torch_graph *g,
    struct vv_draft *draft, struct vv_torch_file *file,
    const struct vv_pickle *p, varve_error *error)
{
    const varve_allocator *a = &draft->context->allocator;
    *g = (struct vv_torch_graph){
        .draft = draft, .file = file, .p = p, .error = error
    };
    vv_torch_values_init(&g->values, draft, file, p);
    g->values.where = (struct vv_torch_where){
        .name = torch_graph_add_path, .user = g, .error = error
    };
    vv_buffer_init(&g->ways, a);
    vv_buffer_init(&g->kept, a);
    vv_buffer_init(&g->order, a);
    bool has_keys = vv_torch_keys_init(&g->keys, p, &file->names, a);
    g->nodes = vv_allocate_zeroed(a, vv_pickle_count(p) * sizeof *g->nodes);
    if (!has_keys || !g->nodes)
        return torch_graph_fail_memory(g);
    return torch_graph_add_all(g);
}

void vv_torch_graph_clear(struct vv_torch_graph *g)
{
    vv_release(
        g->ways.allocator, g->nodes, vv_pickle_count(g->p) * sizeof *g->nodes);
    if (g->roles)
        vv_release(g->ways.allocator, g->roles, vv_torch_place_count(g));
    vv_buffer_clear(&g->ways);
    vv_buffer_clear(&g->kept);
    vv_buffer_clear(&g->order);
    vv_torch_keys_clear(&g->keys);
    vv_torch_values_clear(&g->values);
}
