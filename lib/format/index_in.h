/* index_in.h - bytes as an index. Believes nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_IN_H
#define VV_INDEX_IN_H

#include <varve/error.h>

#include "context.h"
#include "index.h"

struct vv_parsed_index {
    /* to read */
    struct vv_index index; /* points into the bytes */
    struct vv_value_table table;
    uint64_t data_end; /* where the values have ended, up to the next multiple
                          of 64 */
    /* to fill in: by a format without a graph, after parsing */
    bool names_are_keys; /* a global name is the key of its value in the file,
                            and not a label that a program gave it */
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
    struct vv_paged_columns *far; /* NULL: there are all */
    bool has_no_digests;          /* of any value, as in other formats */
};

/* Parses and checks every rule of docs/format.md: the encoding, the lengths of
 * columns against each other, that numbers point at something, that names are
 * valid, sorted and unique, that edges are sorted and unique (positions in
 * lists), that types, ranks and sizes agree, that values lie in order between
 * header and `data_end`, aligned, without overlap (or, with layers, that these
 * have all of them, and that the index is at `data_end` right behind the
 * header). `path` is for messages.
 * Memory taken stays within 16 times `size` and 64 KiB. The bytes must outlive
 * the result. VARVE_CORRUPT, VARVE_TOO_NEW for an unknown required key,
 * VARVE_LIMIT, VARVE_NO_MEMORY. */
varve_status vv_index_parse(const struct vv_context *context, const char *path,
    const void *bytes, size_t size, uint64_t data_end,
    struct vv_parsed_index *parsed, varve_error *error);

/* The same of bytes that lack some columns, which are empty: they stay in the
 * file, and who has told of them has checked their rules. The far columns must
 * outlive the result. */
varve_status vv_index_parse_rest(const struct vv_context *context,
    const char *path, const struct vv_index_rest *rest,
    struct vv_parsed_index *parsed, varve_error *error);

/* Takes zeroed and half-built ones. */
void vv_parsed_index_clear(
    const struct vv_context *context, struct vv_parsed_index *parsed);

#endif
