/* index.h - The saved graph as columns, the sums that find a value in them, and
 * the table of all columns. A save fills the columns in, and a restore looks
 * values up in them. docs/format.md contains the rules.
 *
 * Columns are little-endian bytes at any address, so that columns of a file are
 * used in place. The accessors below do not check their arguments;
 * vv_index_parse has checked all rules before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_H
#define VV_INDEX_H

#include <varve/allocator.h>
#include <varve/checkpoint.h>
#include <varve/error.h>
#include <varve/graph.h>
#include <varve/slice.h>
#include <varve/tensor.h>

#include "bytes.h"
#include "checksum.h"
#include "layout.h"

/* --- Columns -------------------------------------------------------------- */

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
    uint32_t packed_count; /* equal to place_count; 0: no place is compressed */
    uint32_t pieced_count; /* number of values in pieces */
    uint64_t names_size;
    uint64_t extent_count;
    uint64_t digest_count;
    uint64_t box_number_count;
    uint64_t paged_count; /* number of chunks with page digests */
    uint64_t page_digest_count;
    uint64_t whole_count; /* equal to extent_count; 0: no value is a part */
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
    const uint8_t *place_begins; /* a place ends at the start of the next */
    const uint8_t *place_layers;
    const uint8_t *place_offsets;
    const uint8_t *place_packed;
    const uint8_t *place_plain;
    const uint8_t *place_skips;
    const uint8_t *place_planes;
    const uint8_t *pieced_values;
    /* cumulative number of pieces, by value in pieces */
    const uint8_t *piece_ends;
    const uint8_t *piece_boxes;
    const uint8_t *paged_chunks; /* layer_columns.h */
    const uint8_t *page_digests;
    const uint8_t *whole_extents; /* as value_extents */
    const uint8_t *part_starts;
    const uint8_t *tag_nodes;
    const uint8_t *tag_names;
    const uint8_t *global_nodes; /* only of variables and states */
    const uint8_t *global_names;

    const varve_metadata *metadata; /* sorted by vv_metadata_compare */
    size_t metadata_count;

    bool has_no_digests;          /* digest_count is 0, as in other formats */
    struct vv_paged_columns *far; /* columns that remain in the file; or NULL */
    /* when writing: provides columns whose bytes are NULL; or NULL */
    const struct vv_column_source *source;
};

static inline uint32_t vv_at32(const uint8_t *column, size_t i)
{
    return vv_load32(column + 4 * i);
}

static inline uint64_t vv_at64(const uint8_t *column, size_t i)
{
    return vv_load64(column + 8 * i);
}

/* Returns the start of entry `i`, given a column of ends. */
static inline uint32_t vv_begin32(const uint8_t *ends, size_t i)
{
    return i ? vv_at32(ends, i - 1) : 0;
}

/* Returns the bytes of a name, not NUL-terminated. */
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

/* Sets the range of the edges of a node: *begin to *end - 1. */
static inline void vv_index_edges(
    const struct vv_index *index, uint32_t node, uint32_t *begin, uint32_t *end)
{
    *begin = vv_begin32(index->node_edge_ends, node);
    *end = vv_at32(index->node_edge_ends, node);
}

/* Returns the number of a name, or VV_NONE. Binary search. */
uint32_t vv_index_find_name(
    const struct vv_index *index, const char *name, size_t size);

/* Returns the number of the edge of `node` with a name, or VV_NONE. Binary
 * search; for a list, an access by position. */
uint32_t vv_index_find_edge(
    const struct vv_index *index, uint32_t node, uint32_t name);

/* Like vv_index_find_edge, for a name whose number is not known. It searches
 * the edges of the node, which are few and adjacent, rather than all names. */
uint32_t vv_index_find_edge_called(
    const struct vv_index *index, uint32_t node, const char *name, size_t size);

/* Returns the child at that edge, or VV_NONE. */
uint32_t vv_index_find_child(
    const struct vv_index *index, uint32_t node, uint32_t name);

/* Returns the value of a node, or VV_NONE. Binary search. */
uint32_t vv_index_find_value(const struct vv_index *index, uint32_t node);

/* vv_index_find_pieces for an index with values in pieces. */
uint32_t vv_index_search_pieces(const struct vv_index *index, uint32_t value);

/* Returns the number of a value among the values in pieces, or VV_NONE. Binary
 * search; one comparison if no value is in pieces. */
static inline uint32_t vv_index_find_pieces(
    const struct vv_index *index, uint32_t value)
{
    return index->pieced_count ? vv_index_search_pieces(index, value) : VV_NONE;
}

/* Returns the number of the global name of a node, or VV_NONE. Binary
 * search. */
uint32_t vv_index_find_global(const struct vv_index *index, uint32_t node);

/* Returns true if a node has a tag of this name. */
bool vv_index_has_tag(
    const struct vv_index *index, uint32_t node, const char *tag);

/* Sets the range of the tags of a node: *begin to *end - 1. Binary search. */
void vv_index_tags(const struct vv_index *index, uint32_t node, uint32_t *begin,
    uint32_t *end);

/* Sets the range of the slots of `owner`: *begin to *end - 1. */
void vv_index_slots(const struct vv_index *index, uint32_t owner,
    uint32_t *begin, uint32_t *end);

/* Like vv_index_slots, only for slots of one variable. */
void vv_index_slots_for(const struct vv_index *index, uint32_t owner,
    uint32_t variable, uint32_t *begin, uint32_t *end);

/* Returns the node of a slot, or VV_NONE. */
uint32_t vv_index_find_slot(const struct vv_index *index, uint32_t owner,
    uint32_t variable, uint32_t name);

static inline bool vv_index_is_saved(
    const struct vv_index *index, uint32_t value)
{
    return vv_at64(index->value_offsets, value) != 0;
}

/* Returns the number of chunks of `size` contiguous bytes. Use vv_value_chunks
 * for a saved value, which can consist of several pieces. */
static inline uint64_t vv_chunk_count(uint64_t size)
{
    return size / VV_CHUNK_SIZE + (size % VV_CHUNK_SIZE != 0);
}

/* Returns the number of pages of `size` bytes. */
static inline size_t vv_page_count(uint64_t size)
{
    return (size_t)(size / VV_PAGE_ALIGNMENT + (size % VV_PAGE_ALIGNMENT != 0));
}

/* Sets the entries of the pages that overlap the range. */
static inline void vv_mark_pages(bool *pages, uint64_t begin, uint64_t end)
{
    size_t first = (size_t)(begin / VV_PAGE_ALIGNMENT);
    memset(pages + first, true, vv_page_count(end) - first);
}

struct vv_piece_start; /* piece_table.h */

/* The starts of pieces. All zero if no value is in pieces. */
struct vv_piece_table {
    /* to read */
    uint32_t count; /* number of values in pieces */
    /* by value in pieces: index of the first number of its boxes, with an end
     * entry after the last */
    uint64_t *boxes;
    /* by piece; NULL: the index has runs instead (piece_runs.h) */
    struct vv_piece_start *starts;
    /* own */
    size_t value_room;
    size_t piece_room;
};

/* The positions of the extents and digests of a value are sums over all values
 * before it. The table contains the sums for every VV_VALUE_STEPth value. (A
 * table of all sums would take longer to write than the index takes to check.)
 * It is built once after reading. */
enum { VV_VALUE_STEP = 16 };

/* A flag of an entry of `digests`: each of the VV_VALUE_STEP values from there
 * on has one digest. This is so for nearly all small values. */
#define VV_ONE_DIGEST_EACH (UINT64_C(1) << 63)

struct vv_value_table {
    /* to read */
    uint32_t count;    /* number of values */
    uint64_t *extents; /* count / VV_VALUE_STEP + 1 entries */
    uint64_t *digests; /* the same number of entries, in the same block */
    struct vv_piece_table pieces;
};

/* Returns the number of the first extent of a value. Returns the number of all
 * extents if `value` is the number of values. */
uint64_t vv_first_extent(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value);

/* Implements vv_first_digest for a value near one that has several digests. */
uint64_t vv_add_up_digests(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value);

/* Like vv_first_extent, for digests. */
static inline uint64_t vv_first_digest(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value)
{
    const uint64_t entry = table->digests[value / VV_VALUE_STEP];
    return entry & VV_ONE_DIGEST_EACH
               ? (entry & ~VV_ONE_DIGEST_EACH) + value % VV_VALUE_STEP
               : vv_add_up_digests(index, table, value);
}

/* Compares metadata for qsort, in the order of deterministic CBOR, which files
 * use: shorter names first, then bytewise. Returns 0 for equal names. */
int vv_metadata_compare(const void *a, const void *b);

/* Returns true if a value is a part of a larger value, of which nothing else is
 * in the file. Sets *part to the slice unless it is NULL. */
bool vv_index_part(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value, varve_slice *part);

/* vv_index_is_like for a value that has the type and the rank of the tensor,
 * which is not a scalar. */
bool vv_index_has_shape(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value,
    const varve_tensor *tensor);

/* Returns true if a value has the type and shape of a tensor, and is not a
 * part. */
static inline bool vv_index_is_like(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value,
    const varve_tensor *tensor)
{
    return index->value_dtypes[value] == (uint8_t)tensor->dtype &&
           index->value_ranks[value] == tensor->rank &&
           (tensor->rank == 0 ||
               vv_index_has_shape(index, table, value, tensor));
}

/* Returns the type and shape of a value; data is NULL. */
varve_tensor vv_index_tensor(const struct vv_index *index,
    const struct vv_value_table *table, uint32_t value);

/* --- Sums over values ----------------------------------------------------- */

/* Sums over values, so that the extents and digests of a value are found
 * without a walk through all values before it. */

/* Makes an empty table with room for the values of an index. Reads only the
 * lengths of columns. */
varve_status vv_value_table_make(struct vv_value_table *table,
    const varve_allocator *allocator, const struct vv_index *index,
    varve_error *error);

/* Fills a table from an index that was checked. */
void vv_value_table_fill(
    struct vv_value_table *table, const struct vv_index *index);

/* Fills a table from that of an index whose values have the same ranks and
 * sizes, and are all in one piece. */
void vv_value_table_copy(
    struct vv_value_table *table, const struct vv_value_table *from);

/* Frees the table; it can be zeroed. */
void vv_value_table_clear(
    struct vv_value_table *table, const varve_allocator *allocator);

/* --- The table of columns ------------------------------------------------- */

/* Describes the columns of an index in one table, for reading and writing. */

struct vv_column {
    /* to read */
    uint64_t key;
    uint64_t tag;     /* tag of the typed array; 0: plain byte string */
    size_t element;   /* size of an element in bytes */
    size_t bytes;     /* offset of the pointer in struct vv_index */
    size_t count;     /* offset of the number of elements in it */
    bool is_wide;     /* the number has 64 bits, not 32 */
    bool is_first;    /* the first of the columns that share this number */
    const char *name; /* for messages */
};

enum {
    VV_COLUMN_COUNT = 37,
    /* followed by the columns of layers, compressed places, pieces, page
     * digests and parts */
    VV_REQUIRED_COLUMN_COUNT = 17,
    VV_FIRST_PACKED_COLUMN = 22,
    VV_FIRST_PIECE_COLUMN = 26,
    VV_FIRST_PAGE_COLUMN = 29,
    VV_FIRST_PART_COLUMN = 31,
    VV_FIRST_TAG_COLUMN = 33,
    VV_FIRST_GLOBAL_COLUMN = 35, /* the counter and metadata precede it */
};

/* In order of keys. Required columns have the keys 0, 1, 2, ...; columns of
 * single features follow. */
extern const struct vv_column vv_columns[VV_COLUMN_COUNT];

/* Returns the column of a key, or NULL. */
const struct vv_column *vv_column_find(uint64_t key);

const uint8_t *vv_column_bytes(
    const struct vv_column *column, const struct vv_index *index);
uint64_t vv_column_count(
    const struct vv_column *column, const struct vv_index *index);
void vv_column_set(const struct vv_column *column, struct vv_index *index,
    const uint8_t *bytes, uint64_t count);

/* Returns true if two indices are equal except for the contents and positions
 * of their values. A restore then matches both with a program in the same
 * way. */
bool vv_index_is_alike(const struct vv_index *a, const struct vv_index *b);

/* Returns true if two indices have the same columns of names, nodes, edges,
 * slots, tags and global names. */
bool vv_index_has_same_graph(
    const struct vv_index *a, const struct vv_index *b);

/* Returns true if two indices have the same kinds of nodes, and values of the
 * same nodes, types, shapes, offsets and sizes, all whole and in one piece. */
bool vv_index_has_same_values(
    const struct vv_index *a, const struct vv_index *b);

#endif
