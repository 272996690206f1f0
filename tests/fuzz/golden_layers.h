/* golden_layers.h - Declares the data files of the golden checkpoints, which
 * are read once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_GOLDEN_LAYERS_H
#define FUZZ_GOLDEN_LAYERS_H

#include "fuzz/many_files.h"

struct golden_layer {
    char name[MOST_NAME + 1]; /* file name without the folder */
    uint8_t *bytes;
    size_t size;
};

size_t golden_layer_count(void);
const struct golden_layer *golden_layer_at(size_t i);

/* Adds a data file under its name in the subfolder `layers` of `folder`, which
 * ends with "/" or is empty. The bytes are borrowed. */
void golden_layer_add(struct many_files *files, const char *folder,
    const struct golden_layer *layer, const uint8_t *bytes, size_t size);

#endif
