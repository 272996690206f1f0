/* place.h - the directory that a run has its files in, in memory where the
 * machine has such a place.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_PLACE_H
#define MIX_PLACE_H

/* Makes an empty directory of its own, and writes its path. */
void mix_place_make(char *path, unsigned size);

/* Removes all that is in it; and itself. */
void mix_place_empty(const char *path);
void mix_place_remove(const char *path);

/* Open descriptors of this process. */
int mix_place_descriptors(void);

#endif
