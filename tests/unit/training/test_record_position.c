/* test_record_position.c - Tests positions in records.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "record_position.h"

static const struct vv_record_extent seven = { 7, { 1, 2 }, 3 };

static struct vv_record_position start(void)
{
    struct vv_record_position p = { .seed = 4 };
    vv_record_position_fit(&p, &seven);
    return p;
}

/* Takes steps of a size until the data ends, and returns the last position. */
static struct vv_record_position walk(
    const struct vv_record_choice *choice, uint64_t *batches, uint64_t *records)
{
    struct vv_record_position p = start();
    for (*batches = *records = 0;; ++*batches) {
        struct vv_record_step step = vv_record_step_at(&p, choice);
        if (step.count == 0)
            break;
        cr_assert_leq(step.count, choice->wanted);
        cr_assert_eq(step.ends_epoch, step.after.epoch > step.from.epoch);
        *records += step.count;
        p = step.after;
    }
    struct vv_record_step again = vv_record_step_at(&p, choice);
    cr_assert(memcmp(&again.after, &p, sizeof p) == 0);
    return p;
}

TEST(record_position, steps_through_epochs)
{
    for (size_t wanted = 1; wanted < 10; wanted++) {
        for (uint64_t drops = 0; drops < (wanted > 7 ? 1 : 2); drops++) {
            uint64_t batches, records;
            const struct vv_record_choice choice = {
                .whole = seven, .epochs = 2, .wanted = wanted, .drops = drops,
            };
            uint64_t whole = 7 / wanted, rest = !drops && 7 % wanted;
            walk(&choice, &batches, &records);
            cr_assert_eq(batches, 2 * (whole + rest));
            cr_assert_eq(records, drops ? 2 * whole * wanted : 14);
        }
    }
}

TEST(record_position, uses_a_new_extent_from_the_next_epoch)
{
    const struct vv_record_choice choice = {
        .whole = { 9, { 5, 6 }, 4 }, .wanted = 4,
    };
    struct vv_record_position p = start();
    p.consumed = 3;
    struct vv_record_step step = vv_record_step_at(&p, &choice);
    cr_assert_eq(step.count, 4);
    cr_assert_eq(step.from.count, 7);
    cr_assert(step.ends_epoch);
    cr_assert_eq(step.after.count, 9);
    cr_assert_eq(step.after.files, 4);
    cr_assert_eq(step.after.fingerprint[1], 6);
    /* nothing of the epoch was taken: it is one of the new epochs */
    p = start();
    step = vv_record_step_at(&p, &choice);
    cr_assert_eq(step.from.count, 9);
    cr_assert_eq(step.from.epoch, 0);
    p.count = 0;
    cr_assert_eq(vv_record_step_at(&p, &choice).from.count, 9);
}

TEST(record_position, has_an_order_for_each_epoch)
{
    struct vv_record_position p = start();
    struct vv_permutation order = vv_record_order(&p);
    bool differs = false;
    p.consumed = 2;
    cr_assert_eq(vv_record_number(&p, &order, 3), 5);
    p.shuffle = 1;
    for (int epoch = 0; epoch < 5; epoch++) {
        struct vv_record_position next = p;
        next.epoch++;
        next.consumed = p.consumed = 0;
        struct vv_permutation other = vv_record_order(&next);
        order = vv_record_order(&p);
        unsigned seen = 0;
        for (uint64_t i = 0; i < 7; i++) {
            uint64_t number = vv_record_number(&p, &order, i);
            seen |= 1U << number;
            differs |= number != vv_record_number(&next, &other, i);
        }
        cr_assert_eq(seen, 0x7f);
        p = next;
    }
    cr_assert(differs);
}
