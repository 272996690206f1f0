/* torch_match.c - one group, or several.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_match.h"

#include <string.h>

enum {
    MOST_GROUPS = 64,
    MOST_SKIPPED = 128, /* of the model, each of which is a look at all */
};

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

/* How many groups have one of this form next; *found is the last of them. */
static size_t count_next(const struct vv_torch_trained *t,
    const struct vv_torch_form *form, const size_t *next, size_t *found)
{
    size_t count = 0;
    for (size_t g = 0; g < t->groups; g++) {
        if (next[g] < t->ends[g] && fits(&t->forms[next[g]], form)) {
            *found = g;
            count++;
        }
    }
    return count;
}

/* Whether nothing that is trained is of this form. */
static bool is_no_form(
    const struct vv_torch_trained *t, const struct vv_torch_form *form)
{
    for (size_t i = 0; i < t->count; i++) {
        if (fits(&t->forms[i], form))
            return false;
    }
    return true;
}

/* Each of the model in its order: the group that has such a one next, if it is
 * the only one. */
static bool match_groups(const struct vv_torch_trained *t,
    const struct vv_torch_form *model, size_t count, size_t *next, size_t *to)
{
    size_t matched = 0, found = 0;
    for (size_t at = 0; at < count; at++) {
        size_t groups = count_next(t, &model[at], next, &found);
        if (groups == 1) {
            to[next[found]++] = at;
            matched++;
            continue;
        }
        if (groups > 1 || at - matched == MOST_SKIPPED ||
            !is_no_form(t, &model[at]))
            return false;
    }
    return matched == t->count;
}

bool vv_torch_match(const struct vv_torch_trained *t,
    const struct vv_torch_form *model, size_t count, size_t *next, size_t *to)
{
    if (t->count > count || t->groups > MOST_GROUPS)
        return false;
    if (t->groups == 1)
        return match_one(t, model, count, to);
    for (size_t g = 0; g < t->groups; g++)
        next[g] = g ? t->ends[g - 1] : 0;
    return match_groups(t, model, count, next, to);
}
