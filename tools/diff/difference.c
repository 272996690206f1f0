/* difference.c - Compares values: by type, by digest, or piece by piece.
 *
 * SPDX-License-Identifier: MIT
 */
#include "difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abreast.h"
#include "memory.h"
#include "tally.h"
#include "tensor_text.h"
#include "value.h"

struct comparison {
    struct difference *d;
    const struct measure *measure;
    const struct side *sides[2];
    const varve_saved_node *nodes[2];
    struct reading *reading;
};

/* --- Comparison without reading ----------------------------------------- */

static bool is_state(const varve_saved_node *node)
{
    return node->kind == VARVE_STATE;
}

static bool is_number(varve_dtype dtype)
{
    return dtype != VARVE_STRING;
}

static bool have_one_shape(const varve_tensor *a, const varve_tensor *b)
{
    return a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

/* Returns true if values are bytes: a state, whose length can differ, and its
 * form in another format. */
static bool are_bytes(const struct comparison *c)
{
    const varve_saved_node *a = c->nodes[0], *b = c->nodes[1];
    return (is_state(a) || is_state(b)) && a->value.dtype == VARVE_UINT8 &&
           b->value.dtype == VARVE_UINT8 && a->value.rank == 1 &&
           b->value.rank == 1;
}

static void incomparable(struct difference *d, const char *why)
{
    d->verdict = VERDICT_INCOMPARABLE;
    snprintf(d->why, sizeof d->why, "%s", why);
}

/* Returns true if both are the same part, or both are whole values. */
static bool are_one_part(const varve_saved_node *a, const varve_saved_node *b)
{
    if (!a->part || !b->part)
        return a->part == b->part;
    size_t size = a->part->shape.rank * sizeof *a->part->start;
    return memcmp(a->part->start, b->part->start, size) == 0 &&
           memcmp(a->part->shape.extents, b->part->shape.extents, size) == 0;
}

/* Returns true if type and shape permit a comparison. */
static bool is_comparable(const struct comparison *c)
{
    const varve_saved_node *a = c->nodes[0], *b = c->nodes[1];
    bool any_type = c->measure->any_type && is_number(a->value.dtype) &&
                    is_number(b->value.dtype);
    if (a->has_value != b->has_value)
        incomparable(c->d, a->has_value ? "no value in B" : "no value in A");
    else if (!a->value.dtype || !b->value.dtype)
        return true; /* both are without a value, and one is without a type */
    else if (a->value.dtype != b->value.dtype && !any_type)
        incomparable(c->d, "element type");
    else if (!have_one_shape(&a->value, &b->value) && !are_bytes(c))
        incomparable(c->d, "shape");
    else if (!are_one_part(a, b))
        incomparable(c->d, "another part");
    return c->d->verdict != VERDICT_INCOMPARABLE;
}

static bool has_digest(const varve_saved_node *node)
{
    static const uint8_t none[sizeof node->digest];
    return memcmp(node->digest, none, sizeof none) != 0;
}

static bool may_hold_nan(const varve_tensor *value)
{
    return value->dtype >= VARVE_FLOAT16 && value->dtype != VARVE_STRING;
}

/* Returns true if the result is known without reading the values: they are
 * empty or missing; or both have digests, which are equal, or it only matters
 * whether they are. */
static bool is_known(const struct comparison *c, bool *equal)
{
    const varve_saved_node *a = c->nodes[0], *b = c->nodes[1];
    *equal = true;
    if (!a->has_value)
        return true;
    if (varve_tensor_count(&a->value) == 0 &&
        varve_tensor_count(&b->value) == 0)
        return true;
    if (a->value.dtype != b->value.dtype || !has_digest(a) || !has_digest(b))
        return false;
    *equal = a->size == b->size &&
             memcmp(a->digest, b->digest, sizeof a->digest) == 0;
    if (*equal)
        return !c->measure->nan_differs || !may_hold_nan(&a->value);
    return c->measure->only_whether && !c->measure->is_tolerant;
}

uint64_t difference_cost(const struct measure *measure, const struct side *a,
    const varve_saved_node *x, const struct side *b, const varve_saved_node *y)
{
    struct difference ignored = { .verdict = VERDICT_EQUAL };
    struct comparison c = {
        .d = &ignored, .measure = measure, .sides = { a, b }, .nodes = { x, y }
    };
    bool equal;
    return !is_comparable(&c) || is_known(&c, &equal) ? 0 : x->size + y->size;
}

/* --- Strings ------------------------------------------------------------ */

static void damaged(struct comparison *c, int side, const varve_error *error)
{
    if (error->status == VARVE_NO_MEMORY)
        memory_exhausted();
    c->d->verdict = VERDICT_DAMAGED;
    c->d->error = *error;
    c->d->is_of_b = side == 1;
}

static uint64_t first_difference(
    const unsigned char *a, const unsigned char *b, uint64_t size)
{
    uint64_t i = 0;
    while (i < size && a[i] == b[i])
        i++;
    return i;
}

static void count_strings(
    struct difference *d, struct value *a, struct value *b)
{
    uint64_t sizes[2];
    const unsigned char *x, *y;
    for (uint64_t i = 0;
         (x = value_next(a, &sizes[0])) && (y = value_next(b, &sizes[1]));
         i++) {
        uint64_t both = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
        uint64_t byte = first_difference(x, y, both);
        if (byte == both && sizes[0] == sizes[1])
            continue;
        if (d->differing++ > 0)
            continue;
        d->place = i;
        snprintf(d->why, sizeof d->why, "first differs at byte %" PRIu64, byte);
    }
}

static void compare_strings(struct comparison *c)
{
    struct value values[2];
    varve_error error = { .status = VARVE_OK };
    for (int i = 0; i < 2; i++) {
        if (value_read(&values[i], c->sides[i]->target.reader, c->nodes[i],
                &error) == VARVE_OK)
            continue;
        damaged(c, i, &error);
        if (i)
            value_clear(&values[0]);
        return;
    }
    count_strings(c->d, &values[0], &values[1]);
    value_clear(&values[0]);
    value_clear(&values[1]);
    c->reading->done += c->nodes[0]->size + c->nodes[1]->size;
}

/* --- Bytes and numbers -------------------------------------------------- */

static void count_bytes(struct difference *d, const struct stretch *p)
{
    for (uint64_t i = 0; i < p->count; i++) {
        if (p->bytes[0][i] == p->bytes[1][i])
            continue;
        if (d->differing++ == 0)
            d->place = p->start + i;
    }
}

static void report_bytes(struct comparison *c)
{
    struct difference *d = c->d;
    uint64_t a = c->nodes[0]->value.shape[0], b = c->nodes[1]->value.shape[0];
    if (a != b && d->differing == 0)
        d->place = a < b ? a : b;
    d->differing += a < b ? b - a : a - b;
    d->elements = a < b ? b : a;
    if (a != b)
        snprintf(d->why, sizeof d->why,
            "%" PRIu64 " byte%s in A, %" PRIu64
            " in B; first differs at %" PRIu64,
            a, a == 1 ? "" : "s", b, d->place);
    else if (d->differing)
        snprintf(
            d->why, sizeof d->why, "first differs at byte %" PRIu64, d->place);
}

static void on_piece(struct comparison *c, const struct stretch *piece)
{
    struct reading *r = c->reading;
    size_t width = varve_dtype_size(c->nodes[0]->value.dtype) +
                   varve_dtype_size(c->nodes[1]->value.dtype);
    r->done += piece->count * width;
    progress_bar_update(r->bar, r->done, r->total, c->nodes[1]->path);
}

/* Compares both in pieces of the same elements. Records damage if one cannot be
 * read. */
static void compare_pieces(struct comparison *c, struct tally *tally)
{
    struct abreast pieces;
    struct stretch piece;
    bool bytes = are_bytes(c);
    abreast_begin(&pieces, c->sides, c->nodes, bytes);
    while (abreast_next(&pieces, &piece)) {
        if (bytes)
            count_bytes(c->d, &piece);
        else
            tally_piece(tally, &piece);
        on_piece(c, &piece);
        if (c->measure->only_whether && (c->d->differing || tally->differing))
            break;
    }
    if (pieces.error.status)
        damaged(c, pieces.failed, &pieces.error);
    abreast_end(&pieces);
}

static void compare_numbers(struct comparison *c)
{
    struct difference *d = c->d;
    struct tally tally;
    tally_begin(
        &tally, c->measure, c->nodes[0]->value.dtype, c->nodes[1]->value.dtype);
    compare_pieces(c, &tally);
    if (d->verdict == VERDICT_DAMAGED || are_bytes(c))
        return;
    tally_end(&tally, d);
    if (d->nans)
        snprintf(
            d->why, sizeof d->why, "%" PRIu64 " NaN in one alone", d->nans);
}

void difference_find(struct difference *d, const struct measure *measure,
    const struct side *a, const varve_saved_node *x, const struct side *b,
    const varve_saved_node *y, struct reading *reading)
{
    bool equal;
    struct comparison c = { .d = d,
        .measure = measure,
        .sides = { a, b },
        .nodes = { x, y },
        .reading = reading };
    *d = (struct difference){ .verdict = VERDICT_EQUAL };
    d->elements = varve_tensor_count(&x->value);
    if (!is_comparable(&c))
        return;
    if (is_known(&c, &equal)) {
        d->verdict = equal ? VERDICT_EQUAL : VERDICT_CHANGED;
        return;
    }
    d->was_read = true;
    if (x->value.dtype == VARVE_STRING)
        compare_strings(&c);
    else
        compare_numbers(&c);
    if (d->verdict == VERDICT_DAMAGED)
        return;
    if (are_bytes(&c))
        report_bytes(&c);
    d->verdict = d->differing ? VERDICT_CHANGED : VERDICT_EQUAL;
}
