/* test_unchanged.c - Tests that untouched values are not examined, and that all
 * values that may have changed are.
 *
 * A value that is changed without a touch shows whether it was examined: if
 * not, the checkpoint contains its previous content.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unchanged_world.h"

#include <errno.h>

#include <varve/job.h>
#include <varve/snapshot.h>

#include "at_risk.h"
#include "support/faulty_system.h"

static const varve_write_options verified = { .incremental = true,
    .increment = { .only_dirty = true,
    .verify_clean = true } };

TEST(unchanged, unmarked_values_are_not_read)
{
    begin_incremental();
    save_touched();
    incremental.large[5] = -1; /* without a touch */
    save_touched();
    cr_assert(have_same_values("run/m-1.varve", "run/m-2.varve"));
    varve_mark_dirty(named("middle"));
    incremental.middle[5] = -1;
    incremental.small[7] = -1; /* small values are always examined */
    incremental.large[5] = 5;
    save_touched();
    check_incremental("run/m-3.varve");
    incremental.large[5] = -1;
    varve_mark_dirty(incremental.root);
    save_touched();
    check_incremental("run/m-4.varve");
    end_incremental();
}

/* Digests decide in any case: touching a value without changing it writes
 * nothing. */
TEST(unchanged, marked_values_with_equal_content_are_not_written)
{
    uint64_t one, two;
    begin_incremental();
    save_touched();
    count_layers(&one);
    varve_mark_dirty(incremental.root);
    save_touched();
    count_layers(&two);
    cr_assert_eq(one, two);
    check_incremental("run/m-2.varve");
    end_incremental();
}

TEST(unchanged, is_verified_with_the_option)
{
    varve_error error = { 0 };
    begin_incremental();
    save_to("run/m", &verified);
    varve_mark_dirty(named("large"));
    incremental.large[5] = -1;
    save_to("run/m", &verified);
    check_incremental("run/m-2.varve");
    size_t files = memory_file_count(world.memory);
    incremental.middle[5] = -1;
    cr_assert_eq(
        varve_save(incremental.root, "run/m", &verified, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "middle: the value differs"), "%s",
        error.message);
    cr_assert_eq(memory_file_count(world.memory), files);
    varve_mark_dirty(named("middle"));
    save_to("run/m", &verified);
    check_incremental("run/m-3.varve");
    end_incremental();
}

/* --- Changes by the library ----------------------------------------------- */

static struct {
    float large[LARGE];
    varve_node *owned;
    varve_snapshot *snapshot;
} spare;

static void rebinds(void)
{
    varve_rebind(named("large"), varve_array(spare.large, LARGE));
}

static void retypes(void)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_retype(spare.owned, VARVE_INT32, NULL, &error), error);
}

static void restores(void)
{
    varve_error error = { 0 };
    varve_restoration *r =
        varve_read(incremental.root, "other.varve", NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
}

/* "large" is read before the damaged value. */
static void restores_half(void)
{
    const varve_read_options streaming = { .passes = VARVE_ONE_PASS,
        .resources.threads = 1 };
    varve_error error = { 0 };
    size_t size;
    uint8_t *bytes = memory_bytes(world.memory, "other.varve", &size);
    bytes[size - sizeof spare.large / 2] ^= 1;
    cr_assert_null(
        varve_read(incremental.root, "other.varve", &streaming, &error));
    cr_assert_eq(error.status, VARVE_PARTIALLY_RESTORED, "%s", error.message);
    cr_assert_eq(varve_write(incremental.root, "none.varve", NULL, &error),
        VARVE_MISUSE);
    vv_forget_half(varve_node_graph(incremental.root));
}

static void restores_a_snapshot(void)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_restore(spare.snapshot, &error), error);
}

static void replaces(void)
{
    varve_remove(named("large"));
    varve_add_variable(
        incremental.root, "large", varve_array(spare.large, LARGE));
}

/* Two nodes exchange their names. */
static void swaps(void)
{
    varve_node *large = named("large");
    varve_replace(incremental.root, "large", spare.owned);
    varve_replace(incremental.root, "owned", large);
}

static varve_status fill_with_threes(const varve_tensor *tensor, void *user)
{
    float *values = tensor->data;
    (void)user;
    for (int i = 0; i < LARGE; i++)
        values[i] = 3;
    return VARVE_OK;
}

static void initializes(void)
{
    varve_remove(spare.owned);
    varve_add_allocated_variable(incremental.root, "owned", VARVE_FLOAT32,
        VARVE_SHAPE(LARGE), fill_with_threes, NULL);
}

/* Creates a graph with two large values; a file, a snapshot and spare memory
 * have others. */
static void begin_changes(void)
{
    varve_error error = { 0 };
    begin_incremental();
    spare.owned = varve_add_allocated_variable(incremental.root, "owned",
        VARVE_FLOAT32, VARVE_SHAPE(LARGE), NULL, NULL);
    varve_node *held = varve_add_object(incremental.root, "held");
    varve_track(held, "large", named("large"));
    varve_track(held, "owned", spare.owned);
    memset(spare.large, 0, sizeof spare.large);
    memset(incremental.large, 0x11, sizeof incremental.large);
    cr_assert_ok(
        varve_write(incremental.root, "other.varve", NULL, &error), error);
    spare.snapshot = varve_snapshot_new(incremental.root, &error);
    cr_assert(spare.snapshot, "%s", error.message);
    memset(incremental.large, 0x22, sizeof incremental.large);
    for (int i = 0; i < LARGE; i++)
        ((float *)varve_data(spare.owned))[i] = (float)i + 0.5f;
    good(incremental.root);
}

static void end_changes(void)
{
    varve_snapshot_free(spare.snapshot);
    end_incremental();
}

TEST(unchanged, excludes_values_changed_by_the_library)
{
    static void (*const changes[])(void) = { rebinds, retypes, restores,
        restores_half, restores_a_snapshot, replaces, swaps, initializes };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        begin_changes();
        save_touched();
        changes[i]();
        good(incremental.root);
        save_touched();
        check_incremental("run/m-2.varve");
        cr_assert_not(have_same_values("run/m-1.varve", "run/m-2.varve"),
            "change %zu", i);
        save_to("run/m", &verified);
        end_changes();
    }
}

/* --- Failures and other bases --------------------------------------------- */

TEST(unchanged, excludes_values_of_a_failed_save)
{
    varve_error error = { 0 };
    bool hit = true;
    for (long n = 0; hit; n += 3) {
        begin_world();
        struct faulty *faulty = faulty_new(world.context.system);
        world.context.system = faulty_system(faulty);
        struct memory *memory = world.memory;
        varve_node *root = new_root();
        varve_add_variable(
            root, "middle", varve_array(incremental.middle, MIDDLE));
        incremental.middle[0] = 0;
        cr_assert_ok(varve_save(root, "run/m", &touched, &error), error);
        varve_mark_dirty(varve_find(root, "middle"));
        incremental.middle[0] = 1;
        faulty_plan(faulty,
            &(struct faulty_plan){ .number = n, .error = EIO });
        varve_status status = varve_save(root, "run/m", &touched, &error);
        hit = faulty_hit(faulty);
        faulty_plan(faulty, NULL);
        char path[64];
        cr_assert_ok(varve_save(root, "run/m", &verified, &error), error);
        snprintf(path, sizeof path, "run/m-%d.varve",
            (int)varve_save_counter(root));
        incremental.root = root;
        check_incremental(path);
        cr_assert(status || !hit || varve_save_counter(root) == 3);
        free_root(root);
        world.memory = memory;
        faulty_free(faulty);
        end_world();
    }
}

TEST(unchanged, is_relative_to_the_base)
{
    varve_write_options from_first = touched;
    begin_incremental();
    save_to("run/a", &touched);
    incremental.large[3] = -3;
    varve_mark_dirty(named("large"));
    save_to("run/b", &touched);
    check_incremental("run/b-2.varve");
    save_to("run/a", &touched);
    check_incremental("run/a-3.varve");
    from_first.increment.base = "run/a-1.varve";
    save_to("run/c", &from_first);
    check_incremental("run/c-4.varve");
    incremental.middle[3] = -3; /* not examined by any save */
    save_to("run/a", &touched);
    save_to("run/b", &touched);
    save_to("run/c", &from_first);
    cr_assert(have_same_values("run/a-5.varve", "run/a-3.varve"));
    cr_assert(have_same_values("run/b-6.varve", "run/a-3.varve"));
    cr_assert(have_same_values("run/c-7.varve", "run/c-4.varve"));
    end_incremental();
}

TEST(unchanged, is_empty_for_a_base_of_another_program)
{
    begin_incremental();
    save_touched();
    varve_node *root = incremental.root, *other = new_root();
    incremental.root = other;
    varve_add_variable(other, "x", varve_array(spare.large, LARGE));
    save_to("run/m", &touched);
    incremental.root = root;
    incremental.large[1] = -1;
    save_touched();
    check_incremental("run/m-3.varve");
    free_root(other);
    end_incremental();
}

TEST(unchanged, is_empty_for_a_base_of_many_saves_ago)
{
    varve_write_options first = touched;
    begin_incremental();
    save_touched();
    for (int i = 0; i < 8; i++) {
        varve_mark_dirty(named("middle"));
        incremental.middle[i] += 1;
        save_touched();
    }
    first.increment.base = "run/m-1.varve";
    incremental.large[1] = -1;
    save_to("run/m", &first);
    check_incremental("run/m-10.varve");
    end_incremental();
}

TEST(unchanged, is_recorded_separately_for_each_root)
{
    static float more[LARGE];
    begin_incremental();
    varve_node *root = incremental.root;
    varve_node *below = varve_add_object(root, "below");
    varve_add_variable(below, "more", varve_array(more, LARGE));
    save_touched();
    incremental.root = below;
    save_to("run/below", &touched);
    more[1] = 1; /* examined by neither save */
    save_to("run/below", &touched);
    cr_assert(have_same_values("run/below-1.varve", "run/below-2.varve"));
    incremental.root = root;
    save_touched();
    cr_assert(have_same_values("run/m-1.varve", "run/m-2.varve"));
    end_incremental();
}

/* --- Asynchronous saves, forks, and lack of memory ------------------------ */

TEST(unchanged, includes_values_written_by_earlier_jobs)
{
    enum { JOBS = 6 };
    varve_error error = { 0 };
    varve_job *jobs[JOBS];
    char path[32];
    uint8_t expected[JOBS][16], found[16];
    begin_incremental();
    for (int i = 0; i < JOBS; i++) {
        incremental.large[i * 1000] = -1;
        varve_mark_dirty(named("large"));
        if (i == 3) {
            incremental.middle[0] = -3;
            varve_mark_dirty(named("middle"));
        }
        digest_now(expected[i]);
        jobs[i] =
            varve_save_async(incremental.root, "run/m", &verified, &error);
        cr_assert(jobs[i], "%s", error.message);
    }
    for (int i = 0; i < JOBS; i++) {
        cr_assert_ok(varve_job_wait(jobs[i], &error), error);
        varve_job_free(jobs[i]);
        snprintf(path, sizeof path, "run/m-%d.varve", i + 1);
        digest_of(path, found);
        cr_assert_eq(memcmp(expected[i], found, 16), 0, "%s", path);
    }
    incremental.middle[0] = 0; /* not examined */
    varve_job *last =
        varve_save_async(incremental.root, "run/m", &touched, &error);
    cr_assert(last, "%s", error.message);
    varve_job_free(last);
    cr_assert(have_same_values("run/m-6.varve", "run/m-7.varve"));
    end_incremental();
}

TEST(unchanged, outlives_the_graph_with_a_pending_job)
{
    varve_error error = { 0 };
    begin_incremental();
    varve_job *first =
        varve_save_async(incremental.root, "run/m", NULL, &error);
    cr_assert(first, "%s", error.message);
    varve_job *job =
        varve_save_async(incremental.root, "run/m", &touched, &error);
    cr_assert(job, "%s", error.message);
    free_root(incremental.root);
    varve_job_free(job);
    varve_job_free(first);
    end_world();
}

static int64_t process_now;

static int64_t process(void *state, char *machine, size_t size)
{
    (void)state;
    if (size)
        *machine = '\0';
    return process_now;
}

TEST(unchanged, is_empty_in_a_forked_child)
{
    begin_world();
    struct vv_system system = *world.context.system;
    process_now = 1;
    system.process = process;
    world.context.system = &system;
    incremental.root = new_root();
    varve_add_variable(
        incremental.root, "middle", varve_array(incremental.middle, MIDDLE));
    save_touched();
    incremental.middle[1] = -1;
    save_touched();
    cr_assert(have_same_values("run/m-1.varve", "run/m-2.varve"));
    process_now = 2;
    save_touched();
    check_incremental("run/m-3.varve");
    free_root(incremental.root);
    end_world();
}

TEST(unchanged, is_empty_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    begin_incremental();
    save_touched();
    for (long n = 0; status || n < 40; n++) {
        varve_error error = { 0 };
        incremental.large[n] = -1;
        varve_mark_dirty(named("large"));
        test_fail_allocation(n, false);
        status = varve_save(incremental.root, "run/m", &verified, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        if (!status) {
            char path[32];
            snprintf(path, sizeof path, "run/m-%d.varve",
                (int)varve_save_counter(incremental.root));
            check_incremental(path);
        }
    }
    end_incremental();
}

/* --- Random operations ---------------------------------------------------- */

static void add_everywhere(float what)
{
    for (int k = 0; k < LARGE; k += 100)
        incremental.large[k] += what;
}

/* Even if the program does not touch some changes, each checkpoint is valid,
 * also when a data file is dropped and its data is written again. Touched
 * changes are saved. */
TEST(unchanged, never_gives_a_damaged_checkpoint)
{
    uint8_t digest[16];
    char path[32];
    begin_incremental();
    for (int i = 0; i < 60; i++) {
        bool is_forgotten = i % 3 == 2;
        for (int k = 0; k < LARGE / 8 && !is_forgotten; k++)
            incremental.large[(i * (LARGE / 17) + k) % LARGE] += 1;
        if (is_forgotten)
            add_everywhere(1);
        else
            varve_mark_dirty(named("large"));
        save_touched();
        snprintf(path, sizeof path, "run/m-%d.varve", i + 1);
        digest_of(path, digest);
        if (is_forgotten)
            add_everywhere(-1);
        else
            check_incremental(path);
    }
    end_incremental();
}
