/* cut.h - values of a file put into pieces, at random.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_CUT_H
#define FUZZ_CUT_H

#include "fuzz/pieces.h"

/* Adds the three columns, where the file has none of them and has no layers. */
void cut_values(struct pieces *p, uint64_t random);

#endif
