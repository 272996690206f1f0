/* slice.c - slices of each dimension, separated by commas.
 *
 * SPDX-License-Identifier: MIT
 */
#include "slice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A number that counts from the end, and further than there are elements. */
#define BEFORE_ALL UINT64_MAX

struct reader {
    const char *text;
    const char *at;
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool fail(
    const struct reader *r, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    vsnprintf(r->why, r->size, form, arguments);
    va_end(arguments);
    return false;
}

/* A number as a position in `extent` elements, from the end if it is negative:
 * at most `extent`, or BEFORE_ALL. */
static bool read_number(struct reader *r, uint64_t extent, uint64_t *position)
{
    bool is_negative = *r->at == '-';
    const char *begin = r->at += is_negative;
    uint64_t number = 0;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX
                                                    : 10 * number + digit;
    }
    if (r->at == begin)
        return fail(
            r, "%s: expected a number, found \"%.10s\"", r->text, begin);
    if (!is_negative)
        *position = number > extent ? extent : number;
    else
        *position = number > extent ? BEFORE_ALL : extent - number;
    return true;
}

static bool is_end(const struct reader *r)
{
    return *r->at == ',' || *r->at == '\0';
}

/* BEGIN:END, its first number read; a beginning that was none is the first. */
static bool read_end(
    struct reader *r, uint64_t extent, uint64_t *begin, uint64_t *end)
{
    r->at++;
    *end = extent;
    if (!is_end(r) && !read_number(r, extent, end))
        return false;
    if (*begin == BEFORE_ALL)
        *begin = 0;
    if (*end == BEFORE_ALL || *end < *begin)
        *end = *begin;
    return true;
}

/* One dimension. */
static bool read_part(
    struct reader *r, uint32_t d, uint64_t extent, struct slice *s)
{
    uint64_t begin = 0, end = 0;
    const char *number = r->at;
    if (*r->at != ':' && !read_number(r, extent, &begin))
        return false;
    bool is_index = is_end(r);
    if (is_index && begin >= extent)
        return fail(r,
            "%.*s: expected an index of %" PRIu64
            " elements in dimension %" PRIu32,
            (int)(r->at - number), number, extent, d);
    if (is_index)
        end = begin + 1;
    else if (*r->at == ':' && !read_end(r, extent, &begin, &end))
        return false;
    if (!is_end(r))
        return fail(r, "%s: expected BEGIN:END or an index, found \"%.10s\"",
            r->text, r->at);
    s->box.start[d] = begin;
    s->box.extents[d] = end - begin;
    if (!is_index)
        s->part.shape[s->part.rank++] = end - begin;
    return true;
}

bool slice_parse(const char *text, const varve_tensor *tensor, struct slice *s,
    char *why, size_t size)
{
    struct reader r = { .text = text, .at = text, .why = why, .size = size };
    uint32_t d = 0;
    *s = (struct slice){ .part = { .dtype = tensor->dtype } };
    for (bool more = true; more; d++) {
        if (d == tensor->rank)
            return fail(&r, "%s: expected at most %" PRIu32 " dimensions", text,
                tensor->rank);
        if (!read_part(&r, d, tensor->shape[d], s))
            return false;
        more = *r.at == ',';
        r.at += more;
    }
    for (; d < tensor->rank; d++) {
        s->box.extents[d] = tensor->shape[d];
        s->part.shape[s->part.rank++] = tensor->shape[d];
    }
    return true;
}
