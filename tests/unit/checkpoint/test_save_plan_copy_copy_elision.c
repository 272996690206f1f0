/* test_save_plan_copy_copy_elision.c - Tests that an asynchronous save copies
 * only data that may have changed, and still saves the values of the call.
 *
 * Reads of data that was not copied are detected under AddressSanitizer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unchanged_world.h"

#include <varve/job.h>

#include "layer_prune.h"
#include "poison.h"
#include "save_plan_copy.h"
#include "save_plan_write.h"
#include "worker.h"

/* A save plan as prepared for a job, and the copied part. */
static struct {
    struct vv_save_plan save_plan;
    unsigned char *block;
    size_t size;
} behind;

#define BASE "run/m-1.varve"

static const varve_write_options based = { .incremental = true,
    .increment = { .only_dirty = true, .base = BASE } };

static varve_status detach(
    const varve_write_options *options, varve_error *error)
{
    struct vv_save_plan *c = &behind.save_plan;
    varve_status status =
        vv_save_plan_gather(c, incremental.root, options, error);
    cr_assert_ok(status, *error);
    status = vv_save_plan_find_reusable(c, BASE, "run/m", error);
    behind.size = vv_save_plan_copy_size(c);
    if (!status)
        status = vv_save_plan_detach(c, behind.block, error);
    if (status)
        vv_save_plan_clear(c);
    return status;
}

/* Returns the number of copied bytes of large values. */
static size_t copy_what_changed(const varve_write_options *options)
{
    varve_error error = { 0 };
    size_t size = 0;
    behind.block = aligned_alloc(4096, (size_t)4 << 20);
    cr_assert(behind.block);
    cr_assert_ok(detach(options, &error), error);
    cr_assert_leq(behind.size, (size_t)4 << 20);
    const struct vv_buffer *copied = &behind.save_plan.copied;
    const struct vv_piece *pieces = (const void *)copied->data;
    for (size_t i = 0; i < copied->size / sizeof *pieces; i++)
        size += pieces[i].size;
    vv_save_plan_copy(&behind.save_plan);
    return size;
}

static varve_status write_behind(varve_error *error)
{
    varve_status status =
        vv_save_plan_write(&behind.save_plan, "run/x.varve", error);
    vv_save_plan_clear(&behind.save_plan);
    __asan_unpoison_memory_region(behind.block, (size_t)4 << 20);
    free(behind.block);
    return status;
}

static void remove_file(const char *path)
{
    const struct vv_system *s = world.context.system;
    cr_assert_eq(s->remove(s->state, VV_WORKING_DIRECTORY, path), 0);
}

static void remove_layers(void)
{
    for (size_t i = memory_file_count(world.memory); i-- > 0;) {
        const char *path = memory_file_path(world.memory, i);
        if (strncmp(path, "run/layers/", 11) == 0)
            remove_file(path);
    }
}

TEST(copy_elision, applies_to_unmarked_values)
{
    varve_error error = { 0 };
    begin_incremental();
    save_touched();
    incremental.middle[3] = -2;
    varve_mark_dirty(named("middle"));
    cr_assert_eq(copy_what_changed(&based), sizeof incremental.middle);
    incremental.middle[3] = 0; /* after the copy */
    cr_assert_ok(write_behind(&error), error);
    incremental.middle[3] = -2;
    check_incremental("run/x.varve");
    end_incremental();
}

static void touch_row(uint64_t row, float value)
{
    varve_error error = { 0 };
    incremental.large[row] = value;
    cr_assert_ok(varve_mark_rows_dirty(named("large"), row, 1, &error), error);
}

TEST(copy_elision, applies_to_unmarked_pages)
{
    static const size_t copied[] = { 1 << 20, 4096, 8192, 1 << 20 };
    varve_error error = { 0 };
    begin_incremental();
    save_touched();
    for (size_t i = 0; i < 4; i++) {
        touch_row(5000, -(float)i); /* the first save has no page digests */
        if (i == 2)
            touch_row(90000, -2);
        for (uint64_t row = 0; i == 3 && row < 140 * 1024; row += 1024)
            touch_row(row, -3); /* most pages of the chunk */
        cr_assert_eq(copy_what_changed(&based), copied[i]);
        cr_assert_ok(write_behind(&error), error);
        check_incremental("run/x.varve");
        const struct vv_system *s = world.context.system;
        cr_assert_eq(
            s->rename(s->state, VV_WORKING_DIRECTORY, "run/x.varve", BASE), 0);
    }
    end_incremental();
}

/* A deleted base remains readable, since it was opened before. */
TEST(copy_elision, reads_from_a_deleted_base)
{
    varve_error error = { 0 };
    for (int way = 0; way < 3; way++) {
        begin_incremental();
        varve_write_options options = based;
        options.compress = way == 2 ? LEVEL(3) : 0;
        save_to("run/m", &options);
        incremental.middle[3] = -2;
        varve_mark_dirty(named("middle"));
        cr_assert_eq(copy_what_changed(&options), sizeof incremental.middle);
        incremental.large[7] = -7;
        remove_file(BASE);
        if (way == 1)
            cr_assert_ok(
                varve_write(incremental.root, BASE,
                    &(varve_write_options){ .incremental = true }, &error),
                error);
        else
            remove_layers();
        cr_assert_ok(write_behind(&error), error);
        incremental.large[7] = 7;
        check_incremental("run/x.varve");
        end_incremental();
    }
}

TEST(copy_elision, is_verified_when_it_is_read)
{
    varve_error error = { 0 };
    size_t size, files;
    begin_incremental();
    save_touched();
    cr_assert_eq(copy_what_changed(&based), 0);
    remove_file(BASE);
    files = memory_file_count(world.memory);
    for (size_t i = 0; i < files; i++) {
        const char *path = memory_file_path(world.memory, i);
        if (strncmp(path, "run/layers/", 11) == 0)
            memory_bytes(world.memory, path, &size)[1000000] ^= 1;
    }
    cr_assert_eq(write_behind(&error), VARVE_CORRUPT, "%s", error.message);
    cr_assert_eq(memory_file_count(world.memory), files);
    save_touched();
    check_incremental("run/m-2.varve");
    end_incremental();
}

TEST(copy_elision, does_not_apply_without_dirty_information)
{
    static const varve_write_options none = { .incremental = true }, looks = {
        .incremental = true,
        .increment = { .only_dirty = true, .verify_clean = true }
    };
    static const varve_write_options *const all[] = { &none, &looks, &based };
    const size_t large = sizeof incremental.large + sizeof incremental.middle;
    varve_error error = { 0 };
    for (size_t i = 0; i < 3; i++) {
        begin_incremental();
        save_to("run/m", all[i] == &based ? &none : all[i]);
        cr_assert_eq(copy_what_changed(all[i]), large);
        cr_assert_ok(write_behind(&error), error);
        check_incremental("run/x.varve");
        end_incremental();
    }
}

/* --- In any order --------------------------------------------------------- */

enum { FLIGHTS = 2, STEPS = 120 };

/* A job and the values at its start. */
struct flight {
    varve_job *job;
    unsigned number;
    float large[LARGE], middle[MIDDLE];
};

static struct {
    uint64_t seed;
    struct flight flights[FLIGHTS];
    unsigned saves;
} life;

static unsigned draw(unsigned below)
{
    life.seed = life.seed * UINT64_C(6364136223846793005) + 1;
    return (unsigned)(life.seed >> 33) % below;
}

static void swap_values(struct flight *f)
{
    static struct flight now;
    memcpy(now.large, incremental.large, sizeof now.large);
    memcpy(now.middle, incremental.middle, sizeof now.middle);
    memcpy(incremental.large, f->large, sizeof now.large);
    memcpy(incremental.middle, f->middle, sizeof now.middle);
    memcpy(f->large, now.large, sizeof now.large);
    memcpy(f->middle, now.middle, sizeof now.middle);
}

static void land(struct flight *f)
{
    varve_error error = { 0 };
    if (!f->job)
        return;
    cr_assert_ok(varve_job_wait(f->job, &error), error);
    swap_values(f);
    check_incremental(varve_job_path(f->job));
    swap_values(f);
    varve_job_free(f->job);
    f->job = NULL;
}

static void change(void)
{
    for (unsigned i = draw(4); i > 0; i--)
        touch_row(draw(LARGE), (float)draw(100));
    if (draw(3) == 0) {
        incremental.middle[draw(MIDDLE)] = (float)draw(100);
        varve_mark_dirty(named("middle"));
    }
    if (draw(20) == 0)
        varve_mark_dirty(incremental.root);
}

static bool is_flying(unsigned number)
{
    bool is_any = false;
    for (int i = 0; i < FLIGHTS; i++)
        is_any |= life.flights[i].job && life.flights[i].number == number;
    return is_any;
}

static void lose_one(void)
{
    char path[32];
    varve_error error = { 0 };
    const struct vv_system *s = world.context.system;
    unsigned number =
        draw(3) ? life.saves - draw(3) % life.saves : draw(life.saves + 1);
    snprintf(path, sizeof path, "run/m-%u.varve", number);
    if (!is_flying(number))
        s->remove(s->state, VV_WORKING_DIRECTORY, path);
    if (!life.flights[0].job && !life.flights[1].job)
        cr_assert_ok(vv_prune_layers(&world.context, path, &error), error);
}

static void take_off(struct flight *f)
{
    char base[32];
    varve_error error = { 0 };
    snprintf(base, sizeof base, "run/m-%u.varve", draw(life.saves + 1));
    varve_write_options options = { .incremental = true,
        .compress = draw(4) ? 0 : LEVEL(1),
        .async.zero_copy = draw(8) == 0,
        .increment = {
            .only_dirty = draw(8) > 0, .base = draw(4) ? NULL : base } };
    options.increment.verify_clean =
        options.increment.only_dirty && draw(8) == 0;
    land(f);
    memcpy(f->large, incremental.large, sizeof f->large);
    memcpy(f->middle, incremental.middle, sizeof f->middle);
    f->number = ++life.saves;
    f->job = varve_save_async(incremental.root, "run/m", &options, &error);
    cr_assert(f->job, "%s", error.message);
    cr_assert_ok(varve_job_wait_staged(f->job, &error), error);
}

TEST(copy_elision, is_correct_for_any_order_of_saves)
{
    for (uint64_t seed = 0; seed < 2; seed++) {
        begin_incremental();
        life.seed = seed;
        life.saves = 0;
        for (int i = 0; i < STEPS; i++) {
            change();
            take_off(&life.flights[draw(FLIGHTS)]);
            if (draw(2))
                change();
            if (draw(3) == 0)
                land(&life.flights[draw(FLIGHTS)]);
            if (draw(6) == 0)
                lose_one();
        }
        for (int i = 0; i < FLIGHTS; i++)
            land(&life.flights[i]);
        end_incremental();
    }
}

TEST(copy_elision, reports_failed_allocations)
{
    varve_error error = { 0 };
    long n = 0;
    begin_incremental();
    save_touched();
    behind.block = aligned_alloc(4096, (size_t)4 << 20);
    cr_assert(behind.block);
    for (varve_status status = VARVE_NO_MEMORY; status; n++) {
        cr_assert_eq(status, VARVE_NO_MEMORY);
        varve_mark_dirty(named("middle"));
        struct vv_save_plan *c = &behind.save_plan;
        cr_assert_ok(
            vv_save_plan_gather(c, incremental.root, &based, &error), error);
        test_fail_allocation(n, false);
        status = vv_save_plan_find_reusable(c, BASE, "run/m", &error);
        if (!status)
            status = vv_save_plan_detach(c, behind.block, &error);
        test_fail_allocation(-1, false);
        if (status)
            vv_save_plan_clear(c);
    }
    cr_assert_gt(n, 5);
    vv_save_plan_copy(&behind.save_plan);
    cr_assert_ok(write_behind(&error), error);
    check_incremental("run/x.varve");
    end_incremental();
}

/* Also if the base has been deleted by then. */
TEST(copy_elision, reports_failed_allocations_while_reading)
{
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    long n = 0;
    begin_incremental();
    for (; status; n++) {
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_ok(
            varve_write(incremental.root, BASE, &touched, &error), error);
        cr_assert_eq(copy_what_changed(&based), 0);
        remove_file(BASE);
        test_fail_allocation(n, false);
        status = vv_save_plan_write(&behind.save_plan, "run/x.varve", &error);
        test_fail_allocation(-1, false);
        vv_save_plan_clear(&behind.save_plan);
        __asan_unpoison_memory_region(behind.block, (size_t)4 << 20);
        free(behind.block);
    }
    cr_assert_gt(n, 5);
    check_incremental("run/x.varve");
    end_incremental();
}
