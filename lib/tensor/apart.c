/* apart.c - Compares views as combs: a dimension repeats the narrower ones,
 * with a stride beyond their span.
 *
 * SPDX-License-Identifier: MIT
 */
#include "apart.h"

#include "strided.h"

enum { MOST_STEPS = 1 << 16 };

/* Dimensions with more than one element, largest stride first. Contiguous
 * elements are one run of bytes and not a dimension. */
struct comb {
    struct vv_address_range span;
    uint32_t rank;
    uint64_t extents[VARVE_MAX_RANK];
    int64_t strides[VARVE_MAX_RANK];
    int64_t spans[VARVE_MAX_RANK + 1]; /* of a dimension and all inside it */
};

/* A comb from one of its dimensions on, and its position. */
struct teeth {
    const struct comb *comb;
    uint32_t k;
    int64_t at;
};

static void apart_add_dimension(struct comb *c, uint64_t extent, int64_t stride)
{
    uint32_t at = c->rank++;
    for (; at > 0 && c->strides[at - 1] < stride; at--) {
        c->extents[at] = c->extents[at - 1];
        c->strides[at] = c->strides[at - 1];
    }
    c->extents[at] = extent;
    c->strides[at] = stride;
}

static struct comb comb_of(const varve_tensor *tensor)
{
    const varve_memory *memory = tensor->memory;
    const int64_t unit = (int64_t)varve_dtype_size(tensor->dtype);
    struct comb c = { .span.begin = (uintptr_t)tensor->data };
    int64_t run = unit;
    if (varve_tensor_count(tensor) == 0) {
        c.span.end = c.span.begin;
        return c;
    }
    for (uint32_t i = 0; memory && i < tensor->rank; i++) {
        uint64_t way = tensor->shape[i] - 1;
        uint64_t stride = vv_stride_magnitude(memory->strides[i]);
        if (way > 0)
            apart_add_dimension(&c, way + 1, (int64_t)stride);
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

static int64_t stride_of(const struct teeth *t)
{
    return t->k < t->comb->rank ? t->comb->strides[t->k] : 0;
}

static int64_t apart_span_of(const struct teeth *t)
{
    return t->comb->spans[t->k];
}

/* Returns the tooth at an index, which consists of the following dimensions. */
static struct teeth tooth(const struct teeth *t, int64_t index)
{
    return (struct teeth){ t->comb, t->k + 1, t->at + index * stride_of(t) };
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

/* Returns true if the teeth of both cannot meet, however many there are. */
static bool apart_pass(const struct teeth *a, const struct teeth *b)
{
    int64_t g = greatest_divisor(stride_of(a), stride_of(b));
    int64_t a_width = a->comb->spans[a->k + 1];
    int64_t b_width =
        stride_of(b) ? b->comb->spans[b->k + 1] : apart_span_of(b);
    int64_t way = b->at - a->at;
    way -= floored(way, g) * g;
    return way >= a_width && way + b_width <= g;
}

static bool apart_meet(struct teeth a, struct teeth b, unsigned *steps);

/* Compares teeth with equal strides: only their distance matters. */
static bool alike_meet(
    const struct teeth *a, const struct teeth *b, unsigned *steps)
{
    const int64_t stride = stride_of(a), way = b->at - a->at;
    const int64_t a_count = (int64_t)a->comb->extents[a->k];
    const int64_t b_count = (int64_t)b->comb->extents[b->k];
    int64_t d = floored(-way - b->comb->spans[b->k + 1], stride) + 1;
    int64_t end = floored(a->comb->spans[a->k + 1] - way - 1, stride);
    if (d < 1 - a_count)
        d = 1 - a_count;
    if (end > b_count - 1)
        end = b_count - 1;
    for (; d <= end; d++) {
        int64_t in_a = d < 0 ? -d : 0;
        if (apart_meet(tooth(a, in_a), tooth(b, in_a + d), steps))
            return true;
    }
    return false;
}

/* Compares `b` with the teeth of `a` that are within its span. */
static bool some_meet(
    const struct teeth *a, const struct teeth *b, unsigned *steps)
{
    const int64_t stride = stride_of(a), way = b->at - a->at;
    int64_t i = floored(way - a->comb->spans[a->k + 1], stride) + 1;
    int64_t end = floored(way + apart_span_of(b) - 1, stride);
    if (i < 0)
        i = 0;
    if (end > (int64_t)a->comb->extents[a->k] - 1)
        end = (int64_t)a->comb->extents[a->k] - 1;
    for (; i <= end; i++)
        if (apart_meet(tooth(a, i), *b, steps))
            return true;
    return false;
}

/* Returns true if two combs share a byte. The depth of the recursion is bounded
 * by the sum of the ranks. */
static bool apart_meet(struct teeth a, struct teeth b, unsigned *steps)
{
    if (a.at + apart_span_of(&a) <= b.at || b.at + apart_span_of(&b) <= a.at)
        return false;
    if (stride_of(&a) < stride_of(&b)) {
        struct teeth other = a;
        a = b;
        b = other;
    }
    if (stride_of(&a) == 0 || ++*steps > MOST_STEPS)
        return true;
    if (apart_pass(&a, &b))
        return false;
    return stride_of(&a) == stride_of(&b) ? alike_meet(&a, &b, steps)
                                          : some_meet(&a, &b, steps);
}

struct vv_address_range vv_tensor_span(const varve_tensor *tensor)
{
    if (tensor->memory)
        return comb_of(tensor).span;
    const uintptr_t begin = (uintptr_t)tensor->data;
    return (struct vv_address_range){ begin,
        begin + (uintptr_t)varve_tensor_size(tensor) };
}

bool vv_tensors_share(const varve_tensor *a, const varve_tensor *b)
{
    const struct comb left = comb_of(a), right = comb_of(b);
    unsigned steps = 0;
    if (left.span.begin == left.span.end || right.span.begin == right.span.end)
        return false;
    int64_t way = right.span.begin >= left.span.begin
                      ? (int64_t)(right.span.begin - left.span.begin)
                      : -(int64_t)(left.span.begin - right.span.begin);
    return apart_meet((struct teeth){ &left, 0, 0 },
        (struct teeth){ &right, 0, way }, &steps);
}
