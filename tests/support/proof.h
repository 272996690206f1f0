/* proof.h - tests that say how much they tried, and try more when asked to.
 *
 * scripts/prove.sh sets VARVE_PROOF=long and gives the name of a file in
 * VARVE_PROOF_COUNTS, to which each count is added as a line "name number".
 * Without them a test runs its usual size and only logs what it counted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_PROOF_H
#define SUPPORT_PROOF_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the long version was asked for. */
bool proof_is_long(void);

/* How many to try: `usual`, or `longer` in the long version. */
uint64_t proof_size(uint64_t usual, uint64_t longer);

/* The beginning of what is random: VARVE_PROOF_SEED, or always the same. A test
 * that fails names it. */
uint64_t proof_seed(void);

/* The next number of a sequence (SplitMix64); `state` begins as any number. */
uint64_t proof_next(uint64_t *state);

/* Says that so many of these were tried; counts of one name are added up. The
 * name has a dot: "faults.allocations". */
void proof_count(const char *name, uint64_t count);

#endif
