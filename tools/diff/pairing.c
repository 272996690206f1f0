/* pairing.c - Pairs entries by hashes of paths, and verifies the pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pairing.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct keyed {
    uint64_t key[2];
    size_t entry;
    bool is_renamed;
};

/* Compares by key. A renamed entry precedes others with the same path. */
static int compare(const void *left, const void *right)
{
    const struct keyed *a = left;
    const struct keyed *b = right;
    for (int i = 0; i < 2; i++) {
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    }
    if (a->is_renamed != b->is_renamed)
        return a->is_renamed ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

static struct keyed *sorted(const struct side *s)
{
    struct keyed *all = memory_allocate(s->count, sizeof *all);
    for (size_t i = 0; i < s->count; i++) {
        const struct entry *e = &s->entries[i];
        all[i] = (struct keyed){ .key = { e->key[0], e->key[1] },
            .entry = i,
            .is_renamed = e->renamed != NULL };
    }
    qsort(all, s->count, sizeof *all, compare);
    return all;
}

static bool have_one_key(const struct keyed *a, const struct keyed *b)
{
    return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

static void pair(struct side *a, size_t i, struct side *b, size_t j)
{
    a->entries[i].partner = j;
    b->entries[j].partner = i;
    a->entries[i].other = b->entries[j].node;
    b->entries[j].other = a->entries[i].node;
}

static void part(struct side *a, size_t i, struct side *b, size_t j)
{
    a->entries[i].partner = b->entries[j].partner = ENTRY_NONE;
    a->entries[i].other = b->entries[j].other = OUTLINE_NONE;
}

static size_t past_key(const struct keyed *all, size_t count, size_t from)
{
    size_t to = from + 1;
    while (to < count && have_one_key(&all[from], &all[to]))
        to++;
    return to;
}

static void pair_keys(struct side *a, struct side *b)
{
    struct keyed *of_a = sorted(a);
    struct keyed *of_b = sorted(b);
    size_t i = 0, j = 0;
    while (i < a->count && j < b->count) {
        int order =
            have_one_key(&of_a[i], &of_b[j]) ? 0 : compare(&of_a[i], &of_b[j]);
        if (order == 0)
            pair(a, of_a[i].entry, b, of_b[j].entry);
        size_t next = order <= 0 ? past_key(of_a, a->count, i) : i;
        j = order >= 0 ? past_key(of_b, b->count, j) : j;
        i = next;
    }
    free(of_a);
    free(of_b);
}

/* Returns true if two entries with the same key certainly have the same path:
 * equal names below paired parents and, for slots, paired variables. */
static bool is_sure(
    const struct side *a, size_t i, const struct side *b, size_t j)
{
    const struct entry *x = &a->entries[i];
    const struct entry *y = &b->entries[j];
    bool is_slot = x->variable != OUTLINE_NONE;
    if (x->parent == ENTRY_NONE || y->parent == ENTRY_NONE)
        return x->parent == y->parent;
    if (x->renamed || y->renamed || a->entries[x->parent].partner != y->parent)
        return false;
    if (is_slot != (y->variable != OUTLINE_NONE))
        return false;
    if (is_slot && (a->places[x->variable] == ENTRY_NONE ||
                       b->places[y->variable] == ENTRY_NONE ||
                       a->entries[a->places[x->variable]].partner !=
                           b->places[y->variable]))
        return false;
    return strcmp(x->name, y->name) == 0;
}

/* Compares paths as texts. A rename can escape more characters than
 * necessary. */
static bool is_spelled_alike(
    const struct side *a, size_t i, const struct side *b, size_t j)
{
    char *one = side_path(a, i);
    char *other = side_path(b, j);
    bool alike =
        strcmp(one, other) == 0 || (a->entries[i].renamed && strchr(one, '%'));
    free(one);
    free(other);
    return alike;
}

static void make_sure(struct side *a, struct side *b)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t j = a->entries[i].partner;
        if (j != ENTRY_NONE && !is_sure(a, i, b, j) &&
            !is_spelled_alike(a, i, b, j))
            part(a, i, b, j);
    }
}

/* Finds nodes for unpaired entries by path. The other file may have a path that
 * is not in its tree, for example through an edge to a parent. */
static void look_up(struct side *from, const struct side *in_other)
{
    varve_saved_node found;
    const char *root = in_other->target.node.path;
    for (size_t i = 0; i < from->count; i++) {
        struct entry *e = &from->entries[i];
        if (e->partner != ENTRY_NONE || (*root && e->variable != OUTLINE_NONE))
            continue;
        char *path = side_path(from, i);
        char *whole = memory_join_path(root, path);
        if (varve_reader_find(in_other->target.reader, whole, &found) &&
            in_other->outline.nodes[found.id].reached)
            e->other = found.id;
        free(whole);
        free(path);
    }
}

static bool has_renamed(const struct side *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->entries[i].renamed)
            return true;
    }
    return false;
}

void pair_sides(struct side *a, struct side *b)
{
    pair_keys(a, b);
    make_sure(a, b);
    if (b->has_aliases)
        look_up(a, b);
    if (a->has_aliases && !has_renamed(a))
        look_up(b, a);
}
