/* index_in.h - Parses an index of untrusted bytes, and the metadata in it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_IN_H
#define VV_INDEX_IN_H

#include <varve/error.h>

#include "cbor_in.h"
#include "context.h"
#include "index.h"

/* --- The index ------------------------------------------------------------ */

/* Parses an index of untrusted bytes. */

struct vv_parsed_index {
    /* to read */
    struct vv_index index; /* points into the bytes */
    struct vv_value_table table;
    uint64_t data_end; /* end of the values, rounded up to a multiple of 64 */
    /* to fill in: by a format without a graph, after parsing */
    /* global names are the keys of values in the file, not labels set by a
     * program */
    bool names_are_keys;
    /* own */
    varve_metadata *metadata; /* owned; strings are in `strings` */
    char *strings;
    size_t strings_size;
};

struct vv_index_rest {
    /* to fill in */
    const void *bytes;
    size_t size;
    uint64_t data_end;
    struct vv_paged_columns *far; /* NULL: all columns are in the bytes */
    bool has_no_digests;         /* no value has digests, as in other formats */
    const struct vv_index *like; /* an index that is known to be valid: the
                                    columns of the graph, and those of the
                                    values, are not checked if they are equal to
                                    its columns; or NULL */
};

/* Parses an index and checks all rules of docs/format.md:
 * - the encoding, and the lengths of columns;
 * - references are in range;
 * - names are valid, sorted and unique;
 * - edges are sorted and unique (positions in lists);
 * - types, ranks and sizes agree;
 * - values are in order between header and `data_end`, aligned and without
 *   overlap. With layers: these contain all values, and the index follows the
 *   header at `data_end`.
 *
 * `path` is for messages. Uses at most 16 times `size` and 64 KiB of memory.
 * The bytes must outlive the result.
 *
 * Returns VARVE_CORRUPT, VARVE_TOO_NEW for an unknown required key, VARVE_LIMIT
 * or VARVE_NO_MEMORY. */
varve_status vv_index_parse(const struct vv_context *context, const char *path,
    const void *bytes, size_t size, uint64_t data_end,
    struct vv_parsed_index *parsed, varve_error *error);

/* Like vv_index_parse, for bytes in which some columns are empty because they
 * remain in the file. If they are marked as checked, their rules are not
 * checked again. rest->far must outlive the result. */
varve_status vv_index_parse_rest(const struct vv_context *context,
    const char *path, const struct vv_index_rest *rest,
    struct vv_parsed_index *parsed, varve_error *error);

/* Frees the result. It can be zeroed or half-built. */
void vv_parsed_index_clear(
    const struct vv_context *context, struct vv_parsed_index *parsed);

/* --- Metadata ------------------------------------------------------------- */

/* Parses the user's metadata of an index: a map of names to scalars and
 * strings. */

/* Parses the map that comes next: checks it and computes the necessary memory,
 * then copies it. vv_cbor_skip has checked that its keys are sorted. On failure
 * the result is half-built; free it with vv_metadata_clear. */
varve_status vv_metadata_parse(const struct vv_context *context,
    struct vv_cbor_in *in, struct vv_parsed_index *parsed);

void vv_metadata_clear(
    const struct vv_context *context, struct vv_parsed_index *parsed);

#endif
