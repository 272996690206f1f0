/* damage.h - Declares copies of files with damaged values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_DAMAGE_H
#define MIX_DAMAGE_H

#include "mix/mix.h"

void mix_copy_file(const char *from, const char *to);

/* Damages those values of the mask `which` that are stored in the file itself.
 * Returns the set of damaged values. */
mix_set mix_damage(struct mix *m, const char *path,
    const struct mix_file *file, uint8_t which);

#endif
