/* disjoint.c - Compares views as strided bytes: a dimension repeats the
 * narrower ones, with a stride beyond their span.
 *
 * SPDX-License-Identifier: MIT
 */
#include "disjoint.h"

#include "strided.h"

enum { MOST_STEPS = 1 << 16 };

/* Dimensions with more than one element, largest stride first. Contiguous
 * elements are one run of bytes and not a dimension. */
struct strided_bytes {
    struct vv_address_range span;
    uint32_t rank;
    uint64_t extents[VARVE_MAX_RANK];
    int64_t strides[VARVE_MAX_RANK];
    int64_t spans[VARVE_MAX_RANK + 1]; /* of a dimension and all inside it */
};

/* The dimensions of strided bytes from `k` on, and their position. */
struct progression {
    const struct strided_bytes *bytes;
    uint32_t k;
    int64_t at;
};

static void disjoint_add_dimension(
    struct strided_bytes *c, uint64_t extent, int64_t stride)
{
    uint32_t at = c->rank++;
    for (; at > 0 && c->strides[at - 1] < stride; at--) {
        c->extents[at] = c->extents[at - 1];
        c->strides[at] = c->strides[at - 1];
    }
    c->extents[at] = extent;
    c->strides[at] = stride;
}

static struct strided_bytes strided_bytes_of(const varve_tensor *tensor)
{
    const varve_memory *memory = tensor->memory;
    const int64_t unit = (int64_t)varve_dtype_size(tensor->dtype);
    struct strided_bytes c = { .span.begin = (uintptr_t)tensor->data };
    int64_t run = unit;
    if (varve_tensor_count(tensor) == 0) {
        c.span.end = c.span.begin;
        return c;
    }
    for (uint32_t i = 0; memory && i < tensor->rank; i++) {
        uint64_t way = tensor->shape[i] - 1;
        uint64_t stride = vv_stride_magnitude(memory->strides[i]);
        if (way > 0)
            disjoint_add_dimension(&c, way + 1, (int64_t)stride);
        if (memory->strides[i] < 0)
            c.span.begin -= (uintptr_t)(way * stride);
    }
    if (!memory)
        run = (int64_t)varve_tensor_size(tensor);
    for (; c.rank > 0 && c.strides[c.rank - 1] == run; c.rank--)
        run *= (int64_t)c.extents[c.rank - 1];
    c.spans[c.rank] = run;
    for (uint32_t k = c.rank; k-- > 0;)
        c.spans[k] =
            c.spans[k + 1] + (int64_t)(c.extents[k] - 1) * c.strides[k];
    c.span.end = c.span.begin + (uintptr_t)c.spans[0];
    return c;
}

static int64_t stride_of(const struct progression *t)
{
    return t->k < t->bytes->rank ? t->bytes->strides[t->k] : 0;
}

static int64_t disjoint_span_of(const struct progression *t)
{
    return t->bytes->spans[t->k];
}

/* Returns the repetition with an index. It consists of the following
 * dimensions. */
static struct progression repetition(const struct progression *t, int64_t index)
{
    return (
        struct progression){ t->bytes, t->k + 1, t->at + index * stride_of(t) };
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t floored(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Returns true if the repetitions of both cannot meet, however many there are.
 */
static bool disjoint_pass(
    const struct progression *a, const struct progression *b)
{
    int64_t g = greatest_divisor(stride_of(a), stride_of(b));
    int64_t a_width = a->bytes->spans[a->k + 1];
    int64_t b_width =
        stride_of(b) ? b->bytes->spans[b->k + 1] : disjoint_span_of(b);
    int64_t way = b->at - a->at;
    way -= floored(way, g) * g;
    return way >= a_width && way + b_width <= g;
}

static bool disjoint_meet(
    struct progression a, struct progression b, unsigned *steps);

/* Compares repetitions with equal strides: only their distance matters. */
static bool equal_strides_meet(
    const struct progression *a, const struct progression *b, unsigned *steps)
{
    const int64_t stride = stride_of(a), way = b->at - a->at;
    const int64_t a_count = (int64_t)a->bytes->extents[a->k];
    const int64_t b_count = (int64_t)b->bytes->extents[b->k];
    int64_t d = floored(-way - b->bytes->spans[b->k + 1], stride) + 1;
    int64_t end = floored(a->bytes->spans[a->k + 1] - way - 1, stride);
    if (d < 1 - a_count)
        d = 1 - a_count;
    if (end > b_count - 1)
        end = b_count - 1;
    for (; d <= end; d++) {
        int64_t in_a = d < 0 ? -d : 0;
        if (disjoint_meet(repetition(a, in_a), repetition(b, in_a + d), steps))
            return true;
    }
    return false;
}

/* Compares `b` with the repetitions of `a` that are within its span. */
static bool some_meet(
    const struct progression *a, const struct progression *b, unsigned *steps)
{
    const int64_t stride = stride_of(a), way = b->at - a->at;
    int64_t i = floored(way - a->bytes->spans[a->k + 1], stride) + 1;
    int64_t end = floored(way + disjoint_span_of(b) - 1, stride);
    if (i < 0)
        i = 0;
    if (end > (int64_t)a->bytes->extents[a->k] - 1)
        end = (int64_t)a->bytes->extents[a->k] - 1;
    for (; i <= end; i++)
        if (disjoint_meet(repetition(a, i), *b, steps))
            return true;
    return false;
}

/* Returns true if both have a byte in common. The depth of the recursion is
 * bounded by the sum of the ranks. */
static bool disjoint_meet(
    struct progression a, struct progression b, unsigned *steps)
{
    if (a.at + disjoint_span_of(&a) <= b.at ||
        b.at + disjoint_span_of(&b) <= a.at)
        return false;
    if (stride_of(&a) < stride_of(&b)) {
        struct progression other = a;
        a = b;
        b = other;
    }
    if (stride_of(&a) == 0 || ++*steps > MOST_STEPS)
        return true;
    if (disjoint_pass(&a, &b))
        return false;
    return stride_of(&a) == stride_of(&b) ? equal_strides_meet(&a, &b, steps)
                                          : some_meet(&a, &b, steps);
}

struct vv_address_range vv_tensor_span(const varve_tensor *tensor)
{
    if (tensor->memory)
        return strided_bytes_of(tensor).span;
    const uintptr_t begin = (uintptr_t)tensor->data;
    return (struct vv_address_range){ begin,
        begin + (uintptr_t)varve_tensor_size(tensor) };
}

bool vv_tensors_share(const varve_tensor *a, const varve_tensor *b)
{
    const struct strided_bytes left = strided_bytes_of(a),
                               right = strided_bytes_of(b);
    unsigned steps = 0;
    if (left.span.begin == left.span.end || right.span.begin == right.span.end)
        return false;
    int64_t way = right.span.begin >= left.span.begin
                      ? (int64_t)(right.span.begin - left.span.begin)
                      : -(int64_t)(left.span.begin - right.span.begin);
    return disjoint_meet((struct progression){ &left, 0, 0 },
        (struct progression){ &right, 0, way }, &steps);
}
