/* test_write_options.c - Tests the checks of write options.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "write_options.h"

TEST(write_options, are_valid_if_empty)
{
    const varve_write_options known = { .incremental = true,
        .increment.track = true,
        .async.in_flight = 1, .collective.files = 1 };
    varve_error error = { 0 };
    cr_assert_ok(vv_write_options_check(NULL, &error), error);
    cr_assert_ok(vv_write_options_check(&known, &error), error);
}

TEST(write_options, are_of_a_later_version_if_a_reserved_field_is_set)
{
    static int something;
    varve_write_options options = { 0 };
    varve_reserved *resize_buffers[] = { &options.reserved,
        &options.increment.reserved, &options.foreign.reserved,
        &options.async.reserved, &options.collective.reserved };
    for (size_t i = 0; i < sizeof resize_buffers / sizeof *resize_buffers;
         i++) {
        varve_error error = { 0 };
        resize_buffers[i]->words[i] = &something;
        cr_assert_eq(
            vv_write_options_check(&options, &error), VARVE_TOO_NEW,
            "room %zu", i);
        resize_buffers[i]->words[i] = NULL;
    }
}

/* Options that require another option. */
TEST(write_options, are_refused_by_name_if_they_have_no_effect)
{
    const struct {
        varve_write_options options;
        const char *name;
    } wrong[] = {
        { { .increment.base = "a" }, "`increment.base` needs `incremental`" },
        { { .increment.only_dirty = true }, "`increment.only_dirty` needs" },
        { { .increment.track = true },
            "`increment.track` needs `incremental`" },
        { { .increment.verify_clean = true }, "`increment.verify_clean` ne" },
        { { .incremental = true, .increment.verify_clean = true },
            "needs `increment.only_dirty` or `increment.track`" },
        { { .incremental = true, .format = VARVE_FORMAT_NPZ },
            "`incremental` needs" },
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

TEST(write_options, are_accepted_if_they_have_an_effect)
{
    const varve_write_options right[] = {
        { .incremental = true, .increment = { .base = "a", .track = true,
                               .verify_clean = true } },
        { .incremental = true, .increment = { .only_dirty = true,
                               .verify_clean = true } },
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

TEST(write_options, must_have_the_varve_format_for_numbered_files)
{
    const varve_write_options npz = { .format = VARVE_FORMAT_NPZ };
    const varve_write_options ours = { .no_sync = true };
    varve_error error = { 0 };
    cr_assert_ok(vv_check_numbered(NULL, "format", "a", &error), error);
    cr_assert_ok(vv_check_numbered(&ours, "format", "a", &error), error);
    cr_assert_eq(
        vv_check_numbered(&npz, "write.format", "a", &error), VARVE_MISUSE);
    cr_assert(strstr(error.message,
                  "a: `write.format` must be VARVE_FORMAT_VARVE for numbered "),
        "%s", error.message);
    cr_assert(strstr(error.message, "found npz"), "%s", error.message);
}
