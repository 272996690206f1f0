/* parts.h - Declares checks for graphs with slices, which a single process
 * cannot save.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_PARTS_H
#define MIX_PARTS_H

#include "mix/mix.h"

/* Call before a save. Returns true if the save must be refused; then it is
 * attempted in one of several ways and must change nothing. */
bool mix_is_refused(struct mix *m, uint8_t graph, uint8_t root, uint8_t how);

/* Returns true if a saver must refuse its named values. */
bool mix_names_part(const struct mix *m, const struct mix_saver *saver);

#endif
