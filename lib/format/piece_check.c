/* piece_check.c - Checks each piece by itself, then that together they cover
 * the value.
 *
 * The indicator function of a box, 1 inside and 0 elsewhere, is a product of
 * functions of one dimension each. So is its mixed difference, which is sparse:
 * in each dimension it is +1 at the start of the box and -1 at its end. Boxes
 * cover a value exactly once if the sum of their differences is that of the
 * whole value as one box. Both sums are evaluated with random weights of the
 * points, which are products as well. So a value needs as many products as it
 * has pieces, whatever its number of elements. The weights are in the field of
 * 2^61 - 1. A nonzero polynomial of a degree up to the rank is zero for at most
 * rank / 2^61 of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "piece_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "box.h"
#include "paged_columns.h"
#include "piece_table.h"
#include "try.h"
#include "typed_memory.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

enum { MOST_LOOKS = 1 << 20 }; /* limit of boxes examined for one fault */

/* --- Arithmetic modulo 2^61 - 1 ------------------------------------------- */

static uint64_t reduce(uint64_t x)
{
    x = (x & PRIME) + (x >> 61);
    return x >= PRIME ? x - PRIME : x;
}

/* Multiplies by halves of 31 bits, modulo 2^61 - 1: 2^61 is 1, so 2^62 is 2. */
static uint64_t piece_check_multiply(uint64_t a, uint64_t b)
{
    const uint64_t low = (UINT64_C(1) << 31) - 1;
    uint64_t middle = (a >> 31) * (b & low) + (a & low) * (b >> 31);
    uint64_t sum = 2 * (a >> 31) * (b >> 31) + (a & low) * (b & low);
    sum = reduce(sum) + (middle >> 30);
    return reduce(sum + ((middle & ((UINT64_C(1) << 30) - 1)) << 31));
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + PRIME - b;
}

/* --- Exact covers --------------------------------------------------------- */

static uint64_t weight(uint64_t seed, uint32_t dimension, uint64_t at)
{
    uint8_t bytes[24];
    vv_store64(bytes, seed);
    vv_store64(bytes + 8, dimension);
    vv_store64(bytes + 16, at);
    return reduce(vv_hash_of(bytes, sizeof bytes));
}

static uint64_t piece_check_weigh(
    const varve_box *box, uint32_t rank, uint64_t seed)
{
    uint64_t product = 1;
    for (uint32_t k = 0; k < rank; k++)
        product = piece_check_multiply(
            product, subtract(weight(seed, k, box->start[k]),
                         weight(seed, k, box->start[k] + box->extents[k])));
    return product;
}

static void piece_check_box_of(
    const struct vv_cover *c, uint32_t i, varve_box *box)
{
    uint32_t rank = c->type->rank;
    vv_piece_box(c->index, c->at + 2 * (uint64_t)rank * i, rank, box);
}

bool vv_cover_is_exact(const struct vv_cover *c, uint64_t seed)
{
    varve_box box = { 0 };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        piece_check_box_of(c, i, &box);
        sum = reduce(sum + piece_check_weigh(&box, c->type->rank, seed));
    }
    for (uint32_t k = 0; k < c->type->rank; k++) {
        box.start[k] = 0;
        box.extents[k] = c->type->shape[k];
    }
    return sum == piece_check_weigh(&box, c->type->rank, seed);
}

/* --- Faults of a cover ---------------------------------------------------- */

static bool piece_check_has(
    const varve_box *box, uint32_t rank, const uint64_t *element)
{
    bool is_in = true;
    for (uint32_t k = 0; k < rank; k++)
        is_in &= element[k] >= box->start[k] &&
                 element[k] - box->start[k] < box->extents[k];
    return is_in;
}

/* Counts the boxes that contain fault->element. Sets `next` to the next start
 * or end of a box in each dimension. */
static void piece_check_look(const struct vv_cover *c,
    struct vv_cover_fault *fault, uint64_t next[VARVE_MAX_RANK])
{
    varve_box box;
    fault->times = 0;
    memcpy(next, c->type->shape, c->type->rank * sizeof *next);
    for (uint32_t i = 0; i < c->count; i++) {
        piece_check_box_of(c, i, &box);
        for (uint32_t k = 0; k < c->type->rank; k++) {
            uint64_t end = box.start[k] + box.extents[k];
            uint64_t event =
                box.start[k] > fault->element[k] ? box.start[k] : end;
            if (event > fault->element[k] && event < next[k])
                next[k] = event;
        }
        if (!piece_check_has(&box, c->type->rank, fault->element))
            continue;
        if (fault->times < 2)
            fault->boxes[fault->times] = i;
        fault->times++;
    }
}

/* All elements between two such positions are in the same boxes, so only the
 * first of them is examined, in row-major order. */
bool vv_cover_find_fault(const struct vv_cover *c, struct vv_cover_fault *fault)
{
    uint64_t next[VARVE_MAX_RANK];
    *fault = (struct vv_cover_fault){ 0 };
    for (uint64_t looks = 0; looks < MOST_LOOKS; looks += c->count) {
        uint32_t k = c->type->rank;
        piece_check_look(c, fault, next);
        if (fault->times != 1)
            return true;
        while (k > 0 && next[k - 1] == c->type->shape[k - 1])
            fault->element[--k] = 0;
        if (k == 0)
            return false;
        fault->element[k - 1] = next[k - 1];
    }
    return false;
}

/* --- Rules ---------------------------------------------------------------- */

static varve_status check_value(const struct vv_index_check *check,
    uint32_t value, const varve_tensor *type, uint32_t row)
{
    const struct vv_index *index = check->index;
    uint32_t node = vv_at32(index->value_nodes, value);
    if (vv_at64(index->value_sizes, value) > 0 && type->rank > 0 &&
        type->dtype != VARVE_STRING &&
        vv_index_kind(index, node) == VARVE_VARIABLE)
        return VARVE_OK;
    return vv_check_fail(check, index->pieced_values + 4 * (size_t)row,
        "value %" PRIu32 ": only a saved variable of rank 1 or more with "
        "elements of a fixed size can be in pieces",
        value);
}

static varve_status check_number(const struct vv_index_check *check,
    uint32_t value, uint32_t rank, const struct vv_piece_table *table)
{
    const struct vv_index *index = check->index;
    uint32_t row = table->count;
    uint32_t begin = vv_begin32(index->piece_ends, row);
    uint32_t end = vv_at32(index->piece_ends, row);
    uint64_t room = (index->box_number_count - table->boxes[row]) / (2 * rank);
    if (end > begin && end - begin >= 2 && end - begin <= room)
        return VARVE_OK;
    return vv_check_fail(check, index->piece_ends + 4 * (size_t)row,
        "value %" PRIu32 ": expected 2 to %" PRIu64
        " pieces, found the end %" PRIu32 " after %" PRIu32,
        value, room, end, begin);
}

/* The remainder after the boxes checked so far. */
struct rest {
    uint64_t elements;
    bool is_overdrawn; /* the boxes have more elements than the value */
    varve_box before;
};

static bool piece_check_is_behind(
    const varve_box *box, const varve_box *before, uint32_t rank)
{
    uint32_t k = 0;
    while (k < rank && box->start[k] == before->start[k])
        k++;
    return k < rank && box->start[k] > before->start[k];
}

/* Returns the address of a box for error messages. For boxes in the file,
 * returns the start of the index. */
static const uint8_t *piece_check_place_of(const struct vv_index_check *check,
    const struct vv_cover *cover, uint32_t i)
{
    uint64_t number = cover->at + 2 * (uint64_t)cover->type->rank * i;
    return vv_is_in_file(check->index, VV_KEY_PIECE_BOXES)
               ? check->bytes
               : check->index->piece_boxes + 8 * (size_t)number;
}

static varve_status piece_check_box(const struct vv_index_check *check,
    const struct vv_cover *cover, uint32_t i, struct rest *rest)
{
    uint32_t rank = cover->type->rank;
    varve_box box;
    piece_check_box_of(cover, i, &box);
    uint32_t leaves = vv_box_leaves(cover->type, &box);
    uint64_t count = leaves == rank ? vv_box_count(cover->type, &box) : 0;
    if (count == 0)
        return vv_check_fail(check, piece_check_place_of(check, cover, i),
            "piece %" PRIu32
            " of a value: the extents must be at least 1 and inside its shape",
            i);
    if (i > 0 && !piece_check_is_behind(&box, &rest->before, rank))
        return vv_check_fail(check, piece_check_place_of(check, cover, i),
            "piece %" PRIu32
            " of a value: pieces must be in order of their start",
            i);
    rest->is_overdrawn |= count > rest->elements;
    rest->elements -= rest->is_overdrawn ? 0 : count;
    rest->before = box;
    return VARVE_OK;
}

static varve_status piece_check_fail_cover(const struct vv_index_check *check,
    uint32_t value, const struct vv_cover *cover)
{
    const uint8_t *at = piece_check_place_of(check, cover, 0);
    struct vv_cover_fault fault;
    char element[VARVE_MAX_RANK * 21 + 1];
    if (!vv_cover_find_fault(cover, &fault))
        return vv_check_fail(check, at,
            "value %" PRIu32
            ": the pieces do not cover each element exactly once",
            value);
    for (size_t k = 0, size = 0; k < cover->type->rank; k++)
        size += (size_t)snprintf(element + size, sizeof element - size,
            "%s%" PRIu64, k ? " " : "", fault.element[k]);
    if (fault.times == 0)
        return vv_check_fail(check, at,
            "value %" PRIu32 ": no piece has element %.100s", value, element);
    return vv_check_fail(check, at,
        "value %" PRIu32 ": element %.100s is in pieces %" PRIu32
        " and %" PRIu32,
        value, element, fault.boxes[0], fault.boxes[1]);
}

/* Returns the seed of a cover: the hash of the boxes or, if they are in the
 * file, of their checksums. */
static uint64_t seed_of(
    const struct vv_index_check *check, const struct vv_cover *cover)
{
    const struct vv_index *index = check->index;
    uint64_t at = 8 * cover->at;
    uint64_t size = 16 * (uint64_t)cover->type->rank * cover->count;
    return vv_is_in_file(index, VV_KEY_PIECE_BOXES)
               ? vv_paged_seed(index->far, VV_KEY_PIECE_BOXES, at, size)
               : vv_hash_of(index->piece_boxes + (size_t)at, (size_t)size);
}

varve_status vv_check_pieces(const struct vv_index_check *check, uint32_t value,
    const varve_tensor *type, const struct vv_piece_table *table)
{
    const struct vv_index *index = check->index;
    uint32_t row = table->count;
    VV_TRY(check_value(check, value, type, row));
    VV_TRY(check_number(check, value, type->rank, table));
    struct rest rest = { .elements = varve_tensor_count(type) };
    struct vv_cover cover = { .index = index,
        .type = type,
        .at = table->boxes[row],
        .count = vv_at32(index->piece_ends, row) -
                 vv_begin32(index->piece_ends, row) };
    for (uint32_t i = 0; i < cover.count; i++)
        VV_TRY(piece_check_box(check, &cover, i, &rest));
    /* The number of elements is checked too, so that all offsets are within the
     * value even for boxes constructed for a known seed. */
    if (rest.is_overdrawn || rest.elements > 0 ||
        !vv_cover_is_exact(&cover, seed_of(check, &cover)))
        return piece_check_fail_cover(check, value, &cover);
    return VARVE_OK;
}

varve_status vv_check_all_pieces(
    const struct vv_index_check *check, const struct vv_piece_table *table)
{
    const struct vv_index *index = check->index;
    uint32_t row = table->count;
    if (row < index->pieced_count)
        return vv_check_fail(check, index->pieced_values + 4 * (size_t)row,
            "values in pieces: the numbers of values must increase, found "
            "%" PRIu32,
            vv_at32(index->pieced_values, row));
    if (row > 0 && table->boxes[row] != index->box_number_count)
        return vv_check_fail(check, index->piece_boxes,
            "boxes: expected %" PRIu64 " numbers, found %" PRIu64,
            table->boxes[row], index->box_number_count);
    return VARVE_OK;
}
