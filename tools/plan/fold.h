/* fold.h - Combines many renames into a few renames of objects.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_FOLD_H
#define TOOL_FOLD_H

#include "suggest.h"

/* `net -> model/layers`, for net/0/bias from model/layers/0/bias and others. */
struct fold {
    char *program_path;
    char *file_path;
    size_t count; /* number of suggestions that follow from it */
};

struct folds {
    struct fold *items;
    size_t count, capacity;
};

/* Makes at most 64 renames of objects from which the suggestions follow, longer
 * paths first. Suggestions whose paths do not end in equal names, or consist
 * only of these, are not included. */
void folds_make(struct folds *folds, const struct suggestions *suggestions);
/* Returns a copy with one more element. */
struct folds folds_with(const struct folds *folds, const struct fold *fold);

void folds_clear(struct folds *folds);

/* Return true if a suggestion follows from one rename, or from one of
 * several. */
bool fold_has(const struct fold *fold, const struct suggestion *suggestion);
bool folds_have(const struct folds *folds, const struct suggestion *suggestion);

#endif
