/* nodes.h - Declares tests of shards in directories of the ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PORTABLE_NODES_H
#define PORTABLE_NODES_H

/* Saves shards with redundancy, removes those of one process, and resumes on
 * all. Leaves the checkpoints and their parity in a new folder. Returns NULL or
 * an error text. */
const char *nodes_write(const char *folder);

/* Reads the shards from such a folder. */
const char *nodes_read(const char *folder);

#endif
