/* arguments.h - Parses the command line of 01_train.
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
    size_t keep; /* newest checkpoints to keep; 0: all */
    const char *directory;
    const char *text; /* NULL: a text of the system */
    bool quiet;
};

/* Sets the members that the command line contains. Returns false if it is
 * invalid. */
bool arguments_parse(struct arguments *arguments, int count, char **words);

#endif
