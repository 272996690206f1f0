/* test_saver_save.c - Tests saving and restoring with a saver.
 *
 * SPDX-License-Identifier: MIT
 */
#include "savers.h"

#include "support/faulty_system.h"
#include "support/proof.h"

static void save_as(
    varve_saver *saver, const char *prefix, varve_saver_save_options options)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_saver_save(saver, prefix, &options, &error), error);
}

TEST(saver_save, includes_the_step_in_the_name)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    add(saver, "v", leaf(world.root, "v", 0));
    save_as(saver, "m", (varve_saver_save_options){ 0 });
    save_as(saver, "m", (varve_saver_save_options){ .has_step = true });
    save_as(saver, "m",
        (varve_saver_save_options){ .has_step = true, .step = 5,
            .pad_step = true });
    save_as(saver, "m",
        (varve_saver_save_options){ .has_step = true, .step = 1234567890,
            .pad_step = true });
    save_as(saver, "n.varve", (varve_saver_save_options){ 0 });
    assert_list(saver, "m.varve m-0.varve m-00000005.varve "
                       "m-1234567890.varve n.varve");
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, uses_the_options_of_the_call)
{
    static const varve_metadata metadata = { .name = "step",
        .kind = VARVE_METADATA_INTEGER, .integer = 7 };
    static const varve_write_options with_step = { .metadata = &metadata,
        .metadata_count = 1 };
    static const varve_write_options no_replace = { .no_replace = true };
    begin_world();
    varve_error error = { 0 };
    varve_restoration *r;
    varve_saver *saver = new_saver(NULL);
    add(saver, "v", leaf(world.root, "v", 0));
    save_as(saver, "m", (varve_saver_save_options){ .write = &with_step });
    varve_saver_save_options options = { .write = &no_replace };
    cr_assert_eq(varve_saver_save(saver, "m", &options, &error), VARVE_EXISTS);
    assert_list(saver, "m.varve");
    cr_assert_ok(varve_saver_restore(saver, "m", NULL, &r, &error), error);
    cr_assert_eq(varve_restoration_metadata(r, "step")->integer, 7);
    varve_restoration_free(r);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, requires_a_prefix_that_names_files)
{
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = new_saver(NULL);
    add(saver, "v", leaf(world.root, "v", 0));
    cr_assert_eq(varve_saver_save(saver, "run/", NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_saver_save(saver, "", NULL, &error), VARVE_MISUSE);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, deletes_nothing_after_a_save_that_is_not_durable)
{
    static const varve_write_options no_sync = { .no_sync = true };
    varve_saver_options options = { .keep = 1 };
    begin_world();
    varve_saver *saver = new_saver(&options);
    add(saver, "v", leaf(world.root, "v", 0));
    save(saver, "s", 1);
    save_as(saver, "s", (varve_saver_save_options){ .has_step = true,
                            .step = 2, .write = &no_sync });
    cr_assert(is_there("s-1.varve") && is_there("s-2.varve"));
    assert_list(saver, "s-1.varve s-2.varve");
    save(saver, "s", 3);
    cr_assert(!is_there("s-1.varve") && !is_there("s-2.varve"));
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, does_nothing_for_an_allowed_empty_map)
{
    varve_saver_options options = { .allow_empty = true };
    varve_restoration *r = (varve_restoration *)&options;
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = new_saver(&options);
    save(saver, "s", 1);
    cr_assert_eq(memory_file_count(world.memory), 0);
    assert_list(saver, "");
    cr_assert_ok(
        varve_saver_restore(saver, "none", NULL, &r, &error), error);
    cr_assert_null(r);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, restores_the_highest_step_of_a_prefix)
{
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = new_saver(NULL);
    add(saver, "v", leaf(world.root, "v", 0));
    save_as(saver, "m", (varve_saver_save_options){ .has_step = true,
                            .step = 10, .pad_step = true });
    world.x[0] = 7;
    save(saver, "m", 9);
    restore(saver, "m");
    cr_assert_eq(world.x[0], 1);
    restore(saver, "m-9");
    cr_assert_eq(world.x[0], 7);
    world.x[0] = 8;
    save_as(saver, "m", (varve_saver_save_options){ 0 });
    restore(saver, "m-00000010.varve");
    restore(saver, "m");
    cr_assert_eq(world.x[0], 8, "the file of that very name");
    cr_assert_eq(varve_saver_restore(saver, "none", NULL, NULL, &error),
        VARVE_NOT_FOUND);
    cr_assert_eq(varve_saver_restore(saver, "m-1.varve", NULL, NULL, &error),
        VARVE_NOT_FOUND);
    memory_put(world.memory, "text", "not a checkpoint, but long enough", 33);
    cr_assert_eq(varve_saver_restore(saver, "text", NULL, NULL, &error),
        VARVE_NOT_A_CHECKPOINT);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, lists_all_missing_names_and_changes_nothing)
{
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = new_saver(NULL);
    add(saver, "net/kernel", leaf(world.root, "k", 0));
    add(saver, "step", leaf(world.root, "s", 1));
    save(saver, "s", 1);
    varve_saver_free(saver);
    saver = new_saver(NULL);
    add(saver, "net/kernal", varve_find(world.root, "k"));
    add(saver, "other", leaf(world.root, "o", 2));
    add(saver, "step", varve_find(world.root, "s"));
    world.x[1] = 0;
    varve_restoration *r = (varve_restoration *)saver;
    cr_assert_eq(
        varve_saver_restore(saver, "s", NULL, &r, &error), VARVE_UNMATCHED);
    cr_assert_null(r);
    cr_assert_eq(world.x[1], 0);
    cr_assert(strstr(error.message,
                  "s-1.varve: 2 of 3 names are missing in the file:\n"),
        "%s", error.message);
    cr_assert(strstr(error.message, "\n  net/kernal ") &&
                  strstr(error.message, "(nearest: \"net/kernel\")") &&
                  strstr(error.message, "\n  other "),
        "%s", error.message);
    varve_read_options options = { .expect.missing = "**" };
    cr_assert_ok(
        varve_saver_restore(saver, "s", &options, NULL, &error), error);
    cr_assert_eq(world.x[1], 2);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, distinguishes_wrong_types_from_missing_names)
{
    static float wide[2];
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = new_saver(NULL);
    add(saver, "v", leaf(world.root, "v", 0));
    save(saver, "s", 1);
    varve_saver_free(saver);
    saver = new_saver(NULL);
    add(saver, "v",
        varve_add_variable(world.root, "w", varve_array(wide, 1, 1)));
    cr_assert_eq(
        varve_saver_restore(saver, "s", NULL, NULL, &error), VARVE_MISMATCH);
    varve_read_options options = { .reshape = true };
    cr_assert_ok(
        varve_saver_restore(saver, "s", &options, NULL, &error), error);
    cr_assert_eq(wide[0], 1);
    varve_saver_free(saver);
    end_world();
}

/* --- Failures ------------------------------------------------------------- */

/* Creates a saver that keeps 2 files and has written two. */
static struct faulty *begin_faulty(varve_saver **saver)
{
    varve_saver_options options = { .keep = 2 };
    begin_world();
    end_graph();
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    begin_graph();
    *saver = new_saver(&options);
    add(*saver, "net/v", leaf(world.root, "v", 0));
    save(*saver, "s", 1);
    save(*saver, "s", 2);
    return faulty;
}

static void end_faulty(struct faulty *faulty, varve_saver *saver)
{
    varve_saver_free(saver);
    end_world();
    cr_assert_eq(faulty_open_count(faulty), 0);
    faulty_free(faulty);
}

static bool is_whole(const char *path)
{
    varve_reader *reader = vv_reader_open_in(&world.context, path, NULL);
    bool is_good = reader && !varve_reader_verify(reader, NULL, NULL);
    varve_reader_free(reader);
    return is_good;
}

/* Checks after a third save, which may have failed, that listed files are
 * complete, that files to be kept exist, and that the next save fixes
 * everything. */
static void check_after(
    struct faulty *faulty, varve_saver *saver, varve_status status)
{
    bool has_new = !status || status == VARVE_UNKNOWN_OUTCOME;
    faulty_plan(faulty, NULL);
    for (size_t i = 0; i < varve_saver_count(saver); i++)
        cr_assert(is_whole(varve_saver_at(saver, i)));
    cr_assert(is_whole("s-2.varve"));
    if (status)
        cr_assert(is_whole("s-1.varve"), "deleted without a new one");
    cr_assert_eq(is_there("s-3.varve"), has_new);
    assert_list(saver, !status ? "s-2.varve s-3.varve"
                : has_new      ? "s-1.varve s-2.varve s-3.varve"
                               : "s-1.varve s-2.varve");
    save(saver, "s", 3);
    assert_list(saver, "s-2.varve s-3.varve");
    cr_assert(!is_there("s-1.varve"));
    cr_assert_eq(memory_file_count(world.memory), 2, "nothing else is left");
}

static void try_faults(bool sticky, int fault)
{
    varve_saver_save_options options = { .has_step = true, .step = 3 };
    bool was_hit = true;
    uint64_t tried = 0;
    for (long n = 0; was_hit; n++) {
        varve_saver *saver;
        varve_error error = { 0 };
        struct faulty *faulty = begin_faulty(&saver);
        faulty_plan(faulty, &(struct faulty_plan){ .number = n,
                                .error = fault, .sticky = sticky });
        varve_status status = varve_saver_save(saver, "s", &options, &error);
        was_hit = faulty_hit(faulty);
        cr_assert_eq(error.status, status);
        check_after(faulty, saver, status);
        end_faulty(faulty, saver);
        tried += was_hit;
    }
    proof_count("faults.saver", tried);
}

TEST(saver_save, loses_nothing_if_any_call_fails)
{
    try_faults(false, EIO);
    try_faults(false, ENOSPC);
    try_faults(true, EIO);
}

TEST(saver_save, loses_nothing_without_memory)
{
    varve_saver_save_options options = { .has_step = true, .step = 3 };
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_saver *saver;
        struct faulty *faulty = begin_faulty(&saver);
        test_fail_allocation(n, false);
        status = varve_saver_save(saver, "s", &options, NULL);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        check_after(faulty, saver, status);
        end_faulty(faulty, saver);
    }
}

TEST(saver_save, restores_all_or_nothing_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    begin_world();
    varve_saver *saver = new_saver(NULL);
    add(saver, "net/v", leaf(world.root, "v", 0));
    add(saver, "net/w", leaf(world.root, "w", 1));
    save(saver, "s", 1);
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        world.x[0] = world.x[1] = 0;
        test_fail_allocation(n, false);
        status = varve_saver_restore(saver, "s", NULL, NULL, &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY, "%s",
            error.message);
        cr_assert_eq(error.status, status);
        cr_assert_eq(world.x[0], status ? 0 : 1);
        cr_assert_eq(world.x[1], status ? 0 : 2);
    }
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, shares_data_files_and_deletes_unreferenced_ones)
{
    static const varve_write_options incremental = { .incremental = true };
    begin_world();
    varve_saver *saver = new_saver(&(varve_saver_options){ .keep = 2 });
    add(saver, "v", leaf(world.root, "v", 0));
    for (uint64_t step = 1; step <= 5; step++) {
        save_as(saver, "m",
            (varve_saver_save_options){
                .has_step = true, .step = step, .write = &incremental });
        size_t layers = 0;
        for (size_t i = 0; i < memory_file_count(world.memory); i++)
            layers +=
                strncmp(memory_file_path(world.memory, i), "layers/", 7) == 0;
        cr_assert_eq(layers, 1, "the value did not change");
    }
    varve_saver_free(saver);
    end_world();
}

TEST(saver_save, asynchronous_save_has_the_values_of_its_call)
{
    varve_error error = { 0 };
    begin_world();
    varve_saver *saver = varve_saver_new(world.graph,
        &(varve_saver_options){ .async = true, .keep = 2 }, &error);
    cr_assert(saver, "%s", error.message);
    varve_node *x =
        varve_add_variable(world.root, "x", varve_scalar(&world.x[0]));
    cr_assert_ok(varve_saver_add(saver, "x", x, &error), error);
    for (unsigned step = 1; step < 5; step++) {
        varve_saver_save_options options = { .has_step = true, .step = step };
        world.x[0] = (float)step;
        cr_assert_ok(varve_saver_save(saver, "s", &options, &error), error);
        world.x[0] = -1;
    }
    cr_assert_ok(varve_saver_wait(saver, &error), error);
    cr_assert_eq(varve_saver_count(saver), 2);
    cr_assert_str_eq(varve_saver_latest(saver), "s-4.varve");
    cr_assert_ok(
        varve_saver_restore(saver, "s-4", NULL, NULL, &error), error);
    cr_assert_eq(world.x[0], 4);
    memory_set_capacity(world.memory, 0);
    cr_assert_ok(varve_saver_save(saver, "s", NULL, &error), error);
    cr_assert_eq(varve_saver_save(saver, "s", NULL, &error), VARVE_NO_SPACE);
    cr_assert(strstr(error.message, "asynchronous save failed: s.varve"));
    cr_assert_ok(varve_saver_save(saver, "s", NULL, &error), error);
    cr_assert_eq(varve_saver_wait(saver, &error), VARVE_NO_SPACE);
    error.status = VARVE_OK;
    cr_assert_eq(varve_saver_wait(NULL, &error), VARVE_MISUSE);
    cr_assert_str_eq(varve_saver_latest(saver), "s-4.varve");
    cr_assert_ok(varve_saver_save(saver, "s", NULL, &error), error);
    varve_saver_free(saver);
    cr_assert_eq(varve_write(world.root, "x", NULL, &error), VARVE_NO_SPACE);
    cr_assert(strstr(error.message, "asynchronous save failed: s.varve"));
    saver = varve_saver_new(world.graph,
        &(varve_saver_options){ .async = true, .keep = 2 }, &error);
    cr_assert(saver, "%s", error.message);
    cr_assert_ok(varve_saver_add(saver, "x", x, &error), error);
    memory_set_capacity(world.memory, UINT64_MAX);
    cr_assert_ok(varve_saver_save(saver, "s", NULL, &error), error);
    varve_saver_free(saver);
    size_t size;
    cr_assert(memory_bytes(world.memory, "s.varve", &size));
    end_graph();
    memory_free(world.memory);
}
