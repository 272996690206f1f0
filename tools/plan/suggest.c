/* suggest.c - Pairs free values of both sides, most reliable pairs first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "suggest.h"

#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "memory.h"
#include "style.h"

enum {
    MOST_NAMES = 16,      /* at the end of a path that are compared */
    MOST_WORK = 50000000, /* characters compared by edit distance in a class */
    LONGEST_COMPARED = 1000, /* characters of a path */
};

/* Largest distance of the paths of a pair. */
static const double farthest = 0.6;

/* A value without a match. */
struct loose {
    const struct found *found;
    const char *path;
    varve_tensor value; /* for a state, dtype is 0 */
    bool is_of_file;
    bool is_taken;
    struct loose *partner;
};

/* A class of values with equal type and shape, sorted by path: those of the
 * program, and those of the file. */
struct kin {
    struct loose **program, **file;
    size_t wanted, offered;         /* number of values */
    size_t wanted_now, offered_now; /* number of free values */
};

struct work {
    struct suggestions *to;
    struct loose *items;
    size_t count;
};

/* --- Gathering ---------------------------------------------------------- */

static bool is_slot(const char *path)
{
    return strchr(path, '(') != NULL;
}

static bool is_whole(const char *path)
{
    return *path && strncmp(path, "...", 3) != 0;
}

/* Returns true for a state of a file. It has a type and a shape there, and none
 * in a program. */
static bool is_state(
    const varve_reader *reader, const char *root, const char *path)
{
    varve_saved_node node;
    char *whole = memory_join_path(root, path);
    bool found = varve_reader_find(reader, whole, &node);
    free(whole);
    return found && node.kind == VARVE_STATE;
}

static void gather(struct work *w, const struct found_list *list,
    bool is_of_file, bool with_slots, const varve_reader *reader,
    const char *root)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct found *f = &list->items[i];
        const char *path = is_of_file ? f->file_path : f->program_path;
        if (f->is_excused || !is_whole(path) || (is_slot(path) && !with_slots))
            continue;
        struct loose *l = &w->items[w->count++];
        *l = (struct loose){ .found = f,
            .path = path,
            .value = is_of_file ? f->saved : f->wanted,
            .is_of_file = is_of_file };
        if (is_of_file && is_state(reader, root, path))
            l->value = (varve_tensor){ .rank = 0 };
    }
}

static int compare_values(const varve_tensor *a, const varve_tensor *b)
{
    if (a->dtype != b->dtype)
        return a->dtype < b->dtype ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->shape[i] != b->shape[i])
            return a->shape[i] < b->shape[i] ? -1 : 1;
    }
    return 0;
}

/* Compares by class. Slots and other values are in different classes. */
static int compare_kin(const void *left, const void *right)
{
    const struct loose *a = left;
    const struct loose *b = right;
    int order = compare_values(&a->value, &b->value);
    if (order == 0)
        order = is_slot(a->path) - is_slot(b->path);
    return order;
}

static int compare_loose(const void *left, const void *right)
{
    const struct loose *a = left;
    const struct loose *b = right;
    int order = compare_kin(left, right);
    if (order == 0)
        order = a->is_of_file - b->is_of_file;
    return order ? order : text_compare(a->path, b->path);
}

/* --- Pairs -------------------------------------------------------------- */

static void take(struct work *w, struct kin *kin, struct loose *wanted,
    struct loose *offered, enum how how, double distance)
{
    struct suggestions *s = w->to;
    s->items = memory_grow(s->items, &s->capacity, s->count, sizeof *s->items);
    s->items[s->count++] = (struct suggestion){
        .program_path = memory_copy_text(wanted->path, strlen(wanted->path)),
        .file_path = memory_copy_text(offered->path, strlen(offered->path)),
        .how = how,
        .candidates = kin->offered_now,
        .distance = distance,
    };
    wanted->is_taken = offered->is_taken = true;
}

static void count_free(struct kin *kin)
{
    size_t free_items = 0;
    for (size_t i = 0; i < kin->wanted; i++)
        free_items += !kin->program[i]->is_taken;
    kin->wanted_now = free_items;
    free_items = 0;
    for (size_t i = 0; i < kin->offered; i++)
        free_items += !kin->file[i]->is_taken;
    kin->offered_now = free_items;
}

/* Returns the last `names` names of a path; NULL if it has fewer. */
static const char *end_of(const char *path, int names)
{
    const char *at = path + strlen(path);
    while (names > 0) {
        if (at == path)
            return NULL;
        for (at--; at > path && at[-1] != '/'; at--)
            ;
        if (--names > 0 && at > path)
            at--;
    }
    return at;
}

struct ending {
    const char *text;
    struct loose *loose;
};

static int compare_endings(const void *left, const void *right)
{
    const struct ending *a = left;
    const struct ending *b = right;
    int order = strcmp(a->text, b->text);
    return order ? order : a->loose->is_of_file - b->loose->is_of_file;
}

static size_t add_endings(struct ending *to, struct loose *const *items,
    size_t count, int names, size_t used)
{
    for (size_t i = 0; i < count; i++) {
        const char *end =
            items[i]->is_taken ? NULL : end_of(items[i]->path, names);
        if (end)
            to[used++] = (struct ending){ end, items[i] };
    }
    return used;
}

static bool ends_as(const struct ending *all, size_t count, size_t i, size_t j)
{
    return j < count && strcmp(all[i].text, all[j].text) == 0;
}

/* Pairs two values, one from each side, if their last names are equal and
 * differ from those of all others. */
static void pair_ends(
    struct work *w, struct kin *kin, struct ending *all, int names)
{
    size_t count = add_endings(all, kin->program, kin->wanted, names, 0);
    count = add_endings(all, kin->file, kin->offered, names, count);
    qsort(all, count, sizeof *all, compare_endings);
    count_free(kin);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (ends_as(all, count, i, end))
            end++;
        if (end == i + 2 && !all[i].loose->is_of_file &&
            all[i + 1].loose->is_of_file)
            take(w, kin, all[i].loose, all[i + 1].loose, HOW_END, -1);
        i = end;
    }
}

double path_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    size_t longer = m > n ? m : n;
    if (longer == 0)
        return 0;
    if (longer > LONGEST_COMPARED)
        return 1;
    unsigned row[LONGEST_COMPARED + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned above = row[j];
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = above + 1 < best ? above + 1 : best;
            diagonal = above;
        }
    }
    return (double)row[n] / (double)longer;
}

/* Returns the nearest free value and sets *distance; returns NULL if two are
 * equally near. */
static struct loose *nearest(const struct loose *to,
    struct loose *const *others, size_t count, double *distance)
{
    struct loose *best = NULL;
    *distance = 2;
    for (size_t i = 0; i < count; i++) {
        if (others[i]->is_taken)
            continue;
        double d = path_distance(to->path, others[i]->path);
        if (d <= *distance)
            best = d < *distance ? others[i] : NULL;
        *distance = d < *distance ? d : *distance;
    }
    return best;
}

static bool is_too_much(const struct kin *kin)
{
    size_t letters = 1;
    for (size_t i = 0; i < kin->wanted; i++) {
        if (!kin->program[i]->is_taken)
            letters += strlen(kin->program[i]->path);
    }
    size_t others = 1;
    for (size_t i = 0; i < kin->offered; i++) {
        if (!kin->file[i]->is_taken)
            others += strlen(kin->file[i]->path);
    }
    return letters > MOST_WORK / others;
}

/* Pairs values that are mutually the unique nearest. */
static void pair_names(struct work *w, struct kin *kin)
{
    double near, back;
    if (is_too_much(kin)) {
        w->to->uncompared += kin->wanted_now;
        return;
    }
    for (size_t i = 0; i < kin->offered; i++) {
        if (!kin->file[i]->is_taken)
            kin->file[i]->partner =
                nearest(kin->file[i], kin->program, kin->wanted, &back);
    }
    for (size_t i = 0; i < kin->wanted; i++) {
        struct loose *wanted = kin->program[i];
        if (wanted->is_taken)
            continue;
        struct loose *best = nearest(wanted, kin->file, kin->offered, &near);
        if (best && best->partner == wanted && near <= farthest)
            take(w, kin, wanted, best, HOW_NAME, near);
    }
}

/* Pairs values in order if both sides have the same number. */
static void pair_places(struct work *w, struct kin *kin)
{
    size_t j = 0;
    if (kin->wanted_now != kin->offered_now)
        return;
    enum how how = kin->wanted_now == 1 ? HOW_ONLY : HOW_PLACE;
    for (size_t i = 0; i < kin->wanted; i++) {
        if (kin->program[i]->is_taken)
            continue;
        while (kin->file[j]->is_taken)
            j++;
        take(w, kin, kin->program[i], kin->file[j], how, -1);
    }
}

static void pair_kin(struct work *w, struct kin *kin)
{
    struct ending *all =
        memory_allocate(kin->wanted + kin->offered, sizeof *all);
    for (int names = MOST_NAMES; names > 0; names--)
        pair_ends(w, kin, all, names);
    free(all);
    count_free(kin);
    if (kin->wanted_now == 1 && kin->offered_now == 1)
        pair_places(w, kin);
    else if (kin->wanted_now && kin->offered_now)
        pair_names(w, kin);
    count_free(kin);
    if (kin->wanted_now && kin->offered_now)
        pair_places(w, kin);
}

/* --- Public functions --------------------------------------------------- */

static void pair_all(struct work *w)
{
    struct loose **sorted = memory_allocate(w->count, sizeof *sorted);
    qsort(w->items, w->count, sizeof *w->items, compare_loose);
    for (size_t i = 0; i < w->count; i++)
        sorted[i] = &w->items[i];
    for (size_t i = 0; i < w->count;) {
        size_t end = i + 1, split = i;
        while (end < w->count && compare_kin(&w->items[i], &w->items[end]) == 0)
            end++;
        while (split < end && !w->items[split].is_of_file)
            split++;
        struct kin kin = { .program = sorted + i,
            .file = sorted + split,
            .wanted = split - i,
            .offered = end - split };
        if (kin.wanted && kin.offered)
            pair_kin(w, &kin);
        i = end;
    }
    free(sorted);
}

void suggest(struct suggestions *s, const struct trial *trial,
    const varve_reader *reader, const char *root, bool with_slots)
{
    size_t count = trial->missing.count + trial->unexpected.count;
    /* an earlier call counted values that are counted again */
    s->uncompared = 0;
    struct work w = { .to = s,
        .items = memory_allocate(count, sizeof *w.items) };
    gather(&w, &trial->missing, false, with_slots, reader, root);
    gather(&w, &trial->unexpected, true, with_slots, reader, root);
    pair_all(&w);
    free(w.items);
}

static void forget(struct suggestion *s)
{
    free(s->program_path);
    free(s->file_path);
}

void suggestions_cut(struct suggestions *s, size_t count)
{
    while (s->count > count)
        forget(&s->items[--s->count]);
}

void suggestions_keep(struct suggestions *s, const struct folds *folds)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (folds_have(folds, &s->items[i]))
            s->items[kept++] = s->items[i];
        else
            forget(&s->items[i]);
    }
    s->count = kept;
}

void suggestions_clear(struct suggestions *s)
{
    suggestions_cut(s, 0);
    free(s->items);
    *s = (struct suggestions){ .left_out = s->left_out,
        .uncompared = s->uncompared };
}
