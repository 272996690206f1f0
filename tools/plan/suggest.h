/* suggest.h - Suggests values of a file for missing values of a program: pairs
 * with equal type and shape, each value once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SUGGEST_H
#define TOOL_SUGGEST_H

#include <varve/reader.h>

#include "trial.h"

/* The reason for a suggestion; most reliable first. */
enum how {
    HOW_ALONG, /* a slot that follows its owner and its variable */
    HOW_END,   /* the only pair whose paths end in the same names */
    HOW_ONLY,  /* the only pair left with their type and shape */
    HOW_NAME,  /* the paths are mutually the nearest */
    HOW_PLACE  /* equal numbers on both sides, in the same order */
};

struct suggestion {
    char *program_path;
    char *file_path;
    enum how how;
    /* number of values in the file that had this type and shape and were not
     * used yet */
    size_t candidates;
    double distance; /* of the paths, from 0 to 1; negative: not computed */
};

struct suggestions {
    struct suggestion *items;
    size_t count, capacity;
    /* number of values of the program that were not compared, because there are
     * too many in the file */
    size_t uncompared;
    size_t left_out; /* number of suggestions that were found and not used */
};

/* Adds suggestions for the values that `trial` reports as missing; for slots
 * only if `with_slots`. Each value of the program and of the file is used at
 * most once. `reader` reads the file, and `root` is the path in it that is the
 * root. */
void suggest(struct suggestions *suggestions, const struct trial *trial,
    const varve_reader *reader, const char *root, bool with_slots);

/* suggestions_cut removes all after the first `count`; suggestions_keep removes
 * all that do not follow from a fold. */
struct folds;
void suggestions_cut(struct suggestions *suggestions, size_t count);
void suggestions_keep(
    struct suggestions *suggestions, const struct folds *folds);
void suggestions_clear(struct suggestions *suggestions);

/* Returns the edit distance relative to the longer text, from 0 (equal) to
 * 1. */
double path_distance(const char *a, const char *b);

#endif
