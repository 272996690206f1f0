/* statistics.c - Makes two passes over a value, with blocks of reals or of
 * integers. For small elements makes one pass, which counts each value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moments.h"
#include "reals.h"

enum {
    BLOCK = 1024,
    BYTE_VALUES = 256,
    PAIR_VALUES = 65536,
    /* for fewer elements, two passes are as fast */
    LEAST_COUNTED = 2 * PAIR_VALUES
};

/* The state of the passes. */
struct passes {
    struct statistics *to;
    struct pieces *pieces;
    const struct selection *selection;
    unsigned bin_count;
    varve_dtype dtype;
    struct extent extent;
    struct moments moments;
    struct bins bins;
};

typedef void on_piece(struct passes *p, const struct piece *piece);

static varve_status each_piece(
    struct passes *p, on_piece *function, varve_error *error)
{
    struct piece piece;
    varve_status status;
    pieces_begin(p->pieces, p->selection);
    while ((status = pieces_next(p->pieces, &piece, error)) == VARVE_OK &&
           piece.count > 0)
        function(p, &piece);
    return status;
}

/* Returns the key of an integer that a double represents. */
static uint64_t key_of(double real)
{
    int64_t integer = (int64_t)real;
    return (uint64_t)integer + KEY_BIAS;
}

static bool is_real(varve_dtype dtype)
{
    return dtype >= VARVE_FLOAT16 && dtype != VARVE_STRING;
}

static void begin_bins(struct passes *p)
{
    if (is_real(p->dtype))
        bins_begin_reals(&p->bins, p->extent.low, p->extent.high, p->bin_count);
    else
        bins_begin_keys(&p->bins, key_of(p->extent.low), key_of(p->extent.high),
            KEY_BIAS, p->bin_count);
}

/* Removes the sign of zero. */
static struct number number_of(varve_dtype dtype, double real)
{
    if (is_real(dtype))
        return (struct number){ .real = real + 0.0 };
    return (struct number){
        .kind = NUMBER_SIGNED, .real = real, .key = key_of(real)
    };
}

static void take_extent(struct passes *p)
{
    const struct extent *e = &p->extent;
    struct statistics *s = p->to;
    s->finite = e->finite;
    s->zeros = e->zeros;
    s->nans = e->nans;
    s->infinities = e->infinities;
    s->first_nan = e->first_nan;
    s->first_infinity = e->first_infinity;
}

static void take_reals(struct passes *p)
{
    struct statistics *s = p->to;
    struct summary summary = moments_of_reals(&p->moments, &p->extent);
    take_extent(p);
    if (s->finite == 0)
        return;
    s->least = number_of(p->dtype, p->extent.low);
    s->greatest = number_of(p->dtype, p->extent.high);
    s->mean = summary.mean + 0.0;
    s->deviation = summary.deviation;
    s->norm = summary.norm;
    s->bin_count = p->bins.count;
    memcpy(s->bins, p->bins.counts, sizeof s->bins);
    for (unsigned i = 0; i <= s->bin_count; i++)
        s->bounds[i] = number_of(p->dtype, p->bins.bounds[i]);
}

/* --- Reals and smaller integers ----------------------------------------- */

static void extend_by_reals(struct passes *p, const struct piece *piece)
{
    double reals[BLOCK];
    size_t unit = varve_dtype_size(p->dtype), size;
    for (uint64_t i = 0; i < piece->count; i += size) {
        size = piece->count - i < BLOCK ? (size_t)(piece->count - i) : BLOCK;
        reals_from(p->dtype, piece->bytes + i * unit, size, reals);
        extent_add_reals(&p->extent, reals, size, piece->first + i);
    }
}

static void sum_reals(struct passes *p, const struct piece *piece)
{
    struct extent ignored;
    double reals[BLOCK];
    size_t unit = varve_dtype_size(p->dtype), size;
    bool all = p->extent.finite == p->to->count;
    for (uint64_t i = 0; i < piece->count; i += size) {
        size = piece->count - i < BLOCK ? (size_t)(piece->count - i) : BLOCK;
        reals_from(p->dtype, piece->bytes + i * unit, size, reals);
        extent_begin(&ignored);
        size_t left = all ? size : extent_add_reals(&ignored, reals, size, 0);
        moments_add_reals(&p->moments, reals, left);
        bins_add_reals(&p->bins, reals, left);
    }
}

static varve_status make_of_reals(struct passes *p, varve_error *error)
{
    varve_status status = each_piece(p, extend_by_reals, error);
    if (status != VARVE_OK)
        return status;
    moments_begin_reals(&p->moments, &p->extent);
    if (p->extent.finite > 0) {
        begin_bins(p);
        status = each_piece(p, sum_reals, error);
    }
    if (status == VARVE_OK)
        take_reals(p);
    return status;
}

/* --- Integers of 64 bits, and lengths ----------------------------------- */

static void extend_by_keys(struct passes *p, const struct piece *piece)
{
    uint64_t keys[BLOCK];
    uint64_t zero = p->dtype == VARVE_INT64 ? KEY_BIAS : 0;
    size_t unit = varve_dtype_size(p->dtype), size;
    for (uint64_t i = 0; i < piece->count; i += size) {
        size = piece->count - i < BLOCK ? (size_t)(piece->count - i) : BLOCK;
        keys_from(p->dtype, piece->bytes + i * unit, size, keys);
        extent_add_keys(&p->extent, keys, size);
        for (size_t j = 0; j < size; j++)
            p->extent.zeros += keys[j] == zero;
    }
}

static void sum_keys(struct passes *p, const struct piece *piece)
{
    uint64_t keys[BLOCK];
    size_t unit = varve_dtype_size(p->dtype), size;
    for (uint64_t i = 0; i < piece->count; i += size) {
        size = piece->count - i < BLOCK ? (size_t)(piece->count - i) : BLOCK;
        keys_from(p->dtype, piece->bytes + i * unit, size, keys);
        moments_add_keys(&p->moments, keys, size);
        bins_add_keys(&p->bins, keys, size);
    }
}

static struct number number_of_key(uint64_t key, uint64_t bias)
{
    double real = key < bias ? -(double)(bias - key) : (double)(key - bias);
    return (struct number){
        .kind = bias ? NUMBER_SIGNED : NUMBER_UNSIGNED, .real = real, .key = key
    };
}

static void take_keys(struct passes *p, uint64_t bias)
{
    struct statistics *s = p->to;
    struct summary summary = moments_of_keys(&p->moments, &p->extent, bias);
    take_extent(p);
    s->least = number_of_key(p->extent.low_key, bias);
    s->greatest = number_of_key(p->extent.high_key, bias);
    s->mean = summary.mean;
    s->deviation = summary.deviation;
    s->norm = summary.norm;
    s->bin_count = p->bins.count;
    memcpy(s->bins, p->bins.counts, sizeof s->bins);
    for (unsigned i = 0; i <= s->bin_count; i++)
        s->bounds[i] = number_of_key(p->bins.keys[i], bias);
}

static varve_status make_of_keys(struct passes *p, varve_error *error)
{
    uint64_t bias = p->dtype == VARVE_INT64 ? KEY_BIAS : 0;
    varve_status status = each_piece(p, extend_by_keys, error);
    if (status != VARVE_OK || p->extent.finite == 0)
        return status;
    moments_begin_keys(&p->moments, &p->extent);
    bins_begin_keys(
        &p->bins, p->extent.low_key, p->extent.high_key, bias, p->bin_count);
    status = each_piece(p, sum_keys, error);
    if (status == VARVE_OK)
        take_keys(p, bias);
    return status;
}

/* --- Elements of one or two bytes: how often there is each --------------- */

struct count_passes {
    struct passes p; /* must be the first member */
    size_t kinds;    /* number of possible elements */
    double *reals;   /* value of each */
    uint64_t *counts;
};

static double real_at(
    const struct count_passes *c, const struct piece *piece, uint64_t i)
{
    const unsigned char *b = piece->bytes;
    return c
        ->reals[c->kinds == BYTE_VALUES ? b[i] : b[2 * i] | b[2 * i + 1] << 8];
}

/* Uses several arrays in turn, so that an increment does not wait for the
 * previous one. */
static void count_bytes(uint64_t *counts, const struct piece *piece)
{
    enum { TURNS = 4 };
    uint64_t turns[TURNS][BYTE_VALUES] = { { 0 } };
    uint64_t even = piece->count - piece->count % TURNS;
    for (uint64_t i = 0; i < even; i += TURNS) {
        for (size_t t = 0; t < TURNS; t++)
            turns[t][piece->bytes[i + t]]++;
    }
    for (uint64_t i = even; i < piece->count; i++)
        turns[0][piece->bytes[i]]++;
    for (size_t i = 0; i < BYTE_VALUES; i++)
        counts[i] += turns[0][i] + turns[1][i] + turns[2][i] + turns[3][i];
}

static void count_pairs(uint64_t *counts, const struct piece *piece)
{
    const unsigned char *b = piece->bytes;
    for (uint64_t i = 0; i < piece->count; i++)
        counts[b[2 * i] | b[2 * i + 1] << 8]++;
}

static void count_special(
    const struct count_passes *c, uint64_t *nans, uint64_t *infinities)
{
    *nans = *infinities = 0;
    for (size_t v = 0; v < c->kinds; v++) {
        *nans += isnan(c->reals[v]) ? c->counts[v] : 0;
        *infinities += isinf(c->reals[v]) ? c->counts[v] : 0;
    }
}

static void extend_by_counts(struct passes *p, const struct piece *piece)
{
    struct count_passes *c = (struct count_passes *)p;
    struct extent *e = &p->extent;
    uint64_t nans, infinities, i = 0;
    if (c->kinds == BYTE_VALUES)
        count_bytes(c->counts, piece);
    else
        count_pairs(c->counts, piece);
    if (!is_real(p->dtype))
        return;
    count_special(c, &nans, &infinities);
    if (nans && !e->nans) {
        while (!isnan(real_at(c, piece, i)))
            i++;
        e->first_nan = piece->first + i;
    }
    i = 0;
    if (infinities && !e->infinities) {
        while (!isinf(real_at(c, piece, i)))
            i++;
        e->first_infinity = piece->first + i;
    }
    e->nans = nans;
    e->infinities = infinities;
}

/* Computes the sums as if each element occurred as often as counted. */
static void sum_counts(struct count_passes *c)
{
    struct extent *e = &c->p.extent;
    for (size_t v = 0; v < c->kinds; v++) {
        double real = c->reals[v];
        if (!c->counts[v] || !isfinite(real))
            continue;
        e->low = real < e->low ? real : e->low;
        e->high = real > e->high ? real : e->high;
        e->zeros += real < 0 || real > 0 ? 0 : c->counts[v];
        e->sum += real * (double)c->counts[v] * 0x1p-64;
        e->finite += c->counts[v];
    }
    moments_begin_reals(&c->p.moments, e);
    if (e->finite > 0)
        begin_bins(&c->p);
    for (size_t v = 0; v < c->kinds; v++) {
        if (!c->counts[v] || !isfinite(c->reals[v]))
            continue;
        moments_add_times(&c->p.moments, c->reals[v], c->counts[v]);
        bins_add_times(&c->p.bins, c->reals[v], c->counts[v]);
    }
}

static void list_kinds(struct count_passes *c)
{
    for (size_t v = 0; v < c->kinds; v++) {
        const unsigned char bytes[2] = { (unsigned char)(v & 0xff),
            (unsigned char)(v >> 8) };
        reals_from(c->p.dtype, bytes, 1, &c->reals[v]);
    }
}

static varve_status make_of_counts(
    struct passes *p, size_t kinds, varve_error *error)
{
    struct count_passes c = { .p = *p,
        .kinds = kinds,
        .reals = calloc(kinds, sizeof *c.reals),
        .counts = calloc(kinds, sizeof *c.counts) };
    varve_status status = VARVE_OK;
    if (c.reals && c.counts) {
        list_kinds(&c);
        status = each_piece(&c.p, extend_by_counts, error);
        if (status == VARVE_OK) {
            sum_counts(&c);
            take_reals(&c.p);
        }
    } else {
        status = make_of_reals(p, error);
    }
    free(c.reals);
    free(c.counts);
    return status;
}

/* --- Public functions --------------------------------------------------- */

varve_status statistics_make(struct statistics *s, struct pieces *pieces,
    const struct selection *selection, unsigned bin_count, varve_error *error)
{
    struct passes p = { .to = s,
        .pieces = pieces,
        .selection = selection,
        .bin_count = bin_count,
        .dtype = selection->dtype };
    *s = (struct statistics){ .count = selection_count(selection) };
    extent_begin(&p.extent);
    p.extent.is_whole = !is_real(p.dtype);
    if (!fits_real(p.dtype))
        return make_of_keys(&p, error);
    size_t size = varve_dtype_size(p.dtype);
    if (size == 1)
        return make_of_counts(&p, BYTE_VALUES, error);
    return size == 2 && s->count >= LEAST_COUNTED
               ? make_of_counts(&p, PAIR_VALUES, error)
               : make_of_reals(&p, error);
}

varve_status statistics_of(struct statistics *s, varve_reader *reader,
    const varve_saved_node *node, unsigned bin_count, varve_error *error)
{
    struct pieces pieces;
    struct selection selection;
    selection_whole(&node->value, &selection);
    varve_status status = pieces_open(&pieces, reader, node, error);
    if (status != VARVE_OK)
        return status;
    status = statistics_make(s, &pieces, &selection, bin_count, error);
    pieces_close(&pieces);
    return status;
}
