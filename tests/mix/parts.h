/* parts.h - graphs that have a part of a value cannot be saved by one process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_PARTS_H
#define MIX_PARTS_H

#include "mix/mix.h"

/* Before a save: whether it would be refused. Then it is tried in one of
 * several ways, and nothing comes of it. */
bool mix_is_refused(struct mix *m, uint8_t graph, uint8_t root, uint8_t how);

/* Whether a saver would, of what it was given. */
bool mix_names_part(const struct mix *m, const struct mix_saver *saver);

#endif
