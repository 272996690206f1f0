/* flax_in.c - Recognizes Flax files, which have no signature, and reads the
 * tree and its slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_in.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "draft_parts.h"
#include "failure.h"
#include "flax_array.h"
#include "flax_tree.h"
#include "name.h"
#include "try.h"

/* --- Slots ---------------------------------------------------------------- */

/* Finds the optimizer state of each parameter: trees with the same names and
 * shapes as the tree named `params`, in objects beside it. */

enum {
    MOST_LOOKS = 64,    /* number of steps for each edge, which bounds the time
                           by the size of the file */
    LONGEST_SLOT = 255, /* of a name, which is copied for each slot */
};

/* The edges of one node. */
struct edges {
    const struct vv_draft_edge *at, *end;
};

/* Two objects whose children are compared. */
struct pair {
    uint32_t kept, trained;
};

struct finding {
    struct vv_draft *draft;
    struct vv_buffer sorted; /* struct vv_draft_edge */
    struct vv_buffer nodes;  /* objects to visit */
    struct vv_buffer pairs;  /* objects to compare */
    struct vv_buffer slots;  /* matching variables: struct pair */
    unsigned char *are_done; /* indexed by node: 1 for the root of a tree of
                                slots */
    uint64_t looks;          /* remaining steps */
};

static bool is_out_of_memory(const struct finding *f)
{
    return f->sorted.failed || f->nodes.failed || f->pairs.failed ||
           f->slots.failed;
}

/* Uses up one step. Returns false if none is left. */
static bool flax_slots_use_budget(struct finding *f)
{
    f->looks -= f->looks > 0;
    return f->looks > 0;
}

/* --- Edges ---------------------------------------------------------------- */

static int flax_slots_compare(const void *left, const void *right)
{
    const struct vv_draft_edge *a = left, *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return vv_draft_compare(&a->name, &b->name);
}

/* Returns the first edge of this node or of a later one. */
static const struct vv_draft_edge *flax_slots_first_of(
    const struct finding *f, uint32_t node)
{
    const struct vv_draft_edge *all = (const void *)f->sorted.data;
    size_t low = 0, high = f->sorted.size / sizeof *all;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all[middle].parent < node)
            low = middle + 1;
        else
            high = middle;
    }
    return all + low;
}

static struct edges edges_of(const struct finding *f, uint32_t node)
{
    return (struct edges){ flax_slots_first_of(f, node),
        flax_slots_first_of(f, node + 1) };
}

static bool is_params(const struct vv_draft_edge *e)
{
    static const char name[] = "params";
    return e->name.size == sizeof name - 1 &&
           memcmp(e->name.bytes, name, sizeof name - 1) == 0;
}

static bool flax_slots_is_object(const struct finding *f, uint32_t node)
{
    return vv_draft_node_at(f->draft, node)->kind == VARVE_OBJECT;
}

/* --- Comparing trees ------------------------------------------------------ */

static const struct vv_draft_value *flax_slots_value_of(
    const struct finding *f, uint32_t node)
{
    const struct vv_draft_node *n = vv_draft_node_at(f->draft, node);
    return n->kind == VARVE_VARIABLE && n->value
               ? (const struct vv_draft_value *)(const void *)
                         f->draft->values.data +
                     n->value - 1
               : NULL;
}

static bool have_one_shape(
    const struct finding *f, uint32_t left, uint32_t right)
{
    const uint64_t *extents = (const void *)f->draft->extents.data;
    const struct vv_draft_value *a = flax_slots_value_of(f, left);
    const struct vv_draft_value *b = flax_slots_value_of(f, right);
    return a && b && a->rank == b->rank &&
           (a->rank == 0 || memcmp(extents + a->extents, extents + b->extents,
                                a->rank * sizeof *extents) == 0);
}

/* Returns true if a kept node matches a trained one, not considering their
 * children. */
static bool flax_slots_fit(struct finding *f, struct pair pair)
{
    if (flax_slots_is_object(f, pair.kept) &&
        flax_slots_is_object(f, pair.trained)) {
        vv_buffer_add(&f->pairs, &pair, sizeof pair);
        return true;
    }
    /* empty: the parameter was left out */
    if (flax_slots_is_object(f, pair.kept)) {
        struct edges e = edges_of(f, pair.kept);
        return e.at == e.end;
    }
    vv_buffer_add(&f->slots, &pair, sizeof pair);
    return have_one_shape(f, pair.kept, pair.trained);
}

static bool fit_children(struct finding *f, struct pair pair)
{
    struct edges kept = edges_of(f, pair.kept);
    struct edges trained = edges_of(f, pair.trained);
    for (; kept.at < kept.end; kept.at++, trained.at++) {
        while (trained.at < trained.end &&
               vv_draft_compare(&trained.at->name, &kept.at->name) < 0 &&
               flax_slots_use_budget(f))
            trained.at++;
        if (!flax_slots_use_budget(f) || trained.at == trained.end ||
            vv_draft_compare(&trained.at->name, &kept.at->name) != 0 ||
            !flax_slots_fit(
                f, (struct pair){ kept.at->child, trained.at->child }))
            return false;
    }
    return true;
}

/* Returns true if a tree mirrors the parameters, and sets `slots` to its
 * variables. */
static bool is_mirror(struct finding *f, uint32_t kept, uint32_t trained)
{
    struct pair pair = { kept, trained };
    f->pairs.size = f->slots.size = 0;
    vv_buffer_add(&f->pairs, &pair, sizeof pair);
    while (f->pairs.size > 0 && !is_out_of_memory(f)) {
        f->pairs.size -= sizeof pair;
        memcpy(&pair, f->pairs.data + f->pairs.size, sizeof pair);
        if (!fit_children(f, pair))
            return false;
    }
    return f->slots.size > 0 && !is_out_of_memory(f);
}

/* --- Searching beside the parameters -------------------------------------- */

static void flax_slots_add_slots(
    struct finding *f, const struct vv_draft_edge *e)
{
    const struct pair *slots = (const void *)f->slots.data;
    for (size_t i = 0; i < f->slots.size / sizeof *slots; i++)
        vv_draft_slot(f->draft, e->parent, slots[i].trained, e->name.bytes,
            e->name.size, slots[i].kept);
    f->are_done[e->child] = 1;
}

static void flax_slots_look_below(
    struct finding *f, uint32_t node, uint32_t params)
{
    struct edges e = edges_of(f, node);
    for (; e.at < e.end && flax_slots_use_budget(f) && !is_out_of_memory(f);
         e.at++) {
        if (is_params(e.at) || !flax_slots_is_object(f, e.at->child) ||
            f->are_done[e.at->child])
            continue;
        if (e.at->name.size <= LONGEST_SLOT &&
            is_mirror(f, e.at->child, params))
            flax_slots_add_slots(f, e.at);
        else
            vv_buffer_add(&f->nodes, &e.at->child, sizeof e.at->child);
    }
}

/* Visits the siblings of the parameters. The object that contains the
 * parameters is not part of the optimizer. */
static void look_at_siblings(
    struct finding *f, const struct vv_draft_edge *params)
{
    struct edges e = edges_of(f, params->parent);
    f->nodes.size = 0;
    for (; e.at < e.end; e.at++) {
        if (!is_params(e.at) && flax_slots_is_object(f, e.at->child) &&
            !f->are_done[e.at->child])
            vv_buffer_add(&f->nodes, &e.at->child, sizeof e.at->child);
    }
    while (
        f->nodes.size > 0 && !is_out_of_memory(f) && flax_slots_use_budget(f)) {
        uint32_t node;
        f->nodes.size -= sizeof node;
        memcpy(&node, f->nodes.data + f->nodes.size, sizeof node);
        flax_slots_look_below(f, node, params->child);
    }
}

/* The innermost parameters have priority: an object has a higher number than
 * the one that contains it. */
static void flax_slots_find_all(struct finding *f)
{
    const struct vv_draft_edge *all = (const void *)f->sorted.data;
    for (size_t i = f->sorted.size / sizeof *all; i-- > 0;) {
        if (is_params(&all[i]) && flax_slots_is_object(f, all[i].child) &&
            f->looks > 0 && !is_out_of_memory(f))
            look_at_siblings(f, &all[i]);
    }
}

/* Adds a slot for each variable of such a tree. Its owner is the object that
 * contains the tree, its name is that of the tree, and its variable is the
 * parameter. The tree stays in the draft. A parameter that is left out or empty
 * has no slot (optax.masked). */
static varve_status flax_slots_add(struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &draft->context->allocator;
    struct finding f = { .draft = draft };
    size_t count, nodes = draft->nodes.size / sizeof(struct vv_draft_node);
    const struct vv_draft_edge *edges =
        VV_PARTS(draft, edges, struct vv_draft_edge, &count);
    if (count == 0)
        return VARVE_OK;
    struct vv_buffer *const buffers[] = { &f.sorted, &f.nodes, &f.pairs,
        &f.slots };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_init(buffers[i], a);
    f.looks = MOST_LOOKS * (uint64_t)count;
    f.are_done = vv_allocate_zeroed(a, nodes);
    vv_buffer_add(&f.sorted, edges, count * sizeof *edges);
    bool is_ready = f.are_done && !f.sorted.failed;
    if (is_ready) {
        qsort(f.sorted.data, count, sizeof *edges, flax_slots_compare);
        flax_slots_find_all(&f);
    }
    bool has_failed = !is_ready || is_out_of_memory(&f);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_clear(buffers[i]);
    vv_release(a, f.are_done, nodes);
    return has_failed ? vv_fail_memory(error, "slots") : VARVE_OK;
}

/* --- Reading: bidding ----------------------------------------------------- */

/* Msgpack has no signature. The probe searches for the first bytes of an array
 * (an extension of type 1 that contains a list of three, the first of which is
 * a list), preceded only by maps, their keys, and plain numbers and texts. */

struct sight {
    const unsigned char *at, *end;
};

/* Returns the number after a marker byte. */
static uint64_t flax_in_take_number(struct sight *s, size_t width)
{
    uint64_t number = 0;
    if ((size_t)(s->end - s->at) < width) {
        s->at = s->end;
        return 0;
    }
    while (width-- > 0)
        number = number << 8 | *s->at++;
    return number;
}

/* Skips bytes. Returns false if they are not all available. */
static bool flax_in_pass(struct sight *s, uint64_t size)
{
    if (size > (uint64_t)(s->end - s->at))
        return false;
    s->at += size;
    return true;
}

static bool pass_text(struct sight *s, unsigned mark)
{
    if (mark >= 0xa0 && mark <= 0xbf)
        return flax_in_pass(s, mark & 0x1f);
    if (mark >= 0xd9 && mark <= 0xdb)
        return flax_in_pass(
            s, flax_in_take_number(s, (size_t)1 << (mark - 0xd9)));
    return false;
}

static bool pass_map(struct sight *s, unsigned mark)
{
    if (mark == 0xde || mark == 0xdf)
        return flax_in_pass(s, mark == 0xde ? 2 : 4);
    return mark >= 0x80 && mark <= 0x8f;
}

static bool pass_scalar(struct sight *s, unsigned mark)
{
    static const unsigned char sizes[] = { 4, 8, 1, 2, 4, 8, 1, 2, 4, 8 };
    if (mark <= 0x7f || mark >= 0xe0 || mark == 0xc0 || mark == 0xc2 ||
        mark == 0xc3)
        return true;
    if (mark >= 0xca && mark <= 0xd3)
        return flax_in_pass(s, sizes[mark - 0xca]);
    return pass_text(s, mark);
}

static bool is_array(struct sight s, unsigned mark)
{
    if (mark >= 0xc7 && mark <= 0xc9)
        flax_in_take_number(&s, (size_t)1 << (mark - 0xc7));
    else if (mark < 0xd4 || mark > 0xd8)
        return false;
    return s.end - s.at >= 3 && s.at[0] == VV_FLAX_ARRAY && s.at[1] == 0x93 &&
           ((s.at[2] & 0xf0) == 0x90 || s.at[2] == 0xdc);
}

/* Returns true if the file begins with a map that contains an array, possibly
 * preceded by other values: a map begins with a key, and a value is followed by
 * one. */
static bool flax_in_looks_like_one(const struct vv_candidate *c)
{
    struct sight s = { c->head, c->head + c->head_size };
    if (s.at == s.end || !pass_map(&s, *s.at++))
        return false;
    while (s.at < s.end && pass_text(&s, *s.at++) && s.at < s.end) {
        unsigned mark = *s.at++;
        if (is_array(s, mark))
            return true;
        if (!pass_map(&s, mark) && !pass_scalar(&s, mark))
            return false;
    }
    return false;
}

static enum vv_probe_result flax_in_probe(const struct vv_candidate *c)
{
    bool is_called = vv_text_ends_in(c->path, strlen(c->path), ".msgpack");
    struct sight s = { c->head, c->head + c->head_size };
    if (flax_in_looks_like_one(c))
        return VV_PROBE_LIKELY;
    if (!is_called)
        return VV_PROBE_NONE;
    return s.at < s.end && pass_map(&s, *s.at++) ? VV_PROBE_LIKELY
                                                 : VV_PROBE_NAME;
}

/* --- Entry points --------------------------------------------------------- */

static varve_status flax_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    foreign->decode = vv_flax_decode;
    VV_TRY(vv_flax_tree_add(foreign, draft, error));
    return draft->failed ? VARVE_OK : flax_slots_add(draft, error);
}

const struct vv_foreign_format vv_flax_format = { .format = VARVE_FORMAT_FLAX,
    .probe = flax_in_probe,
    .open = flax_in_open_source };
