/* data_sizes.h - how large the data of checkpoints are that have all of it in
 * layers, as those of many processes have: for the policy that counts bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DATA_SIZES_H
#define VV_DATA_SIZES_H

#include "listing.h"

/* Sets what each entry takes beside its file: the layers that it names and no
 * newer one that counts. So the newest take together what is summed up. Reads
 * their indexes, from the newest on, until they take more than `most`; what
 * cannot be read takes nothing. VARVE_NO_MEMORY. */
varve_status vv_data_sizes_find(
    struct vv_listing *listing, uint64_t most, varve_error *error);

#endif
