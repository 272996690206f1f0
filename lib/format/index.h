/* index.h - the saved graph as columns: what a save fills in and what a read
 * looks things up in. Rules are in docs/format.md.
 *
 * Columns are little-endian bytes at any address, so that those of a file are
 * used where they lie. The accessors below trust their arguments and the index:
 * index_in has checked every rule before anybody else sees it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_H
#define VV_INDEX_H

#include <varve/checkpoint.h>
#include <varve/graph.h>
#include <varve/slice.h>
#include <varve/tensor.h>

#include "bytes.h"
#include "checksum.h"
#include "layout.h"

#define VV_NONE UINT32_MAX

struct vv_paged_columns; /* paged_columns.h */
struct vv_column_source; /* index_out.h */

struct vv_index {
    /* to fill in */
    uint32_t name_count;
    uint32_t node_count;
    uint32_t edge_count;
    uint32_t value_count;
    uint32_t slot_count;
    uint32_t tag_count;
    uint32_t global_count;
    uint32_t layer_count; /* 0: the data is in the file itself */
    uint32_t place_count;
    uint32_t packed_count; /* that of places; 0: none is packed */
    uint32_t pieced_count; /* of values in pieces */
    uint64_t names_size;
    uint64_t extent_count;
    uint64_t digest_count;
    uint64_t box_number_count;
    uint64_t paged_count; /* of chunks that are summed by pages */
    uint64_t page_digest_count;
    uint64_t whole_count; /* that of extents; 0: no value is a part */
    uint64_t counter;     /* 0: none */

    const uint8_t *names;
    const uint8_t *name_ends;
    const uint8_t *node_kinds;
    const uint8_t *node_edge_ends;
    const uint8_t *edge_names;
    const uint8_t *edge_children;
    const uint8_t *value_nodes;
    const uint8_t *value_dtypes;
    const uint8_t *value_ranks;
    const uint8_t *value_extents;
    const uint8_t *value_offsets;
    const uint8_t *value_sizes;
    const uint8_t *digests;
    const uint8_t *slot_owners; /* slots are sorted by owner, variable, name */
    const uint8_t *slot_variables;
    const uint8_t *slot_names;
    const uint8_t *slot_nodes;
    const uint8_t *layer_nonces;
    const uint8_t *layer_sizes;
    const uint8_t *place_begins; /* places go on to where the next begins */
    const uint8_t *place_layers;
    const uint8_t *place_offsets;
    const uint8_t *place_packed;
    const uint8_t *place_plain;
    const uint8_t *place_skips;
    const uint8_t *place_planes;
    const uint8_t *pieced_values;
    const uint8_t *piece_ends; /* of pieces, by value in pieces */
    const uint8_t *piece_boxes;
    const uint8_t *paged_chunks; /* page_sums.h */
    const uint8_t *page_digests;
    const uint8_t *whole_extents; /* as value_extents */
    const uint8_t *part_starts;
    const uint8_t *tag_nodes;
    const uint8_t *tag_names;
    const uint8_t *global_nodes; /* variables and states */
    const uint8_t *global_names;

    const varve_metadata *metadata; /* sorted by vv_metadata_compare */
    size_t metadata_count;

    bool has_no_digests;          /* as in other formats: digest_count is 0 */
    struct vv_paged_columns *far; /* those that are not at hand; or NULL */
    const struct vv_column_source *source; /* to write: gives columns whose
                                              bytes are NULL; or NULL */
};

static inline uint32_t vv_at32(const uint8_t *column, size_t i)
{
    return vv_load32(column + 4 * i);
}

static inline uint64_t vv_at64(const uint8_t *column, size_t i)
{
    return vv_load64(column + 8 * i);
}

/* Where the `i`th of a column of ends begins. */
static inline uint32_t vv_begin32(const uint8_t *ends, size_t i)
{
    return i ? vv_at32(ends, i - 1) : 0;
}

/* The bytes of a name; not terminated. */
static inline const char *vv_index_name(
    const struct vv_index *index, uint32_t name, size_t *size)
{
    uint32_t begin = vv_begin32(index->name_ends, name);
    *size = vv_at32(index->name_ends, name) - begin;
    return (const char *)index->names + begin;
}

static inline varve_kind vv_index_kind(
    const struct vv_index *index, uint32_t node)
{
    return (varve_kind)index->node_kinds[node];
}

/* The edges of a node are numbers *begin to *end - 1. */
static inline void vv_index_edges(
    const struct vv_index *index, uint32_t node, uint32_t *begin, uint32_t *end)
{
    *begin = vv_begin32(index->node_edge_ends, node);
    *end = vv_at32(index->node_edge_ends, node);
}

/* The number of a name, or VV_NONE. Binary search. */
uint32_t vv_index_find_name(
    const struct vv_index *index, const char *name, size_t size);

/* The number of the edge of `node` under a name, or VV_NONE. Binary search; for
 * a list, by position. */
uint32_t vv_index_find_edge(
    const struct vv_index *index, uint32_t node, uint32_t name);

/* The same of a name whose number is not known: among the edges of the node,
 * which are few and side by side, where all names are many. */
uint32_t vv_index_find_edge_called(
    const struct vv_index *index, uint32_t node, const char *name, size_t size);

/* Its child, or VV_NONE. */
uint32_t vv_index_find_child(
    const struct vv_index *index, uint32_t node, uint32_t name);

/* The value of a node, or VV_NONE. Binary search. */
uint32_t vv_index_find_value(const struct vv_index *index, uint32_t node);

/* The number of a value among those in pieces, or VV_NONE. Binary search; one
 * comparison where none is. */
uint32_t vv_index_find_pieces(const struct vv_index *index, uint32_t value);

/* The global name of a node, or VV_NONE. Binary search. */
uint32_t vv_index_find_global(const struct vv_index *index, uint32_t node);

/* Whether a node has a tag of this name. */
bool vv_index_has_tag(
    const struct vv_index *index, uint32_t node, const char *tag);

/* The tags of a node are numbers *begin to *end - 1. Binary search. */
void vv_index_tags(const struct vv_index *index, uint32_t node, uint32_t *begin,
    uint32_t *end);

/* The first slot of an owner at or after which to look: slots of `owner` are
 * numbers *begin to *end - 1. */
void vv_index_slots(const struct vv_index *index, uint32_t owner,
    uint32_t *begin, uint32_t *end);

/* The same for those of them that are for a variable. */
void vv_index_slots_for(const struct vv_index *index, uint32_t owner,
    uint32_t variable, uint32_t *begin, uint32_t *end);

/* The node of a slot, or VV_NONE. */
uint32_t vv_index_find_slot(const struct vv_index *index, uint32_t owner,
    uint32_t variable, uint32_t name);

static inline bool vv_index_is_saved(
    const struct vv_index *index, uint32_t value)
{
    return vv_at64(index->value_offsets, value) != 0;
}

/* How many chunks so many bytes have that lie in one piece; vv_value_chunks
 * knows of a saved value, which may be in several. */
static inline uint64_t vv_chunk_count(uint64_t size)
{
    return size / VV_CHUNK_SIZE + (size % VV_CHUNK_SIZE != 0);
}

/* The same of pages. */
static inline size_t vv_page_count(uint64_t size)
{
    return (size_t)(size / VV_PAGE_ALIGNMENT + (size % VV_PAGE_ALIGNMENT != 0));
}

/* Sets those that have something of a range. */
static inline void vv_mark_pages(bool *pages, uint64_t begin, uint64_t end)
{
    size_t first = (size_t)(begin / VV_PAGE_ALIGNMENT);
    memset(pages + first, true, vv_page_count(end) - first);
}

struct vv_piece_start; /* piece_table.h */

/* Where pieces begin; all zero where no value is in pieces. */
struct vv_piece_table {
    /* to read */
    uint32_t count;  /* of values in pieces */
    uint64_t *boxes; /* by such value: the first number of its boxes; behind the
                        last where they end */
    struct vv_piece_start *starts; /* by piece; NULL: they are in runs */
    /* own */
    size_t value_room;
    size_t piece_room;
};

/* Where the extents and digests of a value begin has to be summed up; the sums
 * up to every VV_VALUE_STEPth value are kept. (For all values the memory alone
 * would take longer to touch than the index to check.) Built once after
 * reading. */
enum { VV_VALUE_STEP = 16 };

struct vv_value_table {
    /* to read */
    uint32_t count;    /* of values */
    uint64_t *extents; /* count / VV_VALUE_STEP + 1 entries */
    uint64_t *digests; /* as many, in the same block */
    struct vv_piece_table pieces;
};

/* The number of the first extent of a value; how many there are in all if the
 * value is the number of values. */
uint64_t vv_first_extent(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value);

/* The same for digests. */
uint64_t vv_first_digest(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value);

/* For qsort: the order of metadata in a file, which is that of deterministic
 * CBOR: shorter names first, those of one length by their bytes. 0 for equal
 * names. */
int vv_metadata_compare(const void *a, const void *b);

/* Whether a value is a part of another, of which nothing else is here; then
 * `part`, unless it is NULL, says of which. */
bool vv_index_part(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, varve_slice *part);

/* Whether a value has the type and shape of a tensor, and is no part. */
bool vv_index_is_like(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value,
    const varve_tensor *tensor);

/* Type and shape of a value, data NULL. */
varve_tensor vv_index_tensor(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value);

#endif
