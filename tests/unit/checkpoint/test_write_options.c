/* test_write_options.c - lib/checkpoint/save/write_options.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "write_options.h"

TEST(write_options, are_of_this_version_without_any)
{
    const varve_write_options known = { .layered = true,
        .layers.track = true,
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

/* What has no effect without another option. */
TEST(write_options, are_refused_by_name_where_they_have_no_effect)
{
    const struct {
        varve_write_options options;
        const char *name;
    } wrong[] = {
        { { .layers.base = "a" }, "`layers.base` needs `layered`" },
        { { .layers.only_touched = true }, "`layers.only_touched` needs" },
        { { .layers.track = true }, "`layers.track` needs `layered`" },
        { { .layers.verify_untouched = true }, "`layers.verify_untouched` ne" },
        { { .layered = true, .layers.verify_untouched = true },
            "needs `layers.only_touched` or `layers.track`" },
        { { .layered = true, .format = VARVE_FORMAT_NPZ }, "`layered` needs" },
        { { .compress = 1, .format = VARVE_FORMAT_NPZ }, "`compress` needs" },
        { { .foreign.shard_size = 1 }, "`foreign.shard_size` needs" },
        { { .foreign.shard_size = 1, .format = VARVE_FORMAT_NPZ },
            "`foreign.shard_size` needs" },
        { { .foreign.global_names = true }, "`foreign.global_names` needs" },
        { { .foreign.global_names = true, .format = VARVE_FORMAT_TORCH },
            "`foreign.global_names` needs" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        varve_error error = { 0 };
        cr_assert_eq(vv_write_options_check(&wrong[i].options, &error),
            VARVE_MISUSE, "%s", wrong[i].name);
        cr_assert(strstr(error.message, wrong[i].name), "%s", error.message);
    }
}

TEST(write_options, are_taken_where_they_have_an_effect)
{
    const varve_write_options right[] = {
        { .layered = true, .layers = { .base = "a", .track = true,
                               .verify_untouched = true } },
        { .layered = true, .layers = { .only_touched = true,
                               .verify_untouched = true } },
        { .foreign.shard_size = 1, .format = VARVE_FORMAT_TENSORFLOW },
        { .foreign.shard_size = 1, .format = VARVE_FORMAT_TENSORFLOW_NAMES },
        { .foreign = { .shard_size = 1, .global_names = true },
            .format = VARVE_FORMAT_SAFETENSORS },
        { .foreign.global_names = true, .format = VARVE_FORMAT_NPZ },
        { .foreign.global_names = true, .format = VARVE_FORMAT_GGUF },
        { .keep_counter = true, .format = VARVE_FORMAT_TORCH },
    };
    varve_error error = { 0 };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        cr_assert_ok(vv_write_options_check(&right[i], &error), error);
}

TEST(write_options, have_our_format_where_files_are_numbered)
{
    const varve_write_options npz = { .format = VARVE_FORMAT_NPZ };
    const varve_write_options ours = { .no_sync = true };
    varve_error error = { 0 };
    cr_assert_ok(vv_check_numbered(NULL, "format", "a", &error), error);
    cr_assert_ok(vv_check_numbered(&ours, "format", "a", &error), error);
    cr_assert_eq(
        vv_check_numbered(&npz, "write.format", "a", &error), VARVE_MISUSE);
    cr_assert(strstr(error.message,
                  "a: `write.format` must be VARVE_FORMAT_VARVE in numbered "),
        "%s", error.message);
    cr_assert(strstr(error.message, "found npz"), "%s", error.message);
}
