/* describe.h - all that a reader says of a file, a line for each thing, for
 * describe.py to compare with what another reader says.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GOLDEN_DESCRIBE_H
#define GOLDEN_DESCRIBE_H

#include <stdio.h>

#include <varve/reader.h>

/* Reads all values; the first failure, after which nothing more is written. */
varve_status describe(FILE *out, varve_reader *reader, varve_error *error);

#endif
