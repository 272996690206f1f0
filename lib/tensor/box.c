/* box.c - Intersects boxes. A dimension that both boxes cover equally is merged
 * with the one before it. The others are counted like an odometer that skips
 * positions outside the intersection.
 *
 * SPDX-License-Identifier: MIT
 */
#include "box.h"

uint32_t vv_box_leaves(const varve_tensor *tensor, const varve_box *box)
{
    uint32_t i = 0;
    while (i < tensor->rank && box->start[i] <= tensor->shape[i] &&
           box->extents[i] <= tensor->shape[i] - box->start[i])
        i++;
    return i;
}

uint64_t vv_box_count(const varve_tensor *tensor, const varve_box *box)
{
    uint64_t count = 1;
    bool is_empty = false;
    for (uint32_t i = 0; i < tensor->rank; i++)
        is_empty |= box->extents[i] == 0;
    /* A tensor without elements can have extents whose product overflows. */
    for (uint32_t i = 0; i < tensor->rank && !is_empty; i++)
        count *= box->extents[i];
    return is_empty ? 0 : count;
}

varve_box vv_box_whole(const varve_tensor *tensor)
{
    varve_box box = { { 0 }, { 0 } };
    for (uint32_t i = 0; i < tensor->rank; i++)
        box.extents[i] = tensor->shape[i];
    return box;
}

/* --- Rows --------------------------------------------------------------- */

/* Adds a dimension of extent 1. */
static void box_add_dimension(struct vv_rows *r)
{
    uint32_t k = r->rank++;
    r->low[k] = r->shifts[k] = 0;
    r->high[k] = r->from_extents[k] = r->to_extents[k] = 1;
}

/* Merges the innermost dimension with the next one, which is equal in both
 * boxes. */
static void box_widen(struct vv_rows *r, uint64_t extent)
{
    uint32_t k = r->rank - 1;
    r->low[k] *= extent;
    r->high[k] *= extent;
    r->shifts[k] *= extent;
    r->from_extents[k] *= extent;
    r->to_extents[k] *= extent;
}

/* Adds a dimension. Returns false if the boxes do not intersect. (A negative
 * shift wraps around.) */
static bool box_add(struct vv_rows *r, uint64_t from_start,
    uint64_t from_extent, uint64_t to_start, uint64_t to_extent)
{
    uint64_t low = from_start > to_start ? from_start : to_start;
    uint64_t from_end = from_start + from_extent, to_end = to_start + to_extent;
    uint64_t high = from_end < to_end ? from_end : to_end;
    if (low >= high)
        return false;
    if (from_start == to_start && from_extent == to_extent) {
        box_widen(r, from_extent);
        return true;
    }
    if (r->from_extents[r->rank - 1] > 1 || r->to_extents[r->rank - 1] > 1)
        box_add_dimension(r);
    uint32_t k = r->rank - 1;
    r->low[k] = low - from_start;
    r->high[k] = high - from_start;
    r->shifts[k] = from_start - to_start;
    r->from_extents[k] = from_extent;
    r->to_extents[k] = to_extent;
    return true;
}

void vv_rows_begin(struct vv_rows *rows, uint32_t rank, const varve_box *from,
    const varve_box *to, uint64_t first, uint64_t end)
{
    bool meets = true;
    rows->rank = 0;
    rows->end = end;
    box_add_dimension(rows);
    for (uint32_t i = 0; i < rank && meets; i++)
        meets = box_add(rows, from->start[i], from->extents[i], to->start[i],
            to->extents[i]);
    if (!meets)
        rows->rank = 0;
    for (uint32_t k = rows->rank; k-- > 0;) {
        rows->at[k] = k > 0 ? first % rows->from_extents[k] : first;
        first /= rows->from_extents[k];
    }
}

/* Moves to the next position in the intersection unless this is one. Returns
 * false if there is none. */
static bool box_settle(struct vv_rows *r)
{
    uint32_t k = 0;
    while (k < r->rank && r->at[k] >= r->low[k] && r->at[k] < r->high[k])
        k++;
    if (k == r->rank)
        return k > 0;
    if (r->at[k] < r->low[k]) {
        r->at[k] = r->low[k];
    } else {
        do {
            if (k == 0)
                return false;
            k--;
        } while (++r->at[k] == r->high[k]);
    }
    while (++k < r->rank)
        r->at[k] = r->low[k];
    return true;
}

bool vv_rows_next(struct vv_rows *r)
{
    if (!box_settle(r))
        return false;
    r->from = r->to = 0;
    for (uint32_t k = 0; k < r->rank; k++) {
        r->from = r->from * r->from_extents[k] + r->at[k];
        r->to = r->to * r->to_extents[k] + r->at[k] + r->shifts[k];
    }
    if (r->from >= r->end)
        return false;
    uint64_t *at = &r->at[r->rank - 1];
    r->count = r->high[r->rank - 1] - *at;
    if (r->count > r->end - r->from)
        r->count = r->end - r->from;
    *at += r->count;
    return true;
}
