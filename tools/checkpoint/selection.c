/* selection.c - Computes positions along the dimensions of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "selection.h"

#include <inttypes.h>
#include <stdio.h>

void selection_whole(const varve_tensor *tensor, struct selection *s)
{
    *s = (struct selection){ .dtype = tensor->dtype, .rank = tensor->rank };
    for (uint32_t d = 0; d < s->rank; d++)
        s->axes[d] = (struct axis){
            .step = 1, .count = tensor->shape[d], .lead = tensor->shape[d]
        };
}

uint64_t selection_count(const struct selection *s)
{
    uint64_t count = 1;
    for (uint32_t d = 0; d < s->rank; d++)
        count *= s->axes[d].count;
    return count;
}

varve_tensor selection_tensor(const struct selection *s)
{
    varve_tensor tensor = { .dtype = s->dtype };
    for (uint32_t d = 0; d < s->rank; d++) {
        if (!s->axes[d].is_index)
            tensor.shape[tensor.rank++] = s->axes[d].count;
    }
    return tensor;
}

uint64_t axis_at(const struct axis *axis, uint64_t i)
{
    uint64_t step = (uint64_t)axis->step; /* a negative step modulo 2^64 */
    uint64_t place = i < axis->lead ? i : i + axis->skipped;
    return axis->start + place * step;
}

uint64_t axis_span(
    const struct axis *axis, uint64_t first, uint64_t count, uint64_t *least)
{
    uint64_t one = axis_at(axis, first);
    uint64_t other = axis_at(axis, first + count - 1);
    *least = one < other ? one : other;
    return (one < other ? other - one : one - other) + 1;
}

void selection_place(
    const struct selection *s, uint64_t i, uint64_t place[VARVE_MAX_RANK])
{
    for (uint32_t d = s->rank; d-- > 0;) {
        place[d] = axis_at(&s->axes[d], i % s->axes[d].count);
        i /= s->axes[d].count;
    }
}

const char *place_text(
    const struct selection *s, uint64_t i, char text[PLACE_TEXT_SIZE])
{
    uint64_t place[VARVE_MAX_RANK];
    size_t used = 1;
    selection_place(s, i, place);
    text[0] = '[';
    for (uint32_t d = 0; d < s->rank; d++)
        used += (size_t)snprintf(text + used, PLACE_TEXT_SIZE - used,
            "%s%" PRIu64, d ? "," : "", place[d]);
    snprintf(text + used, PLACE_TEXT_SIZE - used, "]");
    return text;
}
