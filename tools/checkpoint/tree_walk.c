/* tree_walk.c - Traverses depth first with an explicit stack, because a file
 * can contain a chain of a million nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tree_walk.h"

#include <stdlib.h>

#include "style.h"

void tree_walk_begin(struct tree_walk *walk, const struct outline *outline,
    uint64_t depth, bool each_slot)
{
    *walk = (struct tree_walk){
        .outline = outline, .depth = depth, .each_slot = each_slot
    };
}

void tree_walk_end(struct tree_walk *walk)
{
    while (walk->level_count > 0)
        free(walk->levels[--walk->level_count].order);
    free(walk->levels);
}

bool tree_walk_goes_on(const struct tree_walk *walk, size_t level)
{
    return level <= walk->level_count && walk->levels[level - 1].has_waiting;
}

/* --- The order of names --------------------------------------------------- */

struct named {
    const char *name;
    uint32_t branch;
};

static int compare(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    int order = text_compare(a->name, b->name);
    return order ? order : (a->branch > b->branch) - (a->branch < b->branch);
}

/* Edges are sorted bytewise, so that "10" precedes "2". Sorts them in natural
 * order if that differs. Returns false if there is no memory. */
static bool sort_edges(struct tree_walk *walk, struct tree_level *level)
{
    const varve_reader *reader = walk->outline->reader;
    size_t count = outline_saved(walk->outline, level->node).edge_count;
    bool is_sorted = true;
    uint32_t child;
    struct named *all = malloc((count + 1) * sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < count; i++) {
        all[i].branch = (uint32_t)i;
        varve_reader_edge_at(reader, level->node, i, &all[i].name, &child);
        is_sorted = is_sorted &&
                    (i == 0 || text_compare(all[i - 1].name, all[i].name) < 0);
    }
    bool done = true;
    if (!is_sorted) {
        qsort(all, count, sizeof *all, compare);
        level->order = malloc(count * sizeof *level->order);
        done = level->order != NULL;
        for (size_t i = 0; done && i < count; i++)
            level->order[i] = all[i].branch;
        level->ordered = count;
    }
    free(all);
    return done;
}

/* --- Rows ----------------------------------------------------------------- */

static size_t branch_at(const struct tree_level *level)
{
    return level->order && level->next < level->ordered
               ? level->order[level->next]
               : level->next;
}

/* Reads the next row of a level, so that the previous row can be marked as the
 * last. All slots of a node are one row, unless each is requested. */
static void look_ahead(struct tree_walk *walk, struct tree_level *level)
{
    struct row *row = &level->waiting;
    row->depth = (size_t)(level - walk->levels) + 1;
    level->has_waiting = true;
    while (outline_branch(
        walk->outline, level->node, branch_at(level), &row->branch)) {
        level->next++;
        if (!outline_shows(walk->outline, level->node, &row->branch))
            continue;
        row->kind = row->branch.is_alias ? ROW_ALIAS : ROW_NODE;
        if (row->branch.variable != OUTLINE_NONE && !walk->each_slot) {
            row->kind = ROW_SLOTS;
            row->branch.node = level->node;
            level->next = SIZE_MAX / 2;
        }
        return;
    }
    level->has_waiting = false;
}

static bool descend(struct tree_walk *walk, uint32_t node)
{
    if (walk->level_count == walk->level_room) {
        size_t room = 2 * walk->level_room + 16;
        void *levels = realloc(walk->levels, room * sizeof *walk->levels);
        if (!levels)
            return false;
        walk->levels = levels;
        walk->level_room = room;
    }
    struct tree_level *level = &walk->levels[walk->level_count++];
    *level = (struct tree_level){ .node = node };
    if (!sort_edges(walk, level))
        return false;
    look_ahead(walk, level);
    return true;
}

/* Descends below a row, unless that is too deep. */
static void enter(struct tree_walk *walk, struct row *row)
{
    if (row->kind != ROW_NODE)
        return;
    if (row->depth >= walk->depth)
        row->is_cut = walk->outline->nodes[row->branch.node].below > 0;
    else if (!descend(walk, row->branch.node))
        walk->failed = true;
}

bool tree_walk_next(struct tree_walk *walk, struct row *row)
{
    if (!walk->begun) {
        walk->begun = true;
        *row = (struct row){ .branch = { .node = walk->outline->root,
                                 .variable = OUTLINE_NONE,
                                 .name = "" } };
        enter(walk, row);
        return true;
    }
    while (walk->level_count > 0 && !walk->failed) {
        struct tree_level *level = &walk->levels[walk->level_count - 1];
        if (!level->has_waiting) {
            free(level->order);
            walk->level_count--;
            continue;
        }
        *row = level->waiting;
        look_ahead(walk, level);
        enter(walk, row);
        return true;
    }
    return false;
}
