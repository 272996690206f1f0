/* trouble.h - what goes wrong in the next call that may fail: memory that runs
 * out, a disk that is full.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_TROUBLE_H
#define MIX_TROUBLE_H

#include "mix/mix.h"

/* Between the two the trouble that was asked for happens. The second gives the
 * status that it may lead to; VARVE_OK: there was none. */
void mix_trouble_begin(struct mix *m);
varve_status mix_trouble_end(struct mix *m);

#endif
