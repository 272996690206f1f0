/* pair_list.c - Implements lists of pairs with hash indexes whose buckets are
 * chains through the pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pair_list.h"

#include <string.h>

#include "allocator.h"
#include "index.h"

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

bool vv_append_pair_to(
    struct vv_buffer *buffer, varve_node *node, uint32_t file)
{
    struct vv_pair *pair = vv_buffer_extend(buffer, sizeof *pair);
    if (!pair) {
        buffer->failed = false;
        return false;
    }
    pair->node = node;
    pair->file = file;
    return true;
}

bool vv_append_pair(struct vv_pair_list *list, varve_node *node, uint32_t file)
{
    return vv_append_pair_to(&list->pairs, node, file);
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

static bool pair_list_make_room(
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
    if (count <= FEW_PAIRS || !pair_list_make_room(list, index, count))
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
