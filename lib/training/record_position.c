/* record_position.c - Computes the batch that follows a position, and the order
 * of an epoch.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record_position.h"

#include <string.h>

#include "random_key.h"

void vv_record_position_fit(
    struct vv_record_position *p, const struct vv_record_extent *whole)
{
    if (p->consumed > 0)
        return;
    p->count = whole->count;
    p->files = whole->files;
    memcpy(p->fingerprint, whole->fingerprint, sizeof p->fingerprint);
}

static void begin_epoch(
    struct vv_record_position *p, const struct vv_record_extent *whole)
{
    p->epoch++;
    p->consumed = 0;
    vv_record_position_fit(p, whole);
}

struct vv_record_step vv_record_step_at(
    const struct vv_record_position *position,
    const struct vv_record_choice *choice)
{
    struct vv_record_position p = *position;
    vv_record_position_fit(&p, &choice->whole);
    if (choice->drops && p.count - p.consumed < choice->wanted)
        begin_epoch(&p, &choice->whole);
    struct vv_record_step step = { .from = p, .after = p };
    if (p.count == 0 || (choice->epochs && p.epoch >= choice->epochs)) {
        step.after = *position;
        return step;
    }
    uint64_t left = p.count - p.consumed;
    step.count = left < choice->wanted ? (size_t)left : choice->wanted;
    left -= step.count;
    step.after.consumed += step.count;
    step.ends_epoch = left == 0 || (choice->drops && left < choice->wanted);
    if (step.ends_epoch)
        begin_epoch(&step.after, &choice->whole);
    return step;
}

struct vv_permutation vv_record_order(const struct vv_record_position *p)
{
    const uint64_t numbers[2] = { p->seed, p->epoch };
    uint64_t key[2];
    if (!p->shuffle)
        return (struct vv_permutation){ .count = p->count };
    vv_random_key(key, numbers, 2, "order of records");
    return vv_permutation_of(key, p->count);
}

uint64_t vv_record_number(const struct vv_record_position *p,
    const struct vv_permutation *order, uint64_t ahead)
{
    uint64_t place = p->consumed + ahead;
    return p->shuffle ? vv_permutation_at(order, place) : place;
}
