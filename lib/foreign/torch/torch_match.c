/* torch_match.c - one group, or several.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_match.h"

#include <string.h>

enum { MOST_GROUPS = 64 };

static bool fits(
    const struct vv_torch_form *trained, const struct vv_torch_form *model)
{
    return !trained->is_known ||
           (trained->rank == model->rank &&
               (trained->rank == 0 ||
                   memcmp(trained->extents, model->extents,
                       trained->rank * sizeof *trained->extents) == 0));
}

/* From the front, each as early as it may come; and from the back, each as
 * late: where both give the same, there is no other way. */
static bool match_one(const struct vv_torch_trained *t,
    const struct vv_torch_form *model, size_t count, size_t *to)
{
    size_t at = 0;
    for (size_t i = 0; i < t->count; i++, at++) {
        while (at < count && !fits(&t->forms[i], &model[at]))
            at++;
        if (at >= count)
            return false;
        to[i] = at;
    }
    at = count;
    for (size_t i = t->count; i-- > 0;) {
        do
            at--; /* to the first one's at the least */
        while (!fits(&t->forms[i], &model[at]));
        if (to[i] != at)
            return false;
    }
    return true;
}

/* The group whose next one is of this form; `groups` where there is none, or
 * more than one. */
static size_t group_of(const struct vv_torch_trained *t,
    const struct vv_torch_form *form, const size_t *next)
{
    size_t found = t->groups;
    for (size_t g = 0; g < t->groups; g++) {
        if (next[g] == t->ends[g] || !fits(&t->forms[next[g]], form))
            continue;
        if (found < t->groups)
            return t->groups;
        found = g;
    }
    return found;
}

bool vv_torch_match(const struct vv_torch_trained *t,
    const struct vv_torch_form *model, size_t count, size_t *next, size_t *to)
{
    if (t->groups == 1)
        return match_one(t, model, count, to);
    if (t->count != count || t->groups > MOST_GROUPS)
        return false;
    for (size_t g = 0; g < t->groups; g++)
        next[g] = g ? t->ends[g - 1] : 0;
    for (size_t at = 0; at < count; at++) {
        size_t g = group_of(t, &model[at], next);
        if (g == t->groups)
            return false;
        to[next[g]++] = at;
    }
    return true;
}
