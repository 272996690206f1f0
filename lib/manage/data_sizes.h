/* data_sizes.h - Computes the sizes of the data files of incremental and
 * collective checkpoints, for the retention policy that counts bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DATA_SIZES_H
#define VV_DATA_SIZES_H

#include "listing.h"

/* Sets the additional size of each entry: its data files that no newer entry
 * has. The sum over the newest entries is therefore their total size. Reads the
 * indexes, from the newest entry on, until the total exceeds `most`. An entry
 * that cannot be read has size 0. Returns VARVE_NO_MEMORY without memory. */
varve_status vv_data_sizes_find(
    struct vv_listing *listing, uint64_t most, varve_error *error);

#endif
