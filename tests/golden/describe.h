/* describe.h - Declares a function that prints the content of a file, one line
 * for each item, for comparison with describe.py.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GOLDEN_DESCRIBE_H
#define GOLDEN_DESCRIBE_H

#include <stdio.h>

#include <varve/reader.h>

/* Reads all values. Returns the first failure, after which nothing is
 * written. */
varve_status describe(FILE *out, varve_reader *reader, varve_error *error);

#endif
