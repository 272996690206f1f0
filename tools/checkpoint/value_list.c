/* value_list.c - Lists values in order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value_list.h"

#include <stdlib.h>
#include <string.h>

#include "number_sort.h"
#include "style.h"

/* The keys of the values; arrays that are not needed are NULL. */
struct value_keys {
    uint32_t *ids;
    const char **paths;
    uint64_t *numbers;
    const char **files; /* for an order by files */
};

static bool is_before(const void *user, uint32_t a, uint32_t b)
{
    const struct value_keys *k = user;
    int by_file = k->files ? strcmp(k->files[a], k->files[b]) : 0;
    if (by_file)
        return by_file < 0;
    if (k->numbers && k->numbers[a] != k->numbers[b])
        return k->numbers[a] < k->numbers[b];
    int order =
        k->paths[a] && k->paths[b] ? text_compare(k->paths[a], k->paths[b]) : 0;
    return order ? order < 0 : k->ids[a] < k->ids[b];
}

/* Allocates the arrays. Returns false if there is no memory. */
static bool begin_keys(
    struct value_keys *k, const struct view *view, size_t count)
{
    bool by_offset = view->sort == SORT_OFFSET;
    bool by_number = view->sort == SORT_BYTES || by_offset;
    *k = (struct value_keys){
        .ids = malloc((count + 1) * sizeof *k->ids),
        .paths = malloc((count + 1) * sizeof *k->paths),
        .numbers = by_number ? malloc((count + 1) * sizeof *k->numbers) : NULL,
        .files = by_offset ? malloc((count + 1) * sizeof *k->files) : NULL,
    };
    return k->ids && k->paths && (!by_number || k->numbers) &&
           (!by_offset || k->files);
}

static void end_keys(struct value_keys *k)
{
    free(k->ids);
    free(k->paths);
    free(k->numbers);
    free(k->files);
}

static void set_key(
    struct value_keys *k, size_t at, const varve_saved_node *node)
{
    k->ids[at] = node->id;
    k->paths[at] = node->path;
    if (k->files) {
        k->files[at] = node->has_value && node->file ? node->file : "\xff";
        k->numbers[at] = node->has_value ? node->offset : UINT64_MAX;
    } else if (k->numbers) {
        k->numbers[at] = UINT64_MAX - (node->has_value ? node->size : 0);
    }
}

static bool is_listed(
    const struct outline *outline, const varve_saved_node *node)
{
    return outline_has(outline, node->id) && node->value.dtype &&
           pattern_selects(&outline->view->patterns, node->path, NULL);
}

uint32_t *value_list(
    const struct view *view, const struct outline *outline, size_t *count)
{
    struct value_keys keys;
    uint32_t *order = malloc((outline->reached + 1) * sizeof *order);
    *count = 0;
    if (!begin_keys(&keys, view, outline->reached) || !order) {
        end_keys(&keys);
        free(order);
        return NULL;
    }
    for (size_t i = 0; i < outline->reached; i++) {
        varve_saved_node saved = outline_saved(outline, outline->order[i]);
        if (is_listed(outline, &saved)) {
            order[*count] = (uint32_t)*count;
            set_key(&keys, (*count)++, &saved);
        }
    }
    number_sort(order, *count, is_before, &keys);
    for (size_t i = 0; i < *count; i++)
        order[i] = keys.ids[order[i]];
    end_keys(&keys);
    if (*count > view->limit)
        *count = (size_t)view->limit;
    return order;
}
