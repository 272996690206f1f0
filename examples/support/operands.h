/* operands.h - Checks the command line of a program without options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLE_OPERANDS_H
#define EXAMPLE_OPERANDS_H

#include <stdbool.h>
#include <stdio.h>

/* Returns true if there are at most `most` operands and no options; otherwise
 * prints the usage. */
static inline bool operands_fit(
    int argc, char **argv, int most, const char *operands)
{
    bool fit = argc - 1 <= most;
    for (int i = 1; i < argc; i++)
        fit = fit && argv[i][0] != '-';
    if (!fit)
        fprintf(
            stderr, "usage: %s%s%s\n", argv[0], *operands ? " " : "", operands);
    return fit;
}

#endif
