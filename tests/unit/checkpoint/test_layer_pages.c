/* test_layer_pages.c - Tests chunks in which a few pages change, over many
 * saves.
 *
 * A page that is changed without a touch shows whether it was examined: if not,
 * the checkpoint contains its previous content.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unchanged_world.h"

#include <varve/job.h>
#include <varve/snapshot.h>

#include "data_in.h"
#include "layout.h"

enum { PAGE = 4096 / sizeof(float), CHUNK = VV_CHUNK_SIZE / sizeof(float) };

static void touch(uint64_t first, uint64_t count)
{
    varve_error error = { 0 };
    cr_assert_ok(
        varve_mark_rows_dirty(named("large"), first, count, &error), error);
}

/* Returns the number of chunks of a checkpoint that have page digests. */
static uint64_t count_paged(const char *path)
{
    struct vv_opened opened;
    varve_error error = { 0 };
    cr_assert_ok(
        vv_data_in_open(&opened, &world.context, path, &error), error);
    uint64_t count = opened.parsed.index.paged_count;
    vv_opened_close(&opened);
    return count;
}

/* Changes an element and touches it. */
static void change(size_t i)
{
    incremental.large[i] -= 1;
    touch(i, 1);
}

TEST(layer_pages, are_started_when_few_pages_change)
{
    begin_incremental();
    save_touched();
    cr_assert_eq(count_paged("run/m-1.varve"), 0);
    change(5);
    save_touched();
    cr_assert_eq(count_paged("run/m-2.varve"), 1);
    check_incremental("run/m-2.varve");
    change(CHUNK + 5);
    change(2 * CHUNK + 5); /* not a complete one */
    save_touched();
    cr_assert_eq(count_paged("run/m-3.varve"), 2);
    check_incremental("run/m-3.varve");
    save_touched();
    cr_assert_eq(count_paged("run/m-4.varve"), 2);
    check_incremental("run/m-4.varve");
    end_incremental();
}

TEST(layer_pages, are_hashed_only_for_marked_pages)
{
    begin_incremental();
    save_touched();
    change(5);
    save_touched();
    incremental.large[10 * PAGE] = -7; /* without a touch */
    change(20 * PAGE);
    save_touched();
    incremental.large[10 * PAGE] = 10 * PAGE;
    check_incremental("run/m-3.varve");
    end_incremental();
}

/* A chunk that changed completely gets a single digest again, even if it had
 * page digests. */
TEST(layer_pages, are_dropped_when_most_of_a_chunk_changes)
{
    uint64_t before, after;
    begin_incremental();
    save_touched();
    change(5);
    save_touched();
    count_layers(&before);
    for (size_t i = 0; i < CHUNK; i++)
        incremental.large[i] += 1;
    touch(0, CHUNK);
    save_touched();
    cr_assert_eq(count_paged("run/m-3.varve"), 0);
    check_incremental("run/m-3.varve");
    count_layers(&after);
    cr_assert_leq(after - before, VV_CHUNK_SIZE + 2 * 4096);
    change(6);
    save_touched();
    cr_assert_eq(count_paged("run/m-4.varve"), 1);
    check_incremental("run/m-4.varve");
    end_incremental();
}

/* A save without touch information hashes all pages, and writes the same
 * few. */
TEST(layer_pages, are_compared_without_dirty_information)
{
    uint64_t before, after;
    begin_incremental();
    saved_incremental();
    incremental.large[5] = -1;
    saved_incremental();
    cr_assert_eq(count_paged("run/m-2.varve"), 1);
    count_layers(&before);
    incremental.large[30 * PAGE] = -1;
    incremental.large[40 * PAGE] = -1;
    saved_incremental();
    count_layers(&after);
    cr_assert_leq(after - before, 128 + 3 * 4096);
    check_incremental("run/m-3.varve");
    end_incremental();
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* More than seventy saves: data files are dropped, and their data is written
 * again, page by page. */
static void run_for_long(const varve_write_options *options)
{
    uint64_t random = 17;
    char path[32];
    begin_incremental();
    for (int save = 1; save <= 80; save++) {
        for (int k = 0; k < 8; k++)
            change((size_t)(next_random(&random) % LARGE));
        if (save % 9 == 0)
            incremental.small[save] += 1;
        if (save % 20 == 0) {
            incremental.middle[save] += 1;
            varve_mark_dirty(named("middle"));
        }
        save_to("run/m", options);
        snprintf(path, sizeof path, "run/m-%d.varve", save);
        check_incremental(path);
    }
    cr_assert_eq(count_paged(path), 2);
    end_incremental();
}

TEST(layer_pages, are_correct_in_a_long_run)
{
    run_for_long(&touched);
}

TEST(layer_pages, are_correct_in_a_long_compressed_run)
{
    run_for_long(&(varve_write_options){ .incremental = true,
        .compress = LEVEL(1),
        .increment.only_dirty = true });
}

TEST(layer_pages, are_correct_in_a_long_verified_run)
{
    run_for_long(&(varve_write_options){ .incremental = true,
        .increment = { .only_dirty = true, .verify_clean = true } });
}

/* Even if a program does not touch what it changes, the written data matches
 * its digests, including pages of a data file that is dropped. */
TEST(layer_pages, never_produce_a_damaged_checkpoint)
{
    uint64_t random = 5;
    uint8_t digest[16];
    char path[32];
    begin_incremental();
    for (int save = 1; save <= 80; save++) {
        for (int k = 0; k < 8; k++)
            change((size_t)(next_random(&random) % LARGE));
        for (int k = 0; k < 8; k++)
            incremental.large[next_random(&random) % LARGE] += 1;
        save_touched();
        snprintf(path, sizeof path, "run/m-%d.varve", save);
        digest_of(path, digest); /* verifies it */
    }
    end_incremental();
}

/* --- All combinations ----------------------------------------------------- */

static float elsewhere[LARGE];
static float *at_present;

static void change_here(uint64_t *random)
{
    at_present[next_random(random) % LARGE] += 1;
}

static void change_rows_of(uint64_t *random, size_t count)
{
    size_t first = (size_t)(next_random(random) % LARGE);
    if (count > LARGE - first)
        count = LARGE - first;
    for (size_t i = first; i < first + count; i++)
        at_present[i] += 1;
    touch(first, count);
}

static void move_table(void)
{
    float *other =
        at_present == incremental.large ? elsewhere : incremental.large;
    memcpy(other, at_present, sizeof elsewhere);
    at_present = other;
    varve_rebind(named("large"), varve_array(at_present, LARGE));
}

/* paths of saved checkpoints, some of them repeatedly */
static char paths[30][32];

static void restore_older(uint64_t *random, size_t saves)
{
    varve_error error = { 0 };
    const char *path = paths[next_random(random) % saves];
    varve_restoration *r = varve_read(incremental.root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
}

/* Takes a snapshot, changes rows, and restores the snapshot or keeps the
 * changes. */
static void go_back(uint64_t *random)
{
    varve_error error = { 0 };
    varve_snapshot *snapshot = varve_snapshot_new(incremental.root, &error);
    cr_assert(snapshot, "%s", error.message);
    change_rows_of(random, 1000);
    if (next_random(random) % 2)
        cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    varve_snapshot_free(snapshot);
}

/* Rows change during an asynchronous save, which has the previous ones. */
static void save_meanwhile(uint64_t *random)
{
    varve_error error = { 0 };
    varve_job *job =
        varve_save_async(incremental.root, "other/m", &touched, &error);
    cr_assert(job, "%s", error.message);
    change_rows_of(random, 1);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
}

static void fail_a_save(uint64_t *random)
{
    varve_error error = { 0 };
    test_fail_allocation((long)(next_random(random) % 40), false);
    varve_status status =
        varve_save(incremental.root, "other/m", &touched, &error);
    test_fail_allocation(-1, false);
    cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
}

static void do_something(uint64_t *random, size_t saves)
{
    switch (next_random(random) % 12) {
    case 0: change_rows_of(random, LARGE / 2); break;
    case 1: change_rows_of(random, 20000); break;
    case 2:
        change_here(random);
        varve_mark_dirty(incremental.root);
        break;
    case 3: move_table(); break;
    case 4: saves ? restore_older(random, saves) : (void)0; break;
    case 5: save_to("other/m", &touched); break;
    case 6: fail_a_save(random); break;
    case 7: go_back(random); break;
    case 8: save_meanwhile(random); break;
    default: change_rows_of(random, 1); break;
    }
}

TEST(layer_pages, are_correct_in_random_programs)
{
    static const varve_write_options ways[] = {
        { .incremental = true, .increment.only_dirty = true },
        { .incremental = true,
            .increment.only_dirty = true,
            .compress = LEVEL(1) },
        { .incremental = true },
        { .incremental = true,
            .increment = { .only_dirty = true, .verify_clean = true } },
    };
    for (uint64_t seed = 1; seed <= 6; seed++) {
        uint64_t random = seed * 7919;
        begin_incremental();
        at_present = incremental.large;
        for (size_t save = 0; save < 30; save++) {
            for (uint64_t k = next_random(&random) % 4; k > 0; k--)
                do_something(&random, save);
            save_to("run/m", &ways[next_random(&random) % 4]);
            snprintf(paths[save], sizeof *paths, "run/m-%d.varve",
                (int)varve_save_counter(incremental.root));
            check_incremental(paths[save]);
        }
        end_incremental();
    }
}

TEST(layer_pages, changed_without_a_mark_are_found_with_verify_clean)
{
    const varve_write_options verified = { .incremental = true,
        .increment = { .only_dirty = true, .verify_clean = true } };
    varve_error error = { 0 };
    begin_incremental();
    save_to("run/m", &verified);
    change(5);
    save_to("run/m", &verified);
    change(6);
    incremental.large[50 * PAGE] = -1;
    cr_assert_eq(
        varve_save(incremental.root, "run/m", &verified, &error), VARVE_MISUSE);
    cr_assert(
        strstr(error.message, "large: the value differs"), "%s", error.message);
    touch(50 * PAGE, 1);
    save_to("run/m", &verified);
    check_incremental("run/m-3.varve");
    end_incremental();
}

/* Flips each byte of the only page of a data file. */
TEST(layer_pages, report_damage)
{
    varve_error error = { 0 };
    size_t size = 0;
    uint8_t *bytes = NULL;
    begin_incremental();
    save_touched();
    change(5);
    save_touched();
    for (size_t i = 0; i < memory_file_count(world.memory); i++) {
        const char *path = memory_file_path(world.memory, i);
        size_t found;
        if (strncmp(path, "run/layers/", 11) != 0)
            continue;
        uint8_t *of = memory_bytes(world.memory, path, &found);
        if (!bytes || found < size) {
            bytes = of;
            size = found;
        }
    }
    cr_assert_leq(size, 128 + 2 * 4096, "one page");
    for (size_t at = size - 64 - 4096; at < size - 64; at += 97) {
        bytes[at] ^= 1;
        varve_reader *reader =
            vv_reader_open_in(&world.context, "run/m-2.varve", &error);
        cr_assert(reader, "%s", error.message);
        cr_assert_eq(
            varve_reader_verify(reader, NULL, &error), VARVE_CORRUPT);
        varve_reader_free(reader);
        bytes[at] ^= 1;
    }
    check_incremental("run/m-2.varve");
    end_incremental();
}

TEST(layer_pages, leak_nothing_without_memory)
{
    varve_error error = { 0 };
    begin_incremental();
    save_touched();
    change(5);
    save_touched();
    change(6);
    change(CHUNK);
    for (long failing = 0;; failing++) {
        test_fail_allocation(failing, false);
        varve_status status =
            varve_save(incremental.root, "run/m", &touched, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
    }
    check_incremental("run/m-3.varve");
    end_incremental();
}
