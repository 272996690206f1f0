/* trial.c - Runs a dry run and sorts its findings.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trial.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

static char *copied(const char *text)
{
    return memory_copy_text(text ? text : "", text ? strlen(text) : 0);
}

/* Returns a path without the path of the root. */
static const char *below(const struct trial *t, const char *path)
{
    return path && t->subtree_size && strlen(path) > t->subtree_size &&
                   path[t->subtree_size] == '/'
               ? path + t->subtree_size + 1
               : path;
}

static void keep(
    const struct trial *t, struct found_list *list, const varve_finding *f)
{
    list->items = memory_grow(
        list->items, &list->capacity, list->count, sizeof *list->items);
    list->items[list->count++] = (struct found){ .kind = f->kind,
        .program_path = copied(f->program_path),
        .file_path = copied(below(t, f->file_path)),
        .reason = copied(f->reason),
        .nearest = copied(f->nearest),
        .saved = f->saved,
        .wanted = f->wanted,
        .size = f->size,
        .is_excused = f->expected,
        .is_cast = f->cast };
}

static bool is_in_place(const struct trial *t, const varve_finding *f)
{
    return f->program_path && f->file_path &&
           strcmp(f->program_path, below(t, f->file_path)) == 0;
}

static varve_status on_finding(void *user, const varve_finding *f)
{
    struct trial *t = user;
    switch (f->kind) {
    case VARVE_FINDING_MATCHED:
        if (is_in_place(t, f) && !f->cast)
            t->by_path++;
        else
            keep(t, &t->moved, f);
        break;
    case VARVE_FINDING_MISSING: keep(t, &t->missing, f); break;
    case VARVE_FINDING_MISMATCHED: keep(t, &t->inexact, f); break;
    default: keep(t, &t->unexpected, f);
    }
    return VARVE_OK;
}

varve_status trial_run(struct trial *t, varve_node *root, const char *file,
    const varve_read_options *options, varve_error *error)
{
    *t = (struct trial){ .by_path = 0 };
    if (options->subtree)
        t->subtree_size = strlen(options->subtree);
    varve_restoration *plan = varve_dry_run(root, file, options, error);
    if (!plan)
        return error->status;
    varve_status status = VARVE_OK;
    for (int k = 0; k < VARVE_FINDING_KINDS && !status; k++)
        status = varve_each_finding(
            plan, (varve_finding_kind)k, on_finding, t, error);
    varve_restoration_free(plan);
    return status;
}

char *trial_report(varve_node *root, const char *file,
    const varve_read_options *options, varve_error *error)
{
    varve_restoration *plan = varve_dry_run(root, file, options, error);
    varve_report *report = plan ? varve_report_new(plan, error) : NULL;
    const char *json = report ? varve_report_json(report, error) : NULL;
    char *copy = json ? copied(json) : NULL;
    varve_report_free(report);
    varve_restoration_free(plan);
    return copy;
}

static size_t unexcused(const struct found_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += !list->items[i].is_excused;
    return count;
}

static int compare_found(const void *left, const void *right)
{
    const struct found *const *a = left;
    const struct found *const *b = right;
    int order = strcmp((*a)->program_path, (*b)->program_path);
    return order ? order : strcmp((*a)->file_path, (*b)->file_path);
}

static bool moves_all(const struct trial *t, const struct trial *before)
{
    const struct found **moved = memory_allocate(t->moved.count, sizeof *moved);
    bool all = true;
    for (size_t i = 0; i < t->moved.count; i++)
        moved[i] = &t->moved.items[i];
    qsort(moved, t->moved.count, sizeof *moved, compare_found);
    for (size_t i = 0; all && i < before->moved.count; i++) {
        const struct found *key = &before->moved.items[i];
        all = bsearch(&key, moved, t->moved.count, sizeof *moved,
                  compare_found) != NULL;
    }
    free(moved);
    return all;
}

bool trial_is_as_good(const struct trial *t, const struct trial *before)
{
    return t->by_path >= before->by_path &&
           unexcused(&t->missing) <= unexcused(&before->missing) &&
           unexcused(&t->inexact) <= unexcused(&before->inexact) &&
           moves_all(t, before);
}

static void clear(struct found_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].program_path);
        free(list->items[i].file_path);
        free(list->items[i].reason);
        free(list->items[i].nearest);
    }
    free(list->items);
}

void trial_clear(struct trial *t)
{
    clear(&t->moved);
    clear(&t->missing);
    clear(&t->unexpected);
    clear(&t->inexact);
    *t = (struct trial){ .by_path = 0 };
}
