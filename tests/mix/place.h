/* place.h - Declares the directory for the files of a run, in memory if the
 * machine has such a file system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_PLACE_H
#define MIX_PLACE_H

/* Creates a new empty directory and writes its path. */
void mix_place_make(char *path, unsigned size);

/* Removes all files in the directory; mix_place_remove also removes the
 * directory. */
void mix_place_empty(const char *path);
void mix_place_remove(const char *path);

/* Returns the number of open descriptors of this process. */
int mix_place_descriptors(void);

#endif
