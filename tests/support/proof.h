/* proof.h - Declares support for tests that report how many cases they tried,
 * and try more on request.
 *
 * scripts/prove.sh sets VARVE_PROOF=long and VARVE_PROOF_COUNTS to the name of
 * a file, to which each count is appended as a line "name number". Without them
 * a test has its usual size and only logs its counts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_PROOF_H
#define SUPPORT_PROOF_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the long version was requested. */
bool proof_is_long(void);

/* Returns the number of cases: `usual`, or `longer` in the long version. */
uint64_t proof_size(uint64_t usual, uint64_t longer);

/* Returns the random seed: VARVE_PROOF_SEED, or a constant. A failing test
 * prints it. */
uint64_t proof_seed(void);

/* Returns the next number of a sequence (SplitMix64). `state` may start with
 * any number. */
uint64_t proof_next(uint64_t *state);

/* Reports a number of tried cases. Counts with the same name are added up. The
 * name contains a dot: "faults.allocations". */
void proof_count(const char *name, uint64_t count);

#endif
