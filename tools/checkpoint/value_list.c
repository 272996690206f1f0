/* value_list.c - Lists values in order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value_list.h"

#include <stdlib.h>
#include <string.h>

#include "style.h"

struct keyed_value {
    uint32_t id;
    uint64_t number;
    const char *file; /* for an order by files */
    const char *path;
};

static int compare(const void *left, const void *right)
{
    const struct keyed_value *a = left;
    const struct keyed_value *b = right;
    int by_file = a->file && b->file ? strcmp(a->file, b->file) : 0;
    if (by_file)
        return by_file;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    int order = a->path && b->path ? text_compare(a->path, b->path) : 0;
    return order ? order : (a->id > b->id) - (a->id < b->id);
}

static struct keyed_value key_of(
    const struct view *view, const varve_saved_node *node)
{
    struct keyed_value key = { .id = node->id, .path = node->path };
    if (view->sort == SORT_BYTES)
        key.number = UINT64_MAX - (node->has_value ? node->size : 0);
    if (view->sort == SORT_OFFSET) {
        key.file = node->has_value && node->file ? node->file : "\xff";
        key.number = node->has_value ? node->offset : UINT64_MAX;
    }
    return key;
}

static bool is_listed(
    const struct outline *outline, const varve_saved_node *node)
{
    return outline_has(outline, node->id) && node->value.dtype &&
           pattern_selects(&outline->view->patterns, node->path);
}

uint32_t *value_list(
    const struct view *view, const struct outline *outline, size_t *count)
{
    struct keyed_value *keys = calloc(outline->reached + 1, sizeof *keys);
    uint32_t *ids = calloc(outline->reached + 1, sizeof *ids);
    *count = 0;
    for (size_t i = 0; keys && i < outline->reached; i++) {
        varve_saved_node saved = outline_saved(outline, outline->order[i]);
        if (is_listed(outline, &saved))
            keys[(*count)++] = key_of(view, &saved);
    }
    if (keys)
        qsort(keys, *count, sizeof *keys, compare);
    for (size_t i = 0; ids && keys && i < *count; i++)
        ids[i] = keys[i].id;
    bool failed = !keys || !ids;
    free(keys);
    if (failed) {
        free(ids);
        return NULL;
    }
    if (*count > view->limit)
        *count = (size_t)view->limit;
    return ids;
}
