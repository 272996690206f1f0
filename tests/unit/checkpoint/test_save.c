/* test_save.c - Tests numbered saves and the lookup of the newest checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "worlds.h"

#include "save.h"
#include "support/faulty_system.h"
#include "system.h"

#include <unistd.h>

static int value = 5;
static varve_node *root;

static void begin(void)
{
    begin_world();
    root = new_root();
    varve_add_variable(root, "x", varve_scalar(&value));
}

static void end(void)
{
    free_root(root);
    end_world();
}

static void put(const char *path)
{
    memory_put(world.memory, path, "x", 1);
}

static bool exists(const char *path)
{
    return memory_bytes(world.memory, path, &(size_t){ 0 }) != NULL;
}

static void save(const char *prefix)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_save(root, prefix, NULL, &error), error);
}

static void check_found(const char *path, bool numbered, const char *wanted)
{
    struct vv_buffer found;
    varve_error error = { 0 };
    vv_buffer_init(&found, test_allocator());
    varve_status status =
        vv_find_checkpoint(&world.context, path, numbered, &found, &error);
    cr_assert_eq(status, wanted ? VARVE_OK : VARVE_NOT_FOUND, "%s: %s", path,
        error.message);
    cr_assert_eq(error.status, status);
    if (wanted)
        cr_assert_str_eq(vv_buffer_string(&found), wanted);
    vv_buffer_clear(&found);
}

TEST(save, counts_up_and_records_the_latest)
{
    begin();
    cr_assert_eq(varve_save_counter(root), 0);
    save("run/ckpt");
    save("run/ckpt");
    cr_assert(exists("run/ckpt-1.varve") && exists("run/ckpt-2.varve"));
    cr_assert_eq(varve_save_counter(root), 2);
    size_t size;
    const void *note = memory_bytes(world.memory, "run/ckpt.latest", &size);
    cr_assert_eq(size, 13);
    cr_assert_eq(memcmp(note, "ckpt-2.varve\n", 13), 0);
    cr_assert_eq(memory_file_count(world.memory), 3);
    end();
}

TEST(save, uses_a_number_above_the_highest)
{
    begin();
    static const char *const foreign[] = { "c-7.varve", "c-3.varve",
        "c-010.varve", "c-+20.varve", "c--30.varve", "c-40.varve~",
        "cc-50.varve", "c-60", "c-.varve", "c-99999999999999999999.varve",
        "c-70.varve.tmp", "d-80.varve", "C-90.varve", "c-1e3.varve",
        ".c-100.varve", "c-110.VARVE" };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        put(foreign[i]);
    check_found("c", true, "c-7.varve");
    save("c");
    cr_assert(exists("c-8.varve"));
    cr_assert_eq(varve_save_counter(root), 8);
    check_found("c", true, "c-8.varve");
    end();
}

TEST(save, uses_a_number_above_its_own_counter)
{
    begin();
    cr_assert(vv_set_save_counter(root, 20));
    put("c-7.varve");
    save("c");
    cr_assert(exists("c-21.varve"));
    end();
}

static int cancel(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)user;
    (void)done;
    (void)total;
    (void)what;
    return 1;
}

TEST(save, failure_keeps_the_latest_file)
{
    varve_error error = { 0 };
    varve_write_options options = { .progress = cancel };
    begin();
    save("c");
    cr_assert_eq(varve_save(root, "c", &options, &error), VARVE_CANCELLED);
    size_t size;
    const void *note = memory_bytes(world.memory, "c.latest", &size);
    cr_assert_eq(size, 10);
    cr_assert_arr_eq(note, "c-1.varve\n", 10);
    end();
}

TEST(save, ends_with_the_largest_number)
{
    varve_error error = { 0 };
    begin();
    put("c-18446744073709551614.varve");
    save("c");
    cr_assert(exists("c-18446744073709551615.varve"));
    cr_assert_eq(varve_save(root, "c", NULL, &error), VARVE_LIMIT);
    cr_assert_eq(varve_save_counter(root), UINT64_MAX);
    cr_assert_eq(memory_file_count(world.memory), 3);
    end();
}

TEST(save, failure_does_not_use_its_number)
{
    varve_error error = { 0 };
    begin();
    save("c");
    memory_set_capacity(world.memory, 300);
    cr_assert_eq(varve_save(root, "c", NULL, &error), VARVE_NO_SPACE);
    memory_set_capacity(world.memory, UINT64_MAX);
    cr_assert_eq(varve_save_counter(root), 1);
    save("c");
    cr_assert(exists("c-2.varve"));
    cr_assert_eq(varve_save(root, NULL, NULL, &error), VARVE_MISUSE);
    end();
}

TEST(save, keeps_the_options_but_never_replaces)
{
    varve_error error = { 0 };
    varve_metadata step = { .name = "step", .kind = VARVE_METADATA_INTEGER,
        .integer = 12 };
    varve_write_options options = { .metadata = &step, .metadata_count = 1 };
    begin();
    cr_assert_ok(varve_save(root, "c", &options, &error), error);
    varve_restoration *r = varve_restore(root, "c", NULL, &error);
    cr_assert_eq(varve_restoration_counter(r), 1);
    cr_assert_eq(varve_restoration_metadata(r, "step")->integer, 12);
    varve_restoration_free(r);
    end();
}

TEST(save, is_found_as_file_with_suffix_or_by_prefix)
{
    begin();
    put("run/c-2.varve");
    put("run/c-10.varve");
    check_found("run/c", true, "run/c-10.varve");
    check_found("run/c", false, NULL);
    check_found("run/c-2", false, "run/c-2.varve");
    check_found("run/c-2", true, "run/c-2.varve");
    check_found("run/c-2.varve", false, "run/c-2.varve");
    check_found("run/c-3", true, NULL);
    check_found("run/c-3.varve", true, NULL);
    check_found("nowhere/c", true, NULL);
    put("run/c.varve");
    check_found("run/c", true, "run/c-10.varve");
    check_found("run/c", false, "run/c.varve");
    put("run/c");
    check_found("run/c", true, "run/c");
    /* A directory can be a prefix; otherwise it refers to its latest
     * checkpoint. */
    check_found("run", false, "run/c-10.varve");
    check_found("run/", false, "run/c-10.varve");
    put("run-4.varve");
    check_found("run", true, "run-4.varve");
    check_found("run", false, "run/c-10.varve");
    end();
}

static void check_not_found(
    const char *path, varve_status expected, const char *message)
{
    for (int numbered = 0; numbered < 2; numbered++) {
        struct vv_buffer found;
        varve_error error = { 0 };
        vv_buffer_init(&found, test_allocator());
        cr_assert_eq(vv_find_checkpoint(&world.context, path, numbered,
                         &found, &error), expected);
        cr_assert_str_eq(error.message, message);
        vv_buffer_clear(&found);
    }
}

TEST(save, is_found_by_a_restore_next_to_a_single_file)
{
    begin();
    varve_error error = { 0 };
    cr_assert_ok(varve_write(root, "run/ckpt.varve", NULL, &error), error);
    value = 6;
    save("run/ckpt");
    value = 7;
    varve_restoration *r = varve_restore(root, "run/ckpt", NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(value, 6);
    varve_restoration_free(r);
    check_found("run/ckpt", true, "run/ckpt-1.varve");
    check_found("run/ckpt", false, "run/ckpt.varve");
    check_found("run/ckpt.varve", true, "run/ckpt.varve");
    value = 5;
    end();
}

TEST(save, is_refused_if_a_file_has_the_name_of_its_prefix)
{
    begin();
    varve_error error = { 0 };
    put("run/ckpt");
    cr_assert_eq(varve_save(root, "run/ckpt", NULL, &error), VARVE_EXISTS);
    cr_assert_eq(memory_file_count(world.memory), 1);
    end();
}

TEST(save, requires_a_prefix_that_names_files)
{
    static const char *const prefixes[] = { "run/", "", "/" };
    begin();
    varve_error error = { 0 };
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(
            varve_save(root, prefixes[i], NULL, &error), VARVE_MISUSE);
        cr_assert(strstr(error.message, "a prefix must end with"), "%s",
            error.message);
    }
    cr_assert_eq(memory_file_count(world.memory), 0);
    end();
}

TEST(save, refuses_a_list_of_options_that_is_null)
{
    begin();
    varve_error error = { 0 };
    const varve_write_options write = { .metadata_count = 1 };
    const varve_read_options read = { .rename.count = 1 };
    cr_assert_eq(varve_write(root, "a.varve", &write, &error), VARVE_MISUSE);
    cr_assert_str_eq(error.message,
        "options: `metadata` is NULL, but its count is 1");
    cr_assert_ok(varve_write(root, "a.varve", NULL, &error), error);
    cr_assert_null(varve_read(root, "a.varve", &read, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_str_eq(error.message,
        "options: `rename.list` is NULL, but its count is 1");
    end();
}

TEST(save, skips_names_that_are_not_files)
{
    begin();
    save("run/ckpt");
    const struct vv_system *system = memory_system(world.memory);
    system->make_directory(
        system->state, VV_WORKING_DIRECTORY, "run/ckpt-90.varve");
    system->make_directory(
        system->state, VV_WORKING_DIRECTORY, "run/ckpt-91.varve");
    check_found("run/ckpt", true, "run/ckpt-1.varve");
    check_found("run", true, "run/ckpt-1.varve");
    save("run/ckpt");
    check_found("run/ckpt", true, "run/ckpt-92.varve");
    end();
}

static const char *const others[] = { "a", "ckpt-1.varve", "ckpt-1.varve\n\n",
    "other-1.varve\n", "ckpt-1\n" };

/* A hint file of the library, and remains of one after a power failure. */
TEST(save, replaces_only_its_own_latest_files)
{
    begin();
    size_t size;
    cr_assert(exists("run/ckpt.latest") == false);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bool is_ours = i == 1;
        memory_put(
            world.memory, "run/ckpt.latest", others[i], strlen(others[i]));
        save("run/ckpt");
        const void *bytes =
            memory_bytes(world.memory, "run/ckpt.latest", &size);
        cr_assert_eq(size == strlen(others[i]) &&
            memcmp(bytes, others[i], size) == 0, !is_ours, "%zu", i);
    }
    memory_put(world.memory, "run/ckpt.latest", "\0\0\0", 3);
    save("run/ckpt");
    cr_assert_eq(memcmp(memory_bytes(world.memory, "run/ckpt.latest", &size),
        "ckpt-6.varve\n", 13), 0);
    end();
}

/* --- Another process that writes before any system call of a save --------- */

static const char theirs[] = "a file of somebody else";

static void put_theirs(void *user)
{
    memory_put(user, "run/ckpt.latest", theirs, sizeof theirs);
}

static bool is_theirs(void)
{
    size_t size;
    const void *bytes = memory_bytes(world.memory, "run/ckpt.latest", &size);
    return size == sizeof theirs && memcmp(bytes, theirs, size) == 0;
}

/* Returns true if a save opens its hint file at or after the call selected by
 * the plan. */
static bool looks_behind(const struct faulty *faulty, size_t hit)
{
    for (size_t i = hit; i < faulty_log_size(faulty); i++) {
        const struct faulty_call *call = faulty_log_at(faulty, i);
        if (call->kind == FAULTY_OPEN &&
            strcmp(call->name, "run/ckpt.latest") == 0)
            return true;
    }
    return false;
}

/* Saves the `saves`-th number. Before system call `number` another file is
 * created with the name of the hint file. Returns false if there are fewer
 * calls. */
static bool meet_another(int saves, long number)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    world.memory = memory;
    world.context = test_context(faulty_system(faulty));
    root = new_root();
    for (int i = 1; i < saves; i++)
        save("run/ckpt");
    faulty_plan(faulty, &(struct faulty_plan){ .number = number,
        .way = FAULTY_STOPS, .stop = put_theirs, .user = memory });
    save("run/ckpt");
    bool hit = faulty_hit(faulty);
    bool may_be_lost = saves > 1 && !looks_behind(faulty, (size_t)number);
    cr_assert(!hit || may_be_lost || is_theirs(), "call %ld", number);
    end();
    faulty_free(faulty);
    return hit;
}

TEST(save, does_not_replace_a_latest_file_created_meanwhile)
{
    long first = 0, second = 0;
    while (meet_another(1, first))
        first++;
    while (meet_another(2, second))
        second++;
    cr_assert(first > 20 && second > 20);
}

TEST(save, keeps_a_checkpoint_named_like_its_latest_file)
{
    begin();
    varve_error error = { 0 };
    cr_assert_ok(varve_write(root, "run/ckpt.latest", NULL, &error), error);
    save("run/ckpt");
    check_found("run/ckpt.latest", false, "run/ckpt.latest");
    varve_restoration *r = varve_read(root, "run/ckpt.latest", NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
    end();
}

/* Another process saves while this one writes. */
static int take_number(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    int *taken = user;
    char path[40];
    (void)done;
    (void)total;
    (void)what;
    snprintf(path, sizeof path, "run/ckpt-%d.varve", *taken + 1);
    if (*taken < 3 && !exists(path)) {
        put(path);
        ++*taken;
    }
    return 0;
}

TEST(save, uses_the_next_number_if_another_process_was_faster)
{
    begin();
    int taken = 0;
    varve_error error = { 0 };
    varve_write_options options = {
        .progress = take_number, .progress_user = &taken };
    cr_assert_ok(varve_save(root, "run/ckpt", &options, &error), error);
    cr_assert_eq(taken, 3);
    cr_assert_eq(varve_save_counter(root), 4);
    check_found("run/ckpt", true, "run/ckpt-4.varve");
    end();
}

TEST(save, is_not_found_if_a_directory_has_none_or_two)
{
    begin();
    put("run/notes.txt");
    check_not_found("run", VARVE_IS_DIRECTORY,
        "run: the directory contains no checkpoint");
    put("run/c-2.varve");
    put("run/d-2.varve");
    check_not_found("run", VARVE_NOT_FOUND,
        "run: the directory contains checkpoints of several names: specify one "
        "of them");
    end();
}

TEST(save, finds_the_latest_on_the_real_system)
{
    varve_error error = { 0 };
    char path[4096];
    varve_graph *graph = varve_graph_new(test_allocator());
    const char *prefix = test_path("c");
    cr_assert_eq(
        varve_latest(prefix, path, sizeof path, &error), VARVE_NOT_FOUND);
    cr_assert_ok(varve_save(varve_graph_root(graph), prefix, NULL, &error),
        error);
    cr_assert_ok(varve_latest(prefix, path, sizeof path, &error), error);
    cr_assert_eq(strcmp(path + strlen(prefix), "-1.varve"), 0);
    size_t size = strlen(path) + 1;
    char *exact = malloc(size);
    cr_assert_ok(varve_latest(prefix, exact, size, &error), error);
    cr_assert_str_eq(exact, path);
    cr_assert_eq(varve_latest(prefix, exact, size - 1, &error), VARVE_LIMIT);
    cr_assert_eq(varve_latest(NULL, exact, size, &error), VARVE_MISUSE);
    free(exact);
    snprintf(path, sizeof path, "%s-7.varve", prefix);
    cr_assert_eq(symlink("nowhere", path), 0);
    cr_assert_ok(varve_latest(prefix, path, sizeof path, &error), error);
    cr_assert_eq(strcmp(path + strlen(prefix), "-1.varve"), 0);
    varve_restoration *r =
        varve_restore(varve_graph_root(graph), prefix, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
    cr_assert_ok(varve_save(varve_graph_root(graph), prefix, NULL, &error),
        error);
    cr_assert_eq(varve_save_counter(varve_graph_root(graph)), 8);
    varve_graph_free(graph);
}

TEST(save, handles_every_failed_allocation)
{
    begin();
    size_t files = 0;
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = varve_save(root, "c", NULL, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(error.status, status);
        cr_assert_eq(varve_save_counter(root), status ? 0 : 1);
        files = memory_file_count(world.memory);
        cr_assert(!status ? files > 0 : files == 0);
    }
    end();
}

TEST(save, is_found_or_reports_failed_allocations)
{
    char path[16] = "";
    bool was_tried = true;
    begin();
    save("run/c");
    for (long n = 0; was_tried; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        varve_status status = vv_find_latest(
            &world.context, "run/c", path, sizeof path, &error);
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, status);
        cr_assert_eq(status, was_tried ? VARVE_NO_MEMORY : VARVE_OK);
        cr_assert_str_eq(path, was_tried ? "" : "run/c-1.varve");
    }
    end();
}

TEST(save, does_not_count_without_memory_for_the_counter)
{
    begin();
    test_fail_allocation(0, true);
    cr_assert(!vv_set_save_counter(root, 7));
    test_fail_allocation(-1, false);
    cr_assert_eq(varve_save_counter(root), 0);
    end();
}
