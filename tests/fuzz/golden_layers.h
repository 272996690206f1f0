/* golden_layers.h - the layers of the golden files, read once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_GOLDEN_LAYERS_H
#define FUZZ_GOLDEN_LAYERS_H

#include "fuzz/many_files.h"

struct golden_layer {
    char name[MOST_NAME + 1]; /* of the file, without a folder */
    uint8_t *bytes;
    size_t size;
};

size_t golden_layer_count(void);
const struct golden_layer *golden_layer_at(size_t i);

/* Under its name in `layers` below a folder, which ends with "/" or is empty;
 * with these bytes, which are borrowed. */
void golden_layer_add(struct many_files *files, const char *folder,
    const struct golden_layer *layer, const uint8_t *bytes, size_t size);

#endif
