/* value_check.c - Checks the rules of values: which nodes have one, types,
 * shapes, sizes and offsets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value_check.h"

#include <inttypes.h>

#include "data_out.h"
#include "index.h"
#include "layers_in.h"
#include "layout.h"
#include "paged_columns.h"
#include "piece_check.h"
#include "piece_table.h"
#include "try.h"
#include "typed_memory.h"

/* Data in layers has no end, except the largest size of files. */
#define MOST_IN_LAYERS ((uint64_t)INT64_MAX / VV_ALIGNMENT * VV_ALIGNMENT)

/* Totals of the values checked so far, and tables used for every value. */
struct progress {
    uint32_t node;    /* nodes below this number were checked for a value */
    uint64_t extents; /* number of extents used so far */
    uint64_t digests;
    uint64_t singles;  /* values of the current step with one digest */
    varve_tensor type; /* of the current value */
    uint64_t end;      /* of the previous value */
    uint64_t most;     /* largest possible end */
    bool has_parts;
    uint8_t file_sizes[UINT8_MAX + 1];   /* by element type */
    uint8_t memory_sizes[UINT8_MAX + 1]; /* 0: no such type */
};

static void find_sizes(struct progress *p)
{
    for (unsigned i = 0; i <= UINT8_MAX; i++) {
        p->file_sizes[i] = (uint8_t)vv_dtype_file_size((varve_dtype)i);
        p->memory_sizes[i] = (uint8_t)varve_dtype_size((varve_dtype)i);
    }
}

static bool value_check_has_value(const struct vv_index *index, uint32_t node)
{
    uint8_t kind = index->node_kinds[node];
    return kind == VARVE_VARIABLE || kind == VARVE_STATE;
}

/* Checks that each variable and each state has exactly one row, and no other
 * node. */
static varve_status value_check_node(
    const struct vv_index_check *check, uint32_t i, struct progress *p)
{
    const struct vv_index *index = check->index;
    uint32_t node = vv_at32(index->value_nodes, i);
    while (
        p->node < index->node_count && !value_check_has_value(index, p->node))
        p->node++;
    if (p->node != node || node == index->node_count)
        return vv_check_fail(check, index->value_nodes + 4 * (size_t)i,
            "value %" PRIu32 ": expected the next variable or state of %" PRIu32
            " nodes, %" PRIu32 "; found node %" PRIu32,
            i, index->node_count, p->node, node);
    p->node++;
    return VARVE_OK;
}

/* Reads type and shape, and computes the number of elements. */
static varve_status value_check_shape(const struct vv_index_check *check,
    uint32_t i, struct progress *p, uint64_t *count)
{
    const struct vv_index *index = check->index;
    uint8_t dtype = index->value_dtypes[i];
    uint8_t rank = index->value_ranks[i];
    uint64_t *extents = p->type.shape;
    uint64_t size;
    if (p->memory_sizes[dtype] == 0)
        return vv_check_fail(check, index->value_dtypes + i,
            "value %" PRIu32 ": expected a known element type, found %d", i,
            dtype);
    if (rank > VARVE_MAX_RANK || rank > index->extent_count - p->extents)
        return vv_check_fail(check, index->value_ranks + i,
            "value %" PRIu32 ": expected a rank up to %d with as many extents, "
            "found %d",
            i, VARVE_MAX_RANK, rank);
    p->type.dtype = (varve_dtype)dtype;
    p->type.rank = rank;
    *count = 1;
    if (rank == 0)
        return VARVE_OK;
    const uint8_t *at = index->value_extents + 8 * (size_t)p->extents;
    for (uint32_t k = 0; k < rank; k++)
        extents[k] = vv_at64(at, k);
    if (!vv_shape_count(rank, extents, count) ||
        !vv_size_of(*count, p->memory_sizes[dtype], &size))
        return vv_check_fail(check, at,
            "value %" PRIu32 ": the shape has 2^64 bytes or more", i);
    p->extents += rank;
    return VARVE_OK;
}

static varve_status check_state(
    const struct vv_index_check *check, uint32_t i, uint64_t count)
{
    const struct vv_index *index = check->index;
    if (index->value_dtypes[i] != VARVE_UINT8 || index->value_ranks[i] != 1 ||
        count != vv_at64(index->value_sizes, i))
        return vv_check_fail(check, index->value_dtypes + i,
            "value %" PRIu32
            ": the type or shape does not fit the bytes of a custom serializer",
            i);
    return VARVE_OK;
}

/* Returns true if `count` elements can have this size. `element` 0 means
 * strings: a length of 8 bytes for each, followed by the bytes of all. */
static bool is_size_of(uint64_t element, uint64_t count, uint64_t size)
{
    if (element == 0)
        return count == 0 ? size == 0 : size / 8 >= count;
    return size == count * element;
}

/* Returns true if a value after `end` can have this offset. Files of early
 * versions align small values like larger ones. */
static bool is_place(uint64_t offset, uint64_t end, uint64_t size)
{
    return offset == vv_data_place(end, size) ||
           (size < VV_ALIGNMENT && offset == vv_align_up(end, VV_ALIGNMENT));
}

static varve_status value_check_place(const struct vv_index_check *check,
    uint32_t i, uint64_t count, struct progress *p)
{
    const struct vv_index *index = check->index;
    uint64_t offset = vv_at64(index->value_offsets, i);
    uint64_t size = vv_at64(index->value_sizes, i);
    uint64_t element = p->file_sizes[index->value_dtypes[i]];
    bool is_saved = offset != 0;
    if (is_saved ? !is_size_of(element, count, size) : size > 0)
        return vv_check_fail(check, index->value_sizes + 8 * (size_t)i,
            "value %" PRIu32 ": expected the size of %" PRIu64
            " %s elements, found %" PRIu64 " bytes",
            i, count, is_saved ? "saved" : "unsaved", size);
    if (!is_saved)
        return VARVE_OK;
    if (!is_place(offset, p->end, size) || offset > p->most ||
        size > p->most - offset)
        return vv_check_fail(check, index->value_offsets + 8 * (size_t)i,
            "value %" PRIu32 ": expected %" PRIu64 " bytes at offset %" PRIu64
            " before %" PRIu64 ", found offset %" PRIu64,
            i, size, vv_data_place(p->end, size), p->most, offset);
    p->end = offset + size;
    return VARVE_OK;
}

static varve_status check_chunks(const struct vv_index_check *check, uint32_t i,
    struct vv_piece_table *pieces, struct progress *p)
{
    const struct vv_index *index = check->index;
    if (!vv_is_next_in_pieces(index, pieces, i)) {
        const uint64_t chunks = vv_chunk_count(vv_at64(index->value_sizes, i));
        p->digests += chunks;
        p->singles += chunks == 1;
        return VARVE_OK;
    }
    if (!vv_is_checked(index, VV_KEY_PIECE_BOXES))
        VV_TRY(vv_check_pieces(check, i, &p->type, pieces));
    p->digests += vv_piece_table_add(pieces, index, &p->type);
    return VARVE_OK;
}

/* Checks the whole of which the current value is a part, if there are parts. */
static varve_status value_check_part(const struct vv_index_check *check,
    uint32_t i, const struct vv_piece_table *pieces, struct progress *p)
{
    const struct vv_index *index = check->index;
    uint64_t count, size, shape[VARVE_MAX_RANK];
    uint32_t rank = p->type.rank;
    if (index->whole_count == 0 || rank == 0)
        return VARVE_OK;
    size_t first = (size_t)p->extents - rank;
    const uint8_t *at = index->whole_extents + 8 * first;
    bool is_part = false, is_inside = true;
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t start = vv_at64(index->part_starts, first + k);
        shape[k] = vv_at64(at, k);
        is_part |= shape[k] != p->type.shape[k];
        is_inside &= p->type.shape[k] <= shape[k] &&
                     start <= shape[k] - p->type.shape[k];
    }
    if (!is_inside || !vv_shape_count(rank, shape, &count) ||
        !vv_size_of(count, p->memory_sizes[p->type.dtype], &size))
        return vv_check_fail(check, at,
            "value %" PRIu32 ": the part is outside its shape, or the shape "
            "has 2^64 bytes or more",
            i);
    if (is_part && (index->node_kinds[p->node - 1] != VARVE_VARIABLE ||
                       p->type.dtype == VARVE_STRING ||
                       vv_at64(index->value_offsets, i) == 0 ||
                       vv_is_next_in_pieces(index, pieces, i)))
        return vv_check_fail(check, at,
            "value %" PRIu32 ": only a variable in one piece with elements of "
            "a fixed size can be a part",
            i);
    p->has_parts |= is_part;
    return VARVE_OK;
}

/* Checks a saved variable that is a scalar of a fixed size and in one piece.
 * Most values of a large graph are. Returns false, and changes nothing, for any
 * other value and if a rule is broken. */
static bool is_sound_scalar(const struct vv_index *index, uint32_t i,
    const struct vv_piece_table *pieces, struct progress *p)
{
    const uint32_t node = vv_at32(index->value_nodes, i);
    const uint64_t size = p->file_sizes[index->value_dtypes[i]];
    const uint64_t offset = vv_data_place(p->end, size);
    if (node != p->node || node >= index->node_count ||
        index->node_kinds[node] != VARVE_VARIABLE ||
        index->value_ranks[i] != 0 || size == 0 ||
        vv_at64(index->value_sizes, i) != size ||
        vv_at64(index->value_offsets, i) != offset || offset > p->most ||
        size > p->most - offset || vv_is_next_in_pieces(index, pieces, i))
        return false;
    p->node++;
    p->end = offset + size;
    p->digests++;
    p->singles++;
    return true;
}

/* Checks that nothing remains after the last value. */
static varve_status check_rest(
    const struct vv_index_check *check, struct progress *p)
{
    const struct vv_index *index = check->index;
    while (
        p->node < index->node_count && !value_check_has_value(index, p->node))
        p->node++;
    if (p->node < index->node_count)
        return vv_check_fail(check, index->node_kinds + p->node,
            "node %" PRIu32 ": the value is missing", p->node);
    if (p->extents != index->extent_count)
        return vv_check_fail(check, index->value_extents,
            "values: expected %" PRIu64 " extents, found %" PRIu64, p->extents,
            index->extent_count);
    if (p->digests != index->digest_count && !index->has_no_digests)
        return vv_check_fail(check, index->digests,
            "values: expected %" PRIu64 " digests, found %" PRIu64, p->digests,
            index->digest_count);
    if (index->whole_count > 0 && !p->has_parts)
        return vv_check_fail(check, index->whole_extents,
            "values: shapes of shards without a shard");
    bool has_layers = index->layer_count > 0;
    uint64_t end = has_layers ? VV_HEADER_SIZE : p->end;
    if (vv_layer_is_inside(index))
        return VARVE_OK; /* the layer ends where the index begins */
    if (vv_align_up(end, VV_ALIGNMENT) != check->data_end)
        return vv_check_fail(check, check->bytes,
            "the index must begin after the %s, at %" PRIu64,
            has_layers ? "header" : "values", vv_align_up(end, VV_ALIGNMENT));
    return VARVE_OK;
}

static void note_sums(
    struct vv_value_table *table, uint32_t value, struct progress *p)
{
    if (p->singles == VV_VALUE_STEP)
        table->digests[value / VV_VALUE_STEP - 1] |= VV_ONE_DIGEST_EACH;
    p->singles = 0;
    table->extents[value / VV_VALUE_STEP] = p->extents;
    table->digests[value / VV_VALUE_STEP] = p->digests;
}

/* Fills in the table and the totals for values in layers that are equal to
 * those of a valid index. Returns false, and leaves all to be checked, for
 * other values. */
static bool adopt_values(const struct vv_index *index,
    const struct vv_index *like, struct vv_value_table *table,
    struct progress *p)
{
    uint32_t last = index->value_count;
    if (!like || !index->layer_count || !vv_index_has_same_values(like, index))
        return false;
    while (last > 0 && !vv_index_is_saved(index, last - 1))
        last--;
    const uint64_t end = last > 0 ? vv_at64(index->value_offsets, last - 1) +
                                        vv_at64(index->value_sizes, last - 1)
                                  : p->end;
    if (end > p->most)
        return false;
    vv_value_table_fill(table, index);
    p->end = end;
    p->node = index->node_count;
    p->extents = vv_first_extent(index, table, index->value_count);
    p->digests = vv_first_digest(index, table, index->value_count);
    return true;
}

varve_status vv_check_values(const struct vv_index_check *check,
    const struct vv_index *like, struct vv_value_table *table, uint64_t *end)
{
    const struct vv_index *index = check->index;
    struct progress p = { .end = VV_HEADER_SIZE,
        .most = index->layer_count ? MOST_IN_LAYERS : check->data_end };
    find_sizes(&p);
    const bool is_known = adopt_values(index, like, table, &p);
    for (uint32_t i = 0; i < index->value_count && !is_known; i++) {
        uint64_t count;
        if (i % VV_VALUE_STEP == 0)
            note_sums(table, i, &p);
        if (is_sound_scalar(index, i, &table->pieces, &p))
            continue;
        VV_TRY(value_check_node(check, i, &p));
        VV_TRY(value_check_shape(check, i, &p, &count));
        if (index->node_kinds[p.node - 1] == VARVE_STATE)
            VV_TRY(check_state(check, i, count));
        VV_TRY(value_check_place(check, i, count, &p));
        VV_TRY(value_check_part(check, i, &table->pieces, &p));
        VV_TRY(check_chunks(check, i, &table->pieces, &p));
    }
    if (index->value_count % VV_VALUE_STEP == 0 && !is_known)
        note_sums(table, index->value_count, &p);
    *end = vv_align_up(p.end, VV_ALIGNMENT);
    VV_TRY(vv_check_all_pieces(check, &table->pieces));
    return check_rest(check, &p);
}
