/* rename_stands.c - Keeps the stands of all nodes in one array. A node whose
 * stands outgrow their place gets another one, twice as large.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rename_stands.h"

#include <string.h>

#include "allocator.h"

void vv_rename_stands_init(
    struct vv_rename_stands *s, const varve_allocator *allocator)
{
    *s = (struct vv_rename_stands){ .allocator = allocator };
    vv_buffer_init(&s->all, allocator);
}

void vv_rename_stands_clear(struct vv_rename_stands *s)
{
    vv_release(s->allocator, s->of, s->capacity * sizeof *s->of);
    vv_buffer_clear(&s->all);
    vv_rename_stands_init(s, s->allocator);
}

bool vv_rename_stands_grow(struct vv_rename_stands *s, size_t wanted)
{
    return wanted <= s->capacity || vv_grow_zeroed(s->allocator, &s->of,
                                        &s->capacity, wanted, sizeof *s->of);
}

const struct vv_stage_stand *vv_rename_stands_at(
    const struct vv_rename_stands *s, uint32_t node, size_t *count)
{
    *count = node < s->capacity ? s->of[node].count : 0;
    if (*count == 0)
        return NULL;
    return (const struct vv_stage_stand *)(const void *)s->all.data +
           s->of[node].begin;
}

const struct vv_stand *vv_rename_stand_in(
    const struct vv_rename_stands *s, uint32_t node, uint32_t stage)
{
    size_t low = 0, high;
    const struct vv_stage_stand *list = vv_rename_stands_at(s, node, &high);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].stage == stage)
            return &list[middle].stand;
        if (list[middle].stage < stage)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool vv_rename_stands_set(struct vv_rename_stands *s, uint32_t node,
    const struct vv_buffer *list, bool *is_new)
{
    struct vv_stands_of_node *of = &s->of[node];
    const size_t each = sizeof(struct vv_stage_stand);
    size_t old, count = list->size / each;
    const struct vv_stage_stand *before = vv_rename_stands_at(s, node, &old);
    if (list->failed)
        return false;
    *is_new = count != old ||
              (count > 0 && memcmp(before, list->data, list->size) != 0);
    if (count > of->capacity) {
        size_t capacity = of->capacity ? 2 * count : count;
        size_t begin = s->all.size / each;
        if (!vv_buffer_extend(&s->all, capacity * each)) {
            vv_emptied(&s->all)->size = begin * each;
            return false;
        }
        of->begin = begin;
        of->capacity = (uint32_t)capacity;
    }
    of->count = (uint32_t)count;
    if (count > 0)
        memcpy(s->all.data + of->begin * each, list->data, list->size);
    return true;
}
