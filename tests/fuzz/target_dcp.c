/* target_dcp.c - Fuzzes torch.distributed checkpoints: a metadata file and one
 * data file.
 *
 * An input is the size of the metadata in two bytes, the metadata, and the
 * bytes of hostile.distcp.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/several.h"

void fuzz_dcp(const uint8_t *bytes, size_t size)
{
    static const char data[] = FUZZ_STEM "distcp";
    if (size < 2)
        return;
    size_t metadata = (size_t)bytes[0] | (size_t)bytes[1] << 8;
    metadata = metadata < size - 2 ? metadata : size - 2;
    struct several *s = several_new(bytes + 2, metadata);
    many_files_add(&s->files, data, sizeof data - 1, bytes + 2 + metadata,
        size - 2 - metadata);
    s->size = size - 2;
    s->bounded = bounded_by(s->size);
    s->bounded.bound += FUZZ_TORCH_FACTOR * s->size;
    several_read(s, NULL);
    free(s);
}
