/* test_write_options.c - lib/checkpoint/save/write_options.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "write_options.h"

TEST(write_options, are_of_this_version_without_any)
{
    const varve_write_options known = { .layered = true,
        .layers.track = true, .foreign.shard_size = 1,
        .background.in_flight = 1, .many.files = 1 };
    varve_error error = { 0 };
    cr_assert_ok(vv_write_options_check(NULL, &error), error);
    cr_assert_ok(vv_write_options_check(&known, &error), error);
}

TEST(write_options, are_of_a_later_version_where_any_room_is_filled)
{
    static int something;
    varve_write_options options = { 0 };
    varve_reserved *rooms[] = { &options.reserved, &options.layers.reserved,
        &options.foreign.reserved, &options.background.reserved,
        &options.many.reserved };
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        varve_error error = { 0 };
        rooms[i]->words[i] = &something;
        cr_assert_eq(
            vv_write_options_check(&options, &error), VARVE_TOO_NEW,
            "room %zu", i);
        rooms[i]->words[i] = NULL;
    }
}
