/* test_resume_file_alone.c - Tests resuming from files that are read once.
 *
 * Values that exceed the staging limit are written to their destination while
 * they are read: values from a damaged file must not remain there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include <varve/manager.h>

#include "graph.h"
#include "resume_file.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

/* more than one chunk, and more than the staging limit below */
enum { COUNT = 300000 };

static const varve_read_options unstaged = { .resources.staging_size = 1 };

struct program {
    struct memory *disk;
    struct faulty *faulty;
    struct vv_context context;
    varve_graph *graph;
    varve_manager *manager;
    float *a, *b;
    int initialized;
};

static varve_status initialize(void *user)
{
    ((struct program *)user)->initialized++;
    return VARVE_OK;
}

static void fill(float *values, float value)
{
    for (size_t i = 0; i < COUNT; i++)
        values[i] = value;
}

static bool is_all(const float *values, float value)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (values[i] != value)
            return false;
    }
    return true;
}

/* Creates a process with `a` alone, or with both, all -1. */
static void begin(struct program *p, bool has_b, bool initializes)
{
    varve_error error = { 0 };
    p->context = test_context(faulty_system(p->faulty));
    p->graph = vv_graph_new_in(&p->context);
    p->initialized = 0;
    varve_node *root = varve_graph_root(p->graph);
    fill(p->a, -1);
    fill(p->b, -1);
    varve_add_variable(root, "a", varve_array(p->a, COUNT));
    if (has_b)
        varve_add_variable(root, "b", varve_array(p->b, COUNT));
    p->manager = varve_manager_new(root, "run",
        &(varve_manager_options){ .read = &unstaged,
            .initialize = initializes ? initialize : NULL,
            .initialize_user = p,
            .may_resume_older = true },
        &error);
    cr_assert(p->manager, "%s", error.message);
}

static void end(struct program *p)
{
    varve_manager_free(p->manager);
    varve_graph_free(p->graph);
}

static void save(struct program *p, bool has_b, int step)
{
    varve_error error = { 0 };
    begin(p, has_b, false);
    cr_assert_ok(varve_manager_resume(p->manager, &error), error);
    fill(p->a, (float)step);
    fill(p->b, (float)step);
    cr_assert_ok(varve_manager_save(p->manager, step, &error), error);
    end(p);
}

static void set_up(struct program *p)
{
    p->disk = memory_new();
    p->faulty = faulty_new(memory_system(p->disk));
    p->a = malloc(COUNT * sizeof *p->a);
    p->b = malloc(COUNT * sizeof *p->b);
}

static void tear_down(struct program *p)
{
    cr_assert_eq(faulty_open_count(p->faulty), 0);
    faulty_free(p->faulty);
    memory_free(p->disk);
    free(p->a);
    free(p->b);
}

/* Damages the last byte of the values, after everything else was read. */
static void damage_end_of(struct program *p, const char *path, size_t values)
{
    size_t size;
    unsigned char *bytes = memory_bytes(p->disk, path, &size);
    size_t at = 4096 * 2 + values * COUNT * sizeof(float) - 10000;
    cr_assert(bytes && size > at);
    bytes[at] ^= 1;
}

static uint64_t bytes_read(const struct program *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < faulty_log_size(p->faulty); i++) {
        const struct faulty_call *call = faulty_log_at(p->faulty, i);
        if (call->kind == FAULTY_READ && call->result > 0)
            sum += (uint64_t)call->result;
    }
    return sum;
}

TEST(resume_alone, reads_every_byte_once)
{
    struct program p;
    varve_error error = { 0 };
    set_up(&p);
    for (int step = 1; step <= 3; step++)
        save(&p, true, step);
    begin(&p, true, false);
    faulty_plan(p.faulty, NULL);
    cr_assert_ok(varve_manager_resume(p.manager, &error), error);
    cr_assert(is_all(p.a, 3) && is_all(p.b, 3));
    uint64_t values = 2 * COUNT * sizeof(float), read = bytes_read(&p);
    cr_assert(read >= values && read < values + values / 10,
        "%llu of %llu", (unsigned long long)read, (unsigned long long)values);
    end(&p);
    tear_down(&p);
}

TEST(resume_alone, values_from_a_damaged_one_are_replaced_by_an_older_one)
{
    struct program p;
    varve_error error = { 0 };
    set_up(&p);
    for (int step = 1; step <= 3; step++)
        save(&p, true, step);
    damage_end_of(&p, "run/ckpt-3.varve", 2);
    damage_end_of(&p, "run/ckpt-2.varve", 1);
    begin(&p, true, true);
    cr_assert_ok(varve_manager_resume(p.manager, &error), error);
    cr_assert(is_all(p.a, 1) && is_all(p.b, 1));
    for (size_t i = 0; i < 2; i++) {
        const char *line = varve_manager_skipped(p.manager, i);
        cr_assert(line && !strchr(line, '\n'), "%s", line);
        cr_assert(strstr(line, i ? "ckpt-2.varve: a:" : "ckpt-3.varve: b:"),
            "%s", line);
    }
    cr_assert_eq(p.initialized, 0);
    cr_assert_eq(p.manager->good, 1);
    end(&p);
    tear_down(&p);
}

/* No older checkpoint has a value for `b`. */
TEST(resume_alone, values_missing_in_older_ones_are_verified_first)
{
    struct program p;
    varve_error error = { 0 };
    set_up(&p);
    save(&p, false, 1);
    save(&p, true, 2);
    damage_end_of(&p, "run/ckpt-2.varve", 2);
    begin(&p, true, false);
    cr_assert_ok(varve_manager_resume(p.manager, &error), error);
    cr_assert(is_all(p.a, 1) && is_all(p.b, -1));
    end(&p);
    tear_down(&p);
}

TEST(resume_alone, unused_values_are_verified_first)
{
    struct program p;
    varve_error error = { 0 };
    set_up(&p);
    save(&p, true, 1);
    damage_end_of(&p, "run/ckpt-1.varve", 2);
    begin(&p, false, false);
    cr_assert_ok(varve_manager_resume(p.manager, &error), error);
    cr_assert_null(varve_manager_restoration(p.manager));
    cr_assert(is_all(p.a, -1));
    const char *line = varve_manager_skipped(p.manager, 0);
    cr_assert(strstr(line, ": b:"), "%s", line);
    end(&p);
    tear_down(&p);
}

TEST(resume_alone, if_all_are_damaged_it_initializes_or_fails)
{
    struct program p;
    varve_error error = { 0 };
    set_up(&p);
    save(&p, true, 1);
    save(&p, true, 2);
    damage_end_of(&p, "run/ckpt-1.varve", 2);
    damage_end_of(&p, "run/ckpt-2.varve", 2);
    begin(&p, true, true);
    cr_assert_ok(varve_manager_resume(p.manager, &error), error);
    cr_assert_eq(p.initialized, 1);
    cr_assert_null(varve_manager_restoration(p.manager));
    end(&p);
    begin(&p, true, false);
    cr_assert_eq(
        varve_manager_resume(p.manager, &error), VARVE_PARTIALLY_RESTORED);
    cr_assert_eq(error.status, VARVE_PARTIALLY_RESTORED);
    cr_assert(strstr(error.message, "ckpt-1.varve"), "%s", error.message);
    cr_assert(strstr(error.message, "\n  a\n"), "%s", error.message);
    cr_assert_null(varve_manager_restoration(p.manager));
    cr_assert(varve_manager_skipped(p.manager, 1));
    end(&p);
    tear_down(&p);
}

/* The program is compared with the newest intact checkpoint. */
TEST(resume_alone, a_damaged_one_that_does_not_match_is_skipped)
{
    struct program p;
    varve_error error = { 0 };
    float scalar = -1;
    set_up(&p);
    save(&p, true, 1);
    begin(&p, false, false);
    varve_node *root = varve_graph_root(p.graph);
    varve_add_variable(root, "b", varve_scalar(&scalar));
    cr_assert_eq(varve_manager_resume(p.manager, &error), VARVE_MISMATCH);
    cr_assert(is_all(p.a, -1));
    damage_end_of(&p, "run/ckpt-1.varve", 1);
    cr_assert_ok(varve_manager_resume(p.manager, &error), error);
    cr_assert(strstr(varve_manager_skipped(p.manager, 0), ": a:"));
    cr_assert(is_all(p.a, -1));
    end(&p);
    tear_down(&p);
}

TEST(resume_alone, errors_of_the_program_are_not_errors_of_the_file)
{
    static const varve_status files[] = { VARVE_CORRUPT, VARVE_TRUNCATED,
        VARVE_EMPTY_FILE, VARVE_NOT_A_CHECKPOINT, VARVE_IO, VARVE_LIMIT,
        VARVE_NOT_FOUND };
    static const varve_status others[] = { VARVE_OK, VARVE_MISMATCH,
        VARVE_NO_MEMORY, VARVE_NO_PERMISSION, VARVE_CALLBACK, VARVE_CANCELLED,
        VARVE_TOO_NEW, VARVE_PARTIALLY_RESTORED };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_assert(vv_blames_file(files[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_assert_not(vv_blames_file(others[i]));
}
