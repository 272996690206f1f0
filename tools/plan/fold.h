/* fold.h - many renames as few: of the objects that values are below.
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
    size_t count; /* of suggestions that it makes */
};

struct folds {
    struct fold *items;
    size_t count, capacity;
};

/* At most 64, or none: the renames of objects from which the suggestions
 * follow, those of longer paths first. Suggestions whose paths have no name at
 * their ends in common, or nothing before that, are in none. */
void folds_make(struct folds *folds, const struct suggestions *suggestions);
/* A copy of some, and one more. */
struct folds folds_with(const struct folds *folds, const struct fold *fold);

void folds_clear(struct folds *folds);

/* Whether a suggestion follows from one, or from one of them. */
bool fold_has(const struct fold *fold, const struct suggestion *suggestion);
bool folds_have(const struct folds *folds, const struct suggestion *suggestion);

#endif
