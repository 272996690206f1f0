/* damage.h - copies of files in which some values are damaged.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_DAMAGE_H
#define MIX_DAMAGE_H

#include "mix/mix.h"

void mix_copy_file(const char *from, const char *to);

/* Damages the values that the bits of `which` say, if they lie in the file
 * itself; the set of them. */
mix_set mix_damage(struct mix *m, const char *path,
    const struct mix_file *file, uint8_t which);

#endif
