/* layer_base.h - The base of an incremental save, and the chunks and pages that
 * are unchanged since then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_BASE_H
#define VV_LAYER_BASE_H

#include "opened.h"
#include "unchanged.h"

/* --- The base ------------------------------------------------------------- */

/* The base of an incremental save: the checkpoint whose layers (data files) the
 * new one shares. */

enum {
    VV_USUAL_LAYERS = 64
}; /* with more layers, one of them is written
      again */

struct vv_layer_base {
    /* to read */
    struct vv_opened file;
    bool is_there;    /* false: everything is written */
    uint32_t dropped; /* a layer whose data is written again; or VV_NONE */
    bool is_alike;    /* all values are in one piece, and have the same ranks,
                         sizes and offsets in the base as in the index it was
                         opened for */
};

/* Opens the base of a checkpoint that will be saved at `path` with the index
 * `index`, which must be valid: the graph and the values of the base are not
 * checked if they are equal. If `index` is NULL nothing is compared. If the
 * base has no layers, has other values, is not readable or is in another
 * directory, then `is_there` is false and VARVE_OK is returned. May return
 * VARVE_NO_MEMORY. */
varve_status vv_layer_base_open(struct vv_layer_base *base,
    const struct vv_context *context, const char *base_path, const char *path,
    const struct vv_index *index, varve_error *error);

void vv_layer_base_close(struct vv_layer_base *base);

/* Adds the number of live bytes in each layer of the base to `live`. Compressed
 * data is counted in proportion to the part that is in use. */
void vv_layer_base_count(const struct vv_layer_base *base, uint64_t *live);

/* Returns true if the value with this number has the same size in the base. */
bool vv_layer_base_pairs(const struct vv_layer_base *base,
    const struct vv_index *index, uint32_t value);

/* For a value for which vv_layer_base_pairs returns true, these return its
 * offset in the data of the base, the number of the digest of a chunk of it
 * there, and its digests from that chunk on. */
uint64_t vv_layer_base_offset(const struct vv_layer_base *base, uint32_t value);
uint64_t vv_layer_base_chunk(
    const struct vv_layer_base *base, uint32_t value, uint64_t chunk);
const uint8_t *vv_layer_base_digests(
    const struct vv_layer_base *base, uint32_t value, uint64_t chunk);

/* Returns true if no byte of a range of the base's data is in the layer that is
 * dropped. */
bool vv_layer_base_keeps(
    const struct vv_layer_base *base, uint64_t offset, uint64_t size);

/* Sets is_dropped[i] for each page of a range that has bytes in the layer that
 * is dropped. The range must begin at a page boundary. */
void vv_layer_base_mark(const struct vv_layer_base *base, uint64_t offset,
    uint64_t size, bool *is_dropped);

/* --- Unchanged data ------------------------------------------------------- */

/* Finds the chunks and pages of a save plan that are unchanged since the base
 * was saved, without reading them.
 *
 * Data in a layer that is dropped is written again, so it counts as changed and
 * its digest is computed again. Otherwise data that the program has changed
 * without marking it dirty would be written under a wrong digest. */

struct vv_layer_known {
    /* to read */
    bool is_known;  /* the base was saved by this graph */
    uint32_t since; /* the moment of that save */
    /* own */
    const struct vv_unchanged *unchanged;
    const struct vv_index *index; /* index of the save plan */
    const struct vv_layer_base *base;
};

/* The arguments must outlive the result. */
struct vv_layer_known vv_layer_known_of(const struct vv_unchanged *unchanged,
    const struct vv_index *index, const struct vv_layer_base *base);

/* Returns the digest of a chunk that is unchanged, or NULL if the chunk may
 * have changed. */
const uint8_t *vv_layer_known_digest(
    const struct vv_layer_known *known, uint32_t value, uint64_t chunk);

/* Sets is_changed[i] for each of the VV_CHUNK_PAGES pages of a chunk that may
 * have changed. vv_layer_base_pairs must be true for the value. */
void vv_layer_known_mark(const struct vv_layer_known *known, uint32_t value,
    uint64_t chunk, bool *is_changed);

/* Returns true if a chunk of `size` bytes of which `others` pages have changed
 * is written as a whole, with one digest. */
static inline bool vv_is_mostly_new(size_t others, uint64_t size)
{
    return others > size / VV_PAGE_ALIGNMENT / 2;
}

#endif
