/* nodes.h - slices in directories that ranks have for themselves.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PORTABLE_NODES_H
#define PORTABLE_NODES_H

/* Processes save their slices with redundancy, one loses what it has, and all
 * resume. Leaves the checkpoints and their parity in a new folder. NULL, or
 * what went wrong. */
const char *nodes_write(const char *folder);

/* Reads the slice of each from such a folder. */
const char *nodes_read(const char *folder);

#endif
