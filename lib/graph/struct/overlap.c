/* overlap.c - Finds values that overlap: sorts the address ranges of all values
 * by their start, and compares each with those that begin before it ends.
 *
 * A first pass needs no list. It finds no overlap if each value is below or
 * above all values before it, as memory mostly is that was allocated in the
 * order of the nodes.
 *
 * All values of the graph are compared, so the result is valid for every call.
 * Only if some overlap, those that a call reaches are compared separately.
 *
 * SPDX-License-Identifier: MIT
 */
#include "overlap.h"

#include <string.h>

#include "allocator.h"
#include "disjoint.h"
#include "failure.h"
#include "graph.h"
#include "memory_table.h"
#include "reached.h"
#include "struct.h"
#include "struct_memory.h"
#include "tag.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"
#include "walk.h"

/* The memory of one value. */
struct place {
    struct vv_address_range span;
    const varve_node *node;
};

struct places {
    const varve_allocator *allocator;
    struct place *block; /* 2 * `capacity` items: the list and room for
                            sorting */
    struct place *list;
    struct place *scratch;
    size_t count;
    size_t capacity;
    uint64_t local, fixed;      /* bits of tags */
    const struct vv_walk *walk; /* only nodes of this walk; NULL: all */
};

/* --- Gathering ------------------------------------------------------------ */

/* Finds the text of a state. Returns false if it has none. */
static bool find_text(const varve_node *node, struct vv_address_range *span)
{
    const struct vv_struct *about;
    const struct vv_owned_text *owned;
    uintptr_t begin = 0;
    size_t size = 0;
    if (node->kind != VARVE_STATE)
        return false;
    if ((about = vv_struct_of(node))) {
        begin = (uintptr_t)about->object;
        size = begin ? about->size : 0;
    } else if ((owned = vv_owned_text_of(node))) {
        begin = (uintptr_t)owned->text;
        size = owned->size;
    }
    *span = (struct vv_address_range){ begin, begin + size };
    return size > 0;
}

static bool overlap_is_text(const varve_node *node)
{
    struct vv_address_range span;
    return find_text(node, &span);
}

/* Returns true for memory of the processor. Functions of the program may access
 * the same memory as other values, which cannot be detected. */
static bool overlap_is_near(const varve_node *node)
{
    return node->variable && node->variable->tensor.data &&
           !vv_is_far(&node->variable->tensor);
}

/* Returns the number of address ranges of a node: one, or one for each row. */
static size_t spans_of(const varve_node *node)
{
    return overlap_is_near(node) || overlap_is_text(node)
               ? 1
               : vv_reached_pieces(node);
}

static struct vv_address_range overlap_span_of(const varve_node *node, size_t i)
{
    if (node->variable && !overlap_is_near(node))
        return vv_reached_piece(node, i);
    if (node->variable)
        return vv_tensor_span(&node->variable->tensor);
    struct vv_address_range span = { 0, 0 };
    find_text(node, &span);
    return span;
}

static bool overlap_is_wanted(const struct places *p, const varve_node *node)
{
    return spans_of(node) && !(p->local && vv_is_local(node, p->local)) &&
           (!p->walk || vv_walk_has(p->walk, node));
}

static bool overlap_reserve(struct places *p, size_t count)
{
    p->block = vv_allocate_array(p->allocator, count, 2 * sizeof *p->block);
    p->capacity = count;
    return p->block;
}

/* Fills the list from its end, beginning with the newest node. Newer nodes
 * mostly have higher addresses, so the list is almost sorted. */
static void overlap_gather(struct places *p, const varve_graph *graph)
{
    struct place *at = p->block + p->capacity;
    for (const varve_node *n = vv_newest_node(graph); n; n = vv_older_node(n)) {
        if (!overlap_is_wanted(p, n))
            continue;
        for (size_t i = spans_of(n); i-- > 0;) {
            const struct vv_address_range span = overlap_span_of(n, i);
            if (span.begin != span.end)
                *--at = (struct place){ span, n };
        }
    }
    p->list = at;
    p->count = (size_t)(p->block + p->capacity - at);
    p->scratch = p->block + p->capacity;
}

/* --- The first pass ------------------------------------------------------- */

/* The result of the first pass. */
struct look {
    struct vv_address_range seen; /* the range of all values */
    size_t most;                  /* upper limit of the number of ranges */
    bool is_apart;                /* no two values overlap */
    varve_dtype dtype;            /* the last element type */
    size_t unit;                  /* and its size */
};

/* A value that is neither below nor above all previous ones may overlap. */
static inline void overlap_see(struct look *look, struct vv_address_range span)
{
    if (span.begin == span.end)
        return;
    if (span.end <= look->seen.begin)
        look->seen.begin = span.begin;
    else if (span.begin < look->seen.end)
        look->is_apart = false;
    if (span.end > look->seen.end)
        look->seen.end = span.end;
}

/* Returns true if a variable is contiguous. */
static inline bool is_dense(const varve_node *node)
{
    return node->variable && node->variable->tensor.data &&
           !node->variable->tensor.memory;
}

/* The size was checked for overflow when the variable was made. */
static inline struct vv_address_range dense_span(
    struct look *look, const varve_tensor *tensor)
{
    const uintptr_t begin = (uintptr_t)tensor->data;
    if (tensor->dtype != look->dtype) {
        look->dtype = tensor->dtype;
        look->unit = varve_dtype_size(tensor->dtype);
    }
    uintptr_t size = look->unit;
    for (uint32_t i = 0; i < tensor->rank; i++)
        size *= (uintptr_t)tensor->shape[i];
    return (struct vv_address_range){ begin, begin + size };
}

static struct look overlap_look_at(const varve_graph *graph)
{
    struct look look = {
        .seen = { UINTPTR_MAX, 0 }, .most = 1, .is_apart = true
    };
    for (const varve_node *n = vv_newest_node(graph); n; n = vv_older_node(n)) {
        size_t count = 1;
        if (is_dense(n)) {
            overlap_see(&look, dense_span(&look, &n->variable->tensor));
        } else {
            count = n->variable || n->kind == VARVE_STATE ? spans_of(n) : 0;
            for (size_t i = 0; i < count; i++)
                overlap_see(&look, overlap_span_of(n, i));
        }
        look.most += count;
    }
    return look;
}

/* --- Sorting -------------------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGITS = 6, FEW = 32 };

static bool is_sorted(const struct places *p)
{
    size_t i = 1;
    while (i < p->count && p->list[i - 1].span.begin <= p->list[i].span.begin)
        i++;
    return i >= p->count;
}

static void insert_each(struct places *p)
{
    for (size_t i = 1; i < p->count; i++) {
        const struct place one = p->list[i];
        size_t at = i;
        for (; at > 0 && p->list[at - 1].span.begin > one.span.begin; at--)
            p->list[at] = p->list[at - 1];
        p->list[at] = one;
    }
}

static size_t overlap_digit_of(uint64_t way, unsigned digit)
{
    return (size_t)(way >> (digit * DIGIT_BITS)) & ((1u << DIGIT_BITS) - 1);
}

static void sort_by_digit(struct places *p, uintptr_t least, unsigned digit)
{
    size_t starts[1 << DIGIT_BITS] = { 0 }, next = 0;
    for (size_t i = 0; i < p->count; i++)
        starts[overlap_digit_of(p->list[i].span.begin - least, digit)]++;
    for (size_t i = 0; i < 1 << DIGIT_BITS; i++) {
        size_t here = starts[i];
        starts[i] = next;
        next += here;
    }
    for (size_t i = 0; i < p->count; i++)
        p->scratch[starts[overlap_digit_of(
            p->list[i].span.begin - least, digit)]++] = p->list[i];
    struct place *sorted = p->scratch;
    p->scratch = p->list;
    p->list = sorted;
}

/* Radix sort. Comparisons of many values can take longer than saving them. */
static void overlap_sort(struct places *p)
{
    uintptr_t least = UINTPTR_MAX;
    uint64_t most = 0;
    if (p->count <= FEW) {
        insert_each(p);
        return;
    }
    if (is_sorted(p))
        return;
    for (size_t i = 0; i < p->count; i++) {
        uintptr_t begin = p->list[i].span.begin;
        least = begin < least ? begin : least;
        most = begin > most ? begin : most;
    }
    for (unsigned d = 0; d < DIGITS; d++)
        if ((most - least) >> (d * DIGIT_BITS) != 0)
            sort_by_digit(p, least, d);
}

/* --- Comparing ------------------------------------------------------------ */

static bool both_fixed(
    const struct places *p, const varve_node *a, const varve_node *b)
{
    return p->fixed && (vv_node_tags(a) & vv_node_tags(b) & p->fixed);
}

static bool is_strided(const varve_node *node)
{
    return overlap_is_near(node) && node->variable->tensor.memory;
}

/* Returns a place as a view: strided, or of bytes. */
static varve_tensor overlap_view_of(const struct place *place)
{
    const void *at = (const void *)place->span.begin;
    union {
        const void *read;
        void *write;
    } data = { .read = at };
    if (overlap_is_near(place->node))
        return vv_tensor_copy(&place->node->variable->tensor);
    return (varve_tensor){ .data = data.write,
        .dtype = VARVE_UINT8,
        .rank = 1,
        .shape = { place->span.end - place->span.begin } };
}

static bool overlap_share(
    const struct places *p, const struct place *a, const struct place *b)
{
    if (both_fixed(p, a->node, b->node))
        return false;
    if (vv_reached_are_bits(a->node, b->node))
        return vv_reached_share_bits(a->node, b->node);
    if (!is_strided(a->node) && !is_strided(b->node))
        return true;
    const varve_tensor left = overlap_view_of(a), right = overlap_view_of(b);
    return vv_tensors_share(&left, &right);
}

/* Finds two values that overlap. Returns false if there are none. */
static bool find_two(
    const struct places *p, const varve_node **a, const varve_node **b)
{
    for (size_t i = 0; i + 1 < p->count; i++) {
        const uintptr_t end = p->list[i].span.end;
        for (size_t k = i + 1; k < p->count && p->list[k].span.begin < end;
             k++) {
            if (!overlap_share(p, &p->list[i], &p->list[k]))
                continue;
            *a = p->list[i].node;
            *b = p->list[k].node;
            return true;
        }
    }
    return false;
}

static bool overlap_is_alike(const varve_node *a, const varve_node *b)
{
    if (!a->variable || !b->variable) {
        struct vv_address_range left, right;
        return find_text(a, &left) && find_text(b, &right) &&
               left.begin == right.begin && left.end == right.end;
    }
    if (!overlap_is_near(a) || !overlap_is_near(b))
        return vv_reached_alike(a, b);
    const varve_tensor *s = &a->variable->tensor, *t = &b->variable->tensor;
    return s->data == t->data && s->dtype == t->dtype && vv_shape_equal(s, t);
}

/* Names the older node last. */
static varve_status overlap_fail(
    const varve_node *a, const varve_node *b, varve_error *error)
{
    char left_text[256], right_text[256];
    const varve_node *newer = a->number > b->number ? a : b;
    const char *left = vv_node_text(newer, left_text, sizeof left_text);
    const char *right =
        vv_node_text(newer == a ? b : a, right_text, sizeof right_text);
    if (a == b)
        return vv_fail(
            error, VARVE_MISUSE, "%s: two of its rows share memory", left);
    if (overlap_is_alike(a, b))
        return vv_fail(error, VARVE_MISUSE,
            "%s: has the same memory as %s: to add one value under a second "
            "name, use varve_track",
            left, right);
    return vv_fail(error, VARVE_MISUSE,
        "%s: shares memory with %s: remove one of them, or tag it "
        "VARVE_TAG_LOCAL",
        left, right);
}

static varve_status overlap_compare(struct places *p, const varve_graph *graph,
    bool *has_two, varve_error *error)
{
    const varve_node *a, *b;
    overlap_gather(p, graph);
    overlap_sort(p);
    *has_two = find_two(p, &a, &b);
    return *has_two && p->walk ? overlap_fail(a, b, error) : VARVE_OK;
}

static varve_status overlap_compare_all(
    struct places *p, varve_node *root, varve_error *error)
{
    bool has_two;
    struct vv_walk walk;
    VV_TRY(overlap_compare(p, root->graph, &has_two, error));
    root->graph->has_new_views = has_two;
    if (!has_two)
        return VARVE_OK;
    VV_TRY(vv_walk_begin(&walk, root, error));
    p->walk = &walk;
    varve_status status = overlap_compare(p, root->graph, &has_two, error);
    vv_walk_end(&walk);
    return status;
}

varve_status vv_overlap_check(varve_node *root, varve_error *error)
{
    varve_graph *graph = root->graph;
    if (!graph->has_new_views)
        return VARVE_OK;
    const struct look look = overlap_look_at(graph);
    if (look.is_apart) {
        graph->has_new_views = false;
        return VARVE_OK;
    }
    struct places places = {
        .allocator = &graph->context.allocator,
        .local = vv_tag_bit(graph, VARVE_TAG_LOCAL),
        .fixed = vv_tag_bit(graph, VARVE_TAG_FIXED),
    };
    if (!overlap_reserve(&places, look.most))
        return vv_fail_memory(error, "where values are");
    varve_status status = overlap_compare_all(&places, root, error);
    vv_release(places.allocator, places.block,
        places.capacity * 2 * sizeof *places.block);
    return status;
}
