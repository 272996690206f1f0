/* slice.c - Parses slices of each dimension, separated by commas.
 *
 * A place is a position plus 1, so that 0 is before the first element and the
 * extent is the last one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "slice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "complaint.h"

#define MOST_STEP (UINT64_C(1) << 62)

struct reader {
    const char *text;
    const char *at;
    char *why;
    size_t size;
};

/* A number as written. */
struct bound {
    bool is_given;
    bool is_negative;
    uint64_t number;
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

static bool is_end(const struct reader *r)
{
    return *r->at == ',' || *r->at == '\0';
}

static bool read_bound(struct reader *r, struct bound *bound)
{
    *bound = (struct bound){ .is_negative = *r->at == '-' };
    const char *begin = r->at += bound->is_negative;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        bound->number = bound->number > (UINT64_MAX - digit) / 10
                            ? UINT64_MAX
                            : 10 * bound->number + digit;
    }
    bound->is_given = r->at > begin;
    bound->is_negative &= bound->number > 0;
    if (!bound->is_given)
        return fail(
            r, "%s: expected a number, found \"%.10s\"", r->text, begin);
    return true;
}

/* Returns the place for `extent` elements: 0 before all, at most one after the
 * last. */
static uint64_t place_of(const struct bound *bound, uint64_t extent)
{
    uint64_t behind = extent < UINT64_MAX ? extent + 1 : extent;
    if (bound->is_negative)
        return bound->number > extent ? 0 : behind - bound->number;
    return bound->number >= extent ? behind : bound->number + 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct axis forward(const struct bound bounds[3], uint64_t extent)
{
    uint64_t begin = bounds[0].is_given ? place_of(&bounds[0], extent) : 1;
    uint64_t end = bounds[1].is_given ? place_of(&bounds[1], extent)
                                      : extent + (extent < UINT64_MAX);
    uint64_t step = bounds[2].is_given ? bounds[2].number : 1;
    begin = begin ? begin : 1;
    return (struct axis){ .start = begin - 1,
        .step = (int64_t)least(step, MOST_STEP),
        .count = end > begin ? (end - begin - 1) / step + 1 : 0 };
}

static struct axis backward(const struct bound bounds[3], uint64_t extent)
{
    uint64_t begin = bounds[0].is_given ? place_of(&bounds[0], extent) : extent;
    uint64_t end = bounds[1].is_given ? place_of(&bounds[1], extent) : 0;
    uint64_t step = bounds[2].number;
    begin = least(begin, extent);
    return (struct axis){ .start = begin ? begin - 1 : 0,
        .step = -(int64_t)least(step, MOST_STEP),
        .count = begin > end ? (begin - end - 1) / step + 1 : 0 };
}

/* Parses [BEGIN]:[END][:[STEP]], from the first colon on. */
static bool read_range(struct reader *r, struct bound bounds[3])
{
    for (int i = 1; i < 3 && *r->at == ':'; i++) {
        r->at++;
        if (!is_end(r) && *r->at != ':' && !read_bound(r, &bounds[i]))
            return false;
    }
    if (bounds[2].is_given && bounds[2].number == 0)
        return fail(r, "%s: expected a step other than 0", r->text);
    return true;
}

/* Parses one dimension. */
static bool read_axis(
    struct reader *r, uint32_t d, uint64_t extent, struct axis *axis)
{
    struct bound bounds[3] = { { .is_given = false } };
    const char *number = r->at;
    if (*r->at != ':' && !read_bound(r, &bounds[0]))
        return false;
    bool is_index = is_end(r);
    uint64_t place = place_of(&bounds[0], extent);
    if (is_index && (place == 0 || place > extent))
        return fail(r,
            "%.*s: expected an index of %" PRIu64
            " element%s in dimension %" PRIu32,
            (int)(r->at - number), number, extent, extent == 1 ? "" : "s", d);
    if (is_index)
        *axis = (struct axis){
            .start = place - 1, .step = 1, .count = 1, .is_index = true
        };
    else if (!read_range(r, bounds))
        return false;
    else
        *axis = bounds[2].is_negative ? backward(bounds, extent)
                                      : forward(bounds, extent);
    axis->lead = axis->count;
    if (!is_end(r))
        return fail(r,
            "%s: expected BEGIN:END, BEGIN:END:STEP or an index, found "
            "\"%.10s\"",
            r->text, r->at);
    return true;
}

/* Returns the number of dimensions without "...". */
static size_t count_named(const char *text)
{
    size_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == ',';
    return count - (strstr(text, "...") != NULL);
}

static bool fail_rank(const struct reader *r, const varve_tensor *tensor)
{
    return fail(r, "%s: expected at most %" PRIu32 " dimension%s", r->text,
        tensor->rank, tensor->rank == 1 ? "" : "s");
}

static bool parse(const char *text, const varve_tensor *tensor,
    struct selection *s, char *why, size_t size)
{
    struct reader r = { .text = text, .at = text, .why = why, .size = size };
    size_t named = count_named(text);
    uint32_t d = 0;
    bool was_dots = false;
    selection_whole(tensor, s);
    if (named > tensor->rank)
        return fail_rank(&r, tensor);
    for (bool more = true; more; r.at += more) {
        bool is_dots = !was_dots && strncmp(r.at, "...", 3) == 0;
        was_dots |= is_dots;
        if (is_dots) {
            d += tensor->rank - (uint32_t)named;
            r.at += 3;
        } else if (d == tensor->rank) {
            return fail_rank(&r, tensor);
        } else if (!read_axis(&r, d, tensor->shape[d], &s->axes[d])) {
            return false;
        } else {
            d++;
        }
        if (!is_end(&r))
            return fail(
                &r, "%s: expected a comma, found \"%.10s\"", text, r.at);
        more = *r.at == ',';
    }
    return true;
}

int slice_choose(const struct settings *settings, const char *slice,
    const varve_saved_node *node, struct selection *selection)
{
    char why[200];
    const char *text = node->has_value ? slice : NULL;
    selection_whole(&node->value, selection);
    if (!text || parse(text, &node->value, selection, why, sizeof why))
        return OUTCOME_DONE;
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_USAGE,
                                  .code = "USAGE",
                                  .what = "--slice",
                                  .why = why });
}
