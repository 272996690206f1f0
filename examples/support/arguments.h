/* arguments.h - the command line of 01_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_ARGUMENTS_H
#define SUPPORT_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct arguments {
    uint64_t steps;
    uint64_t save_every; /* at least 1 */
    uint64_t seed;
    const char *directory;
    const char *text; /* NULL: one that the system has */
    bool quiet;
};

/* Writes over what the command line names; false if it makes no sense. */
bool arguments_parse(struct arguments *arguments, int count, char **words);

#endif
