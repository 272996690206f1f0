/* test_origin.c - Tests the order of checkpoints of the directory and the
 * tiers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "manage_world.h"
#include "origin.h"

/* Checks three listings, each an array of counters terminated by 0. */
static void check(const uint64_t lists[3][8], const char *expected)
{
    varve_manager m = { 0 };
    struct vv_level_queue queues[2];
    struct vv_entry entries[3][8];
    struct vv_listing *listings[3] = { &m.listing, &queues[0].seen,
        &queues[1].seen };
    char text[256] = "";
    memset(queues, 0, sizeof queues);
    memset(entries, 0, sizeof entries);
    m.levels.all = queues;
    m.levels.count = 2;
    for (int level = 0; level < 3; level++) {
        listings[level]->entries = entries[level];
        while (lists[level][listings[level]->count])
            entries[level][listings[level]->count].counter =
                lists[level][listings[level]->count],
                     listings[level]->count++;
    }
    struct vv_origin origin = { .levels = 2 };
    while (vv_origin_next(&m, &origin))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d:%d ",
            (int)origin.level, (int)vv_origin_entry(&origin)->counter);
    cr_assert_null(origin.listing);
    cr_assert_str_eq(text, expected);
}

TEST(origin, lists_the_newest_first_and_of_equal_ones_the_fastest)
{
    check((const uint64_t[3][8]){ { 0 }, { 0 }, { 0 } }, "");
    check((const uint64_t[3][8]){ { 1, 2, 3 }, { 0 }, { 0 } },
        "0:3 0:2 0:1 ");
    check((const uint64_t[3][8]){ { 0 }, { 0 }, { 1, 2 } }, "2:2 2:1 ");
    check((const uint64_t[3][8]){ { 3, 4 }, { 2, 4 }, { 2, 5 } },
        "2:5 0:4 1:4 0:3 1:2 2:2 ");
    check((const uint64_t[3][8]){ { 3, 3, 7 }, { 3, 3 }, { 3 } },
        "0:7 0:3 0:3 1:3 1:3 2:3 ");
}

TEST(origin, omits_levels_unless_requested)
{
    struct world w;
    world_begin(&w, NULL);
    world_save(&w, 10);
    struct vv_origin origin = { 0 };
    const char *path;
    cr_assert(vv_origin_next(w.manager, &origin));
    cr_assert_ok(vv_origin_path(&origin, &path, NULL), (varve_error){ 0 });
    cr_assert_str_eq(path, "run/ckpt-1.varve");
    cr_assert_not(vv_origin_next(w.manager, &origin));
    world_end(&w);
}
