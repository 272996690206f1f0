/* fold.c - Finds renames of objects from the common ends of pairs of paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Returns the start of the common end of two paths, which consists of whole
 * names with the '/' before them; 0 if there is none, or nothing before it. */
static size_t common_end(const char *a, const char *b, size_t *of_b)
{
    size_t i = strlen(a), j = strlen(b), found = 0;
    while (i > 0 && j > 0 && a[i - 1] == b[j - 1]) {
        i--;
        j--;
        if (a[i] == '/' && i > 0 && j > 0) {
            found = i;
            *of_b = j;
        }
    }
    return found;
}

static bool is_of(const struct fold *f, const char *program, size_t size,
    const char *file, size_t file_size)
{
    return strlen(f->program_path) == size &&
           strlen(f->file_path) == file_size &&
           memcmp(f->program_path, program, size) == 0 &&
           memcmp(f->file_path, file, file_size) == 0;
}

static int compare_folds(const void *left, const void *right)
{
    const struct fold *a = left;
    const struct fold *b = right;
    size_t m = strlen(a->program_path), n = strlen(b->program_path);
    if (m != n)
        return m > n ? -1 : 1;
    int order = strcmp(a->program_path, b->program_path);
    return order ? order : strcmp(a->file_path, b->file_path);
}

static void add(struct folds *folds, const struct suggestion *s)
{
    size_t file_size = 0;
    size_t size = common_end(s->program_path, s->file_path, &file_size);
    if (!size || strchr(s->program_path, '('))
        return;
    folds->items = memory_grow(
        folds->items, &folds->capacity, folds->count, sizeof *folds->items);
    folds->items[folds->count++] =
        (struct fold){ .program_path = memory_copy_text(s->program_path, size),
            .file_path = memory_copy_text(s->file_path, file_size),
            .count = 1 };
}

/* More than this would not be a summary. */
enum { MOST_FOLDS = 64 };

static void fold_clear(struct fold *f)
{
    free(f->program_path);
    free(f->file_path);
}

void folds_make(struct folds *folds, const struct suggestions *s)
{
    *folds = (struct folds){ .count = 0 };
    for (size_t i = 0; i < s->count; i++)
        add(folds, &s->items[i]);
    if (folds->count == 0)
        return;
    qsort(folds->items, folds->count, sizeof *folds->items, compare_folds);
    size_t kept = 0;
    for (size_t i = 1; i < folds->count; i++) {
        if (compare_folds(&folds->items[kept], &folds->items[i]) == 0) {
            folds->items[kept].count++;
            fold_clear(&folds->items[i]);
        } else {
            folds->items[++kept] = folds->items[i];
        }
    }
    folds->count = kept + 1;
    if (folds->count > MOST_FOLDS)
        folds_clear(folds);
}

void folds_clear(struct folds *folds)
{
    for (size_t i = 0; i < folds->count; i++)
        fold_clear(&folds->items[i]);
    free(folds->items);
    *folds = (struct folds){ .count = 0 };
}

static void add_copy(struct folds *folds, const struct fold *f)
{
    folds->items = memory_grow(
        folds->items, &folds->capacity, folds->count, sizeof *folds->items);
    folds->items[folds->count++] =
        (struct fold){ .program_path = memory_copy_text(
                           f->program_path, strlen(f->program_path)),
            .file_path = memory_copy_text(f->file_path, strlen(f->file_path)),
            .count = f->count };
}

struct folds folds_with(const struct folds *folds, const struct fold *fold)
{
    struct folds copy = { .count = 0 };
    for (size_t i = 0; i < folds->count; i++)
        add_copy(&copy, &folds->items[i]);
    add_copy(&copy, fold);
    return copy;
}

bool fold_has(const struct fold *f, const struct suggestion *s)
{
    size_t file_size = 0;
    size_t size = common_end(s->program_path, s->file_path, &file_size);
    return size && !strchr(s->program_path, '(') &&
           is_of(f, s->program_path, size, s->file_path, file_size);
}

bool folds_have(const struct folds *folds, const struct suggestion *s)
{
    size_t file_size = 0;
    size_t size = common_end(s->program_path, s->file_path, &file_size);
    bool has = false;
    if (!size || strchr(s->program_path, '('))
        return false;
    for (size_t i = 0; !has && i < folds->count; i++)
        has = is_of(
            &folds->items[i], s->program_path, size, s->file_path, file_size);
    return has;
}
