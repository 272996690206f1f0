/* box.c - the innermost dimensions that a box takes whole are one run with the
 * one before them; the dimensions before that are counted like an odometer.
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
    /* A tensor of no elements may have extents that overflow together. */
    for (uint32_t i = 0; i < tensor->rank && !is_empty; i++)
        count *= box->extents[i];
    return is_empty ? 0 : count;
}

void vv_runs_begin(
    struct vv_runs *runs, const varve_tensor *tensor, const varve_box *box)
{
    uint32_t outer = tensor->rank;
    uint64_t length = 1;
    uint64_t count = vv_box_count(tensor, box);
    *runs = (struct vv_runs){ .tensor = tensor, .box = box };
    while (count > 0 && outer > 0) {
        outer--;
        length *= box->extents[outer];
        if (box->extents[outer] != tensor->shape[outer])
            break;
    }
    runs->outer = outer;
    runs->length = length;
    runs->left = count / length;
}

bool vv_runs_next(struct vv_runs *runs, uint64_t *first)
{
    if (runs->left == 0)
        return false;
    runs->left--;
    *first = 0;
    for (uint32_t i = 0; i < runs->tensor->rank; i++)
        *first =
            *first * runs->tensor->shape[i] + runs->box->start[i] + runs->at[i];
    for (uint32_t i = runs->outer; i-- > 0;) {
        if (++runs->at[i] < runs->box->extents[i])
            break;
        runs->at[i] = 0;
    }
    return true;
}
