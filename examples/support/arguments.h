/* arguments.h - the command line of 01_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_ARGUMENTS_H
#define SUPPORT_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arguments {
    int64_t steps;
    uint64_t save_every; /* at least 1 */
    uint64_t seed;
    size_t keep; /* of the newest checkpoints; 0: all */
    const char *directory;
    const char *text; /* NULL: one that the system has */
    bool quiet;
};

/* Writes over what the command line names; false if it makes no sense. */
bool arguments_parse(struct arguments *arguments, int count, char **words);

#endif
