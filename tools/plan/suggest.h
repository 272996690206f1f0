/* suggest.h - what of a file may be meant by what of a program: values of one
 * type and shape, each once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SUGGEST_H
#define TOOL_SUGGEST_H

#include <varve/reader.h>

#include "trial.h"

/* How a suggestion was found; the surest first. */
enum how {
    HOW_ALONG, /* a slot, with its owner and its variable */
    HOW_END,   /* the only two whose paths end in the same names */
    HOW_ONLY,  /* the only two left of their type and shape */
    HOW_NAME,  /* each the nearest to the other by its path */
    HOW_PLACE  /* as many on both sides, in the same order */
};

struct suggestion {
    char *program_path;
    char *file_path;
    enum how how;
    size_t candidates; /* of the file that had the type and shape, and were
                          free as it was found */
    double distance;   /* of the paths, from 0 to 1; below 0: not looked at */
};

struct suggestions {
    struct suggestion *items;
    size_t count, capacity;
    size_t uncompared; /* values of the program whose names were not compared
                          with those of the file, which are too many */
    size_t left_out;   /* suggestions that were found and are not used */
};

/* Adds what may be meant by what `trial` has found missing. Slots only where
 * `with_slots`. A value of the program, and one of the file, comes once at
 * most. `reader` has the file, `root` the path in it that is the root. */
void suggest(struct suggestions *suggestions, const struct trial *trial,
    const varve_reader *reader, const char *root, bool with_slots);

/* Forgets all behind the first so many; or all that do not follow from a
 * fold. */
struct folds;
void suggestions_cut(struct suggestions *suggestions, size_t count);
void suggestions_keep(
    struct suggestions *suggestions, const struct folds *folds);
void suggestions_clear(struct suggestions *suggestions);

/* A number from 0, of equal texts, to 1: how many letters have to be changed,
 * of the longer one. */
double path_distance(const char *a, const char *b);

#endif
