/* matches.c - Stores bindings in tables that grow with the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "matches.h"

#include <string.h>

#include "allocator.h"

/* --- Lists of pairs ------------------------------------------------------- */

/* Up to this number a linear search is faster. */
enum { FEW_PAIRS = 16 };

void vv_pair_list_init(
    struct vv_pair_list *list, const varve_allocator *allocator)
{
    memset(list, 0, sizeof *list);
    vv_buffer_init(&list->pairs, allocator);
}

static void pair_list_forget(
    struct vv_pair_list *list, struct vv_pair_index *index)
{
    vv_release(list->pairs.allocator, index->places,
        index->capacity * sizeof *index->places);
    *index = (struct vv_pair_index){ 0 };
}

static void forget_both(struct vv_pair_list *list)
{
    pair_list_forget(list, &list->by_node);
    pair_list_forget(list, &list->by_file);
}

void vv_pair_list_clear(struct vv_pair_list *list)
{
    forget_both(list);
    vv_buffer_clear(&list->pairs);
    list->holes = list->first = 0;
}

void vv_empty_pairs(struct vv_pair_list *list)
{
    forget_both(list);
    list->pairs.size = 0;
    list->holes = list->first = 0;
}

void vv_settle_pairs(struct vv_pair_list *list)
{
    size_t count, kept = 0;
    struct vv_pair *pairs = vv_pairs_in(&list->pairs, &count);
    forget_both(list);
    if (list->holes == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].node)
            pairs[kept++] = pairs[i];
    }
    list->pairs.size = kept * sizeof *pairs;
    list->holes = list->first = 0;
}

/* --- An index ----------------------------------------------------------- */

static uint32_t pair_list_bucket_of(
    const struct vv_pair_index *index, uint32_t key)
{
    uint64_t mixed = (uint32_t)(key * UINT32_C(2654435769));
    return (uint32_t)(mixed * index->capacity >> 32);
}

static void pair_list_append(
    struct vv_pair_index *index, uint32_t key, size_t i)
{
    struct vv_pair_place *places = index->places;
    struct vv_pair_place *bucket = &places[pair_list_bucket_of(index, key)];
    uint32_t number = (uint32_t)i + 1;
    places[i].next = 0;
    *(bucket->last ? &places[bucket->last - 1].next : &bucket->first) = number;
    bucket->last = number;
}

static bool pair_list_reserve(
    struct vv_pair_list *list, struct vv_pair_index *index, size_t count)
{
    if (count <= index->capacity)
        return true;
    pair_list_forget(list, index);
    if (count > UINT32_MAX / 2 / sizeof *index->places)
        return false;
    index->places = vv_allocate_zeroed(
        list->pairs.allocator, 2 * count * sizeof *index->places);
    index->capacity = index->places ? 2 * count : 0;
    return index->places;
}

/* Adds the new pairs to an index. Returns false if there is no index. */
static bool pair_list_prepare(
    struct vv_pair_list *list, struct vv_pair_index *index)
{
    size_t count;
    const struct vv_pair *pairs = vv_pairs_in(&list->pairs, &count);
    if (count <= FEW_PAIRS || !pair_list_reserve(list, index, count))
        return false;
    for (; index->count < count; index->count++) {
        const struct vv_pair *pair = &pairs[index->count];
        if (pair->node)
            pair_list_append(index,
                index == &list->by_node ? pair->node->number : pair->file,
                index->count);
    }
    return true;
}

/* --- Finding ------------------------------------------------------------ */

static bool is_like(
    const struct vv_pair *pair, const varve_node *node, uint32_t file)
{
    return (node ? pair->node == node : pair->node != NULL) &&
           (file == VV_NONE || pair->file == file);
}

static size_t find_in_all(const struct vv_pair_list *list,
    const varve_node *node, uint32_t file, size_t after)
{
    size_t count;
    const struct vv_pair *pairs = vv_pairs_in(&list->pairs, &count);
    while (after < count && !is_like(&pairs[after], node, file))
        after++;
    return after < count ? after + 1 : 0;
}

bool vv_has_pair(
    const struct vv_pair_list *list, const varve_node *node, uint32_t file)
{
    return find_in_all(list, node, file, 0) != 0;
}

/* Removes holes from the chain on the way. */
size_t vv_find_pair(struct vv_pair_list *list, const varve_node *node,
    uint32_t file, size_t after)
{
    struct vv_pair_index *index = node ? &list->by_node : &list->by_file;
    if (!pair_list_prepare(list, index))
        return find_in_all(list, node, file, after);
    size_t count;
    const struct vv_pair *pairs = vv_pairs_in(&list->pairs, &count);
    struct vv_pair_place *places = index->places;
    struct vv_pair_place *bucket =
        &places[pair_list_bucket_of(index, node ? node->number : file)];
    uint32_t *link = after ? &places[after - 1].next : &bucket->first;
    while (*link && !is_like(&pairs[*link - 1], node, file)) {
        uint32_t at = *link;
        if (pairs[at - 1].node) {
            after = at;
            link = &places[at - 1].next;
            continue;
        }
        *link = places[at - 1].next;
        if (bucket->last == at)
            bucket->last = (uint32_t)after;
    }
    return *link;
}

static void take_out(struct vv_pair_list *list, size_t i)
{
    size_t count;
    vv_pairs_in(&list->pairs, &count)[i].node = NULL;
    list->holes++;
}

/* Closes the holes if they are more than half of the list. A list whose pairs
 * are all gone becomes empty. */
static void settle_if_due(struct vv_pair_list *list)
{
    if (!list->keeps_places &&
        list->holes > list->pairs.size / sizeof(struct vv_pair) / 2)
        vv_settle_pairs(list);
}

bool vv_take_pair(struct vv_pair_list *list, struct vv_pair *pair)
{
    size_t count;
    const struct vv_pair *pairs = vv_pairs_in(&list->pairs, &count);
    while (list->first < count && !pairs[list->first].node)
        list->first++;
    if (list->first == count)
        return false;
    *pair = pairs[list->first];
    take_out(list, list->first);
    settle_if_due(list);
    return true;
}

void vv_drop_pairs(struct vv_pair_list *list, const varve_node *node)
{
    size_t at;
    while ((at = vv_find_pair(list, node, VV_NONE, 0)) != 0)
        take_out(list, at - 1);
    settle_if_due(list);
}

/* --- Bindings ------------------------------------------------------------- */

void vv_matches_init(struct vv_matches *m, const varve_allocator *allocator)
{
    *m = (struct vv_matches){ .allocator = allocator };
    vv_pair_list_init(&m->claims, allocator);
}

bool vv_matches_begin(struct vv_matches *m, uint32_t node_count)
{
    m->node_count = node_count;
    m->node_of =
        vv_allocate_zeroed(m->allocator, node_count * sizeof *m->node_of);
    m->is_past =
        vv_allocate_zeroed(m->allocator, node_count * sizeof *m->is_past);
    return m->node_of && m->is_past;
}

void vv_matches_end(struct vv_matches *m)
{
    const varve_allocator *a = m->allocator;
    vv_release(a, m->node_of, m->node_count * sizeof *m->node_of);
    vv_release(a, m->is_past, m->node_count * sizeof *m->is_past);
    vv_release(a, m->links, m->node_count * sizeof *m->links);
    vv_release(a, m->file_of, m->capacity * sizeof *m->file_of);
    vv_release(a, m->hows, m->how_capacity * sizeof *m->hows);
    vv_pair_list_clear(&m->claims);
}

void vv_matches_forget(struct vv_matches *m)
{
    memset(m->node_of, 0, m->node_count * sizeof *m->node_of);
    if (m->links)
        memset(m->links, 0, m->node_count * sizeof *m->links);
    vv_empty_pairs(&m->claims);
}

/* --- Changes -------------------------------------------------------------- */

bool vv_matches_grow(struct vv_matches *m, size_t wanted)
{
    return wanted <= m->capacity ||
           vv_grow_zeroed(m->allocator, &m->file_of, &m->capacity, wanted,
               sizeof *m->file_of);
}

bool vv_change_how(
    struct vv_matches *m, const varve_node *node, enum vv_match_rank how)
{
    if (how != VV_BY_PATH && node->number >= m->how_capacity &&
        !vv_grow_zeroed(m->allocator, &m->hows, &m->how_capacity, m->capacity,
            sizeof *m->hows))
        return false;
    if (node->number < m->how_capacity)
        m->hows[node->number] = (uint8_t)how;
    return true;
}

bool vv_add_partner(struct vv_matches *m, uint32_t first, uint32_t file)
{
    if (!m->links)
        m->links =
            vv_allocate_zeroed(m->allocator, m->node_count * sizeof *m->links);
    if (!m->links)
        return false;
    uint32_t last = m->links[first].last ? m->links[first].last - 1 : first;
    m->links[last].next = file + 1;
    m->links[first].last = file + 1;
    return true;
}

/* An object releases all nodes of the file that it is bound to. */
void vv_let_go(struct vv_matches *m, const varve_node *node)
{
    uint32_t file = vv_file_node_of(m, node);
    if (file == VV_NONE)
        return;
    m->file_of[node->number] = 0;
    vv_set_how(m, node, VV_BY_PATH);
    while (vv_is_holder(m, node, file)) {
        uint32_t next = vv_next_partner(m, node, file);
        m->node_of[file] = NULL;
        if (m->links)
            m->links[file] = (struct vv_link){ 0 };
        file = next;
    }
}

bool vv_add_claim(struct vv_matches *m, varve_node *node, uint32_t file)
{
    return vv_append_pair(&m->claims, node, file);
}

void vv_forget_claims(struct vv_matches *m, varve_graph *graph)
{
    for (varve_node *n = vv_newest_node(graph); n; n = vv_older_node(n)) {
        if (vv_is_claimant(m, n))
            vv_let_go(m, n);
    }
    vv_empty_pairs(&m->claims);
}
