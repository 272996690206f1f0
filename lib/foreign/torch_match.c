/* torch_match.c - Assigns the parameters of a torch optimizer to variables of a
 * model by shape, in the order of the model or in any order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_match.h"

#include <stdlib.h>
#include <string.h>

static bool torch_match_fits(
    const struct vv_torch_form *trained, const struct vv_torch_form *model)
{
    return !trained->is_known ||
           (trained->rank == model->rank &&
               (trained->rank == 0 ||
                   memcmp(trained->extents, model->extents,
                       trained->rank * sizeof *trained->extents) == 0));
}

/* Assigns each parameter to the first possible variable, then to the last
 * possible one. If both assignments are equal, there is no other. */
bool vv_torch_match(const struct vv_torch_form *trained, size_t count,
    const struct vv_torch_form *model, size_t model_count, size_t *to)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++, at++) {
        while (at < model_count && !torch_match_fits(&trained[i], &model[at]))
            at++;
        if (at >= model_count)
            return false;
        to[i] = at;
    }
    at = model_count;
    for (size_t i = count; i-- > 0;) {
        do
            at--; /* never below the position found in the first pass */
        while (!torch_match_fits(&trained[i], &model[at]));
        if (to[i] != at)
            return false;
    }
    return true;
}

/* --- In any order --------------------------------------------------------- */

/* A form and its position. */
struct placed {
    struct vv_torch_form form;
    size_t at;
};

static int compare_forms(
    const struct vv_torch_form *a, const struct vv_torch_form *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->extents[i] != b->extents[i])
            return a->extents[i] < b->extents[i] ? -1 : 1;
    }
    return 0;
}

/* Sorts by shape, then by position. */
static int torch_match_compare(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    int order = compare_forms(&a->form, &b->form);
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* Appends the forms of known shape, sorted. Returns their number. */
static size_t add_sorted(
    struct vv_buffer *room, const struct vv_torch_form *forms, size_t count)
{
    size_t before = room->size, known = 0;
    for (size_t i = 0; i < count; i++) {
        struct placed placed = { forms[i], i };
        if (!forms[i].is_known)
            continue;
        vv_buffer_add(room, &placed, sizeof placed);
        known++;
    }
    if (!room->failed && known > 0)
        qsort(room->data + before, known, sizeof(struct placed),
            torch_match_compare);
    return known;
}

static size_t count_same(
    const struct placed *all, size_t at, size_t count, const struct placed *p)
{
    size_t same = 0;
    while (
        at + same < count && compare_forms(&all[at + same].form, &p->form) == 0)
        same++;
    return same;
}

/* Merges two sorted lists, one shape at a time. */
static enum vv_torch_fit match_known(const struct placed *trained, size_t count,
    const struct placed *model, size_t model_count, size_t *to, size_t *shape)
{
    enum vv_torch_fit fit = VV_TORCH_FITS_ONCE;
    size_t at = 0;
    for (size_t i = 0; i < count;) {
        while (at < model_count &&
               compare_forms(&model[at].form, &trained[i].form) < 0)
            at++;
        size_t own = count_same(trained, i, count, &trained[i]);
        size_t theirs = count_same(model, at, model_count, &trained[i]);
        if (theirs < own)
            return VV_TORCH_FITS_NOT;
        if (theirs > 1 && fit == VV_TORCH_FITS_ONCE) {
            fit = VV_TORCH_FITS_OFTEN;
            *shape = trained[i].at;
        }
        to[trained[i].at] = model[at].at;
        i += own;
        at += theirs;
    }
    return fit;
}

/* Assigns the remaining variable to the only parameter of unknown shape. */
static void place_last(const struct vv_torch_form *trained, size_t count,
    size_t model_count, size_t last, size_t *to)
{
    size_t left = model_count * (model_count - 1) / 2;
    for (size_t i = 0; i < count; i++) {
        if (trained[i].is_known)
            left -= to[i];
    }
    to[last] = left;
}

/* Returns the number of parameters of unknown shape that have saved values, and
 * sets *last to the last of them. Sets to[i] of all parameters of unknown shape
 * to SIZE_MAX. */
static size_t count_unknown(
    const struct vv_torch_form *trained, size_t count, size_t *to, size_t *last)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (trained[i].is_known)
            continue;
        to[i] = SIZE_MAX;
        if (trained[i].is_empty)
            continue;
        *last = i;
        found++;
    }
    return found;
}

enum vv_torch_fit vv_torch_match_any(const struct vv_torch_form *trained,
    size_t count, const struct vv_torch_form *model, size_t model_count,
    size_t *to, size_t *shape, struct vv_buffer *room)
{
    if (count > model_count)
        return VV_TORCH_FITS_NOT;
    room->size = 0;
    size_t known = add_sorted(room, trained, count), last = 0;
    add_sorted(room, model, model_count);
    if (room->failed)
        return VV_TORCH_FITS_NOT;
    const struct placed *all = (const struct placed *)(const void *)room->data;
    enum vv_torch_fit fit =
        match_known(all, known, all + known, model_count, to, shape);
    size_t unknown = count_unknown(trained, count, to, &last);
    if (fit != VV_TORCH_FITS_ONCE || unknown == 0)
        return fit;
    *shape = last;
    if (count - known > 1 || model_count > count)
        return VV_TORCH_FITS_OFTEN;
    place_last(trained, count, model_count, last, to);
    return VV_TORCH_FITS_ONCE;
}
