/* tally.c - Counts differences, and computes largest distances and norms.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tally.h"

#include <math.h>
#include <string.h>

#include "element_text.h"
#include "gaps.h"

void tally_begin(struct tally *t, const struct measure *measure, varve_dtype a,
    varve_dtype b)
{
    *t = (struct tally){ .measure = measure,
        .types = { a, b },
        .widths = { varve_dtype_size(a), varve_dtype_size(b) },
        .is_bitwise = a == b && !measure->is_tolerant,
        .is_whole = true };
}

/* --- Elements ----------------------------------------------------------- */

static bool is_close(const struct tally *t, const struct gaps *g, size_t i)
{
    const struct measure *m = t->measure;
    if (g->apart[i] <= 0)
        return true;
    return !isinf(g->apart[i]) &&
           g->apart[i] <= m->tolerance + m->relative * g->size_b[i];
}

/* Returns true if an element differs. */
static bool differs(const struct tally *t, const struct gaps *g,
    const unsigned char *a, const unsigned char *b, size_t i)
{
    if (t->measure->nan_differs && isnan(g->size_a[i]))
        return true;
    if (t->is_bitwise)
        return memcmp(a + i * t->widths[0], b + i * t->widths[0],
                   t->widths[0]) != 0;
    return !is_close(t, g, i);
}

static void keep_place(struct tally *t, const unsigned char *a,
    const unsigned char *b, uint64_t start, size_t i)
{
    t->has_place = true;
    t->place = start + i;
    memcpy(t->a, a + i * t->widths[0], t->widths[0]);
    memcpy(t->b, b + i * t->widths[1], t->widths[1]);
}

/* Returns true if the distance of an element is the largest so far. */
static bool is_largest(const struct tally *t, const struct gaps *g, size_t i)
{
    if (t->is_whole)
        return g->exact[i] > t->largest_whole;
    return g->apart[i] > t->largest;
}

static void look_at_element(struct tally *t, const struct gaps *g,
    const unsigned char *a, const unsigned char *b, uint64_t start, size_t i)
{
    double larger = fmax(g->size_a[i], g->size_b[i]);
    bool is_apart = differs(t, g, a, b, i);
    t->differing += is_apart;
    t->nans += isnan(g->apart[i]) ? 1 : 0;
    if (g->apart[i] > 0 && is_largest(t, g, i))
        keep_place(t, a, b, start, i);
    else if (is_apart && !t->has_place)
        keep_place(t, a, b, start, i);
    if (g->apart[i] > t->largest)
        t->largest = g->apart[i];
    if (t->is_whole && g->exact[i] > t->largest_whole)
        t->largest_whole = g->exact[i];
    double ratio = isinf(g->apart[i]) ? g->apart[i] : g->apart[i] / larger;
    if (g->apart[i] > 0 && ratio > t->largest_relative)
        t->largest_relative = ratio;
}

/* --- Norms -------------------------------------------------------------- */

/* Adds squares for the norm, scaled so that they do not overflow or
 * underflow. */
static void add_squares(struct tally *t, const struct gaps *g)
{
    double most = 0, sum = 0;
    for (size_t i = 0; i < g->count; i++)
        most = g->apart[i] > most ? g->apart[i] : most;
    if (most <= 0 || isinf(most) || isinf(t->scale)) {
        t->scale = isinf(most) ? most : t->scale;
        return;
    }
    for (size_t i = 0; i < g->count; i++) {
        double part = isnan(g->apart[i]) ? 0 : g->apart[i] / most;
        sum += part * part;
    }
    double ratio = most > t->scale ? t->scale / most : most / t->scale;
    if (most > t->scale) {
        t->squares = t->squares * ratio * ratio + sum;
        t->scale = most;
    } else {
        t->squares += sum * ratio * ratio;
    }
}

/* --- Pieces ------------------------------------------------------------- */

static void tally_block(struct tally *t, const unsigned char *a,
    const unsigned char *b, uint64_t start, size_t count)
{
    struct gaps g;
    gaps_measure(&g, t->types[0], a, t->types[1], b, count);
    if (!g.is_whole && t->is_whole) {
        t->is_whole = false;
        t->largest = t->largest_whole ? (double)t->largest_whole : t->largest;
    }
    for (size_t i = 0; i < count; i++)
        look_at_element(t, &g, a, b, start, i);
    add_squares(t, &g);
}

/* Skips blocks that are bitwise equal. */
void tally_piece(struct tally *t, const struct stretch *piece)
{
    bool can_skip = t->types[0] == t->types[1] && !t->measure->nan_differs;
    for (uint64_t i = 0; i < piece->count; i += GAPS) {
        uint64_t left = piece->count - i;
        size_t count = left < GAPS ? (size_t)left : (size_t)GAPS;
        const unsigned char *a = piece->bytes[0] + i * t->widths[0];
        const unsigned char *b = piece->bytes[1] + i * t->widths[1];
        if (!can_skip || memcmp(a, b, count * t->widths[0]) != 0)
            tally_block(t, a, b, piece->start + i, count);
    }
}

void tally_end(const struct tally *t, struct difference *d)
{
    d->has_gaps = true;
    d->differing = t->differing;
    d->nans = t->nans;
    d->is_exact = t->is_whole && t->types[0] <= VARVE_UINT64 &&
                  t->types[1] <= VARVE_UINT64;
    d->largest_whole = t->largest_whole;
    d->largest = t->largest;
    d->largest_relative = t->largest_relative;
    d->norm = isinf(t->scale) ? t->scale : t->scale * sqrt(t->squares);
    d->place = t->place;
    if (!t->has_place)
        return;
    element_text(t->types[0], t->a, true, d->a);
    element_text(t->types[1], t->b, true, d->b);
}
