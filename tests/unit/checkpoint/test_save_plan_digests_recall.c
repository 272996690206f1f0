/* test_save_plan_digests_recall.c - Tests collective saves that skip unchanged
 * data: a value that is changed without a touch keeps its previous content in
 * the checkpoint, which shows that it was not examined.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "touched_world.h"

#include "support/proof.h"

static void set_row(int rank, float value)
{
    keepers.all[rank]->row_values[7][5] = value;
}

static float saved_row(int rank)
{
    return saved_at(
        "rows", (size_t)(rank * (ALL_ROWS / KEEPERS) + 7) * ROW + 5);
}

TEST(recall, reads_no_unmarked_values)
{
    for (int i = 0; i < 2; i++) {
        begin_keepers(true);
        keepers.is_async = i;
        saved_keepers();
        for (int save = 0; save < 3; save++) {
            set_common(99, 1);
            set_row(1, 1);
            keepers.all[2]->own_values[3] = 1;
            saved_keepers();
            cr_assert_eq(saved_at("common", 99), 0);
            cr_assert_eq(saved_row(1), 0);
            cr_assert_eq(saved_at("worker/2/own", 3), 0);
        }
        touch_common();
        saved_keepers();
        cr_assert_eq(saved_at("common", 99), 1);
        cr_assert_eq(saved_row(1), 0);
        varve_mark_dirty(keepers.all[1]->rows);
        varve_mark_dirty(keepers.all[2]->own);
        saved_keepers();
        cr_assert_eq(saved_row(1), 1);
        cr_assert_eq(saved_at("worker/2/own", 3), 1);
        end_keepers();
    }
}

/* Chunks have 1 MiB. */
TEST(recall, reads_only_chunks_with_marked_rows)
{
    begin_keepers(false);
    saved_keepers();
    struct keeper *k = keepers.all[1];
    k->row_values[7][5] = 1;
    k->row_values[ALL_ROWS / KEEPERS - 1][5] = 1;
    cr_assert_eq(varve_mark_rows_dirty(k->rows, 7, 1, NULL), VARVE_OK);
    saved_keepers();
    cr_assert_eq(saved_row(1), 1);
    cr_assert_eq(
        saved_at("rows", (size_t)(2 * (ALL_ROWS / KEEPERS) - 1) * ROW + 5), 0);
    end_keepers();
}

/* Without the option, and after a save without touch information, all data is
 * examined. */
TEST(recall, requires_the_option)
{
    begin_keepers(false);
    keepers.options.increment.only_dirty = false;
    saved_keepers();
    set_common(99, 1);
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 1);
    keepers.options.increment.only_dirty = true;
    set_common(99, 2);
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 2);
    end_keepers();
}

static void save_by_two(const varve_comm *comm, void *user)
{
    save_keeper(comm, user);
}

/* With another number of ranks, each rank writes another part of the replicated
 * data. */
TEST(recall, works_with_another_number_of_ranks)
{
    begin_keepers(false);
    for (int i = 0; i < KEEPERS; i++)
        varve_remove(keepers.all[i]->rows);
    saved_keepers();
    set_common(99, 1);
    thread_comm_run(2, 0, -1, save_by_two, NULL);
    cr_assert_eq(keepers.statuses[0], VARVE_OK);
    cr_assert_eq(saved_at("common", 99), 0);
    touch_common();
    thread_comm_run(2, 0, -1, save_by_two, NULL);
    cr_assert_eq(saved_at("common", 99), 1);
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 1);
    end_keepers();
}

TEST(recall, is_reset_when_the_graph_changes)
{
    begin_keepers(false);
    saved_keepers();
    set_common(99, 1);
    for (int i = 0; i < KEEPERS; i++)
        varve_add_object(keepers.all[i]->root, "other");
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 1);
    end_keepers();
}

TEST(recall, verify_clean_finds_unmarked_changes)
{
    for (int i = 0; i < 2; i++) {
        begin_keepers(true);
        keepers.is_async = i;
        keepers.options.increment.verify_clean = true;
        saved_keepers();
        saved_keepers();
        set_row(1, 1);
        failed_keepers("rank 1: rows: the value differs from that in the "
                       "save before, but was not marked dirty");
        set_row(1, 0);
        keepers.all[2]->own_values[3] = 1;
        failed_keepers("rank 2: own: the value differs");
        varve_mark_dirty(keepers.all[2]->own);
        saved_keepers();
        cr_assert_eq(saved_at("worker/2/own", 3), 1);
        end_keepers();
    }
}

/* Replicated values must be touched on all ranks, as they must be equal on
 * all. */
TEST(recall, reads_everything_if_one_rank_marked_a_replicated_value)
{
    begin_keepers(false);
    saved_keepers();
    set_common(99, 1);
    varve_mark_dirty(keepers.all[1]->common);
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 1);
    end_keepers();
}

/* The other ranks have returned, so they cannot examine their values again. */
TEST(recall, asynchronous_save_fails_if_one_rank_marked_a_shared_value)
{
    begin_keepers(false);
    keepers.is_async = true;
    saved_keepers();
    set_common(99, 1);
    varve_mark_dirty(keepers.all[1]->common);
    failed_keepers("common: a replicated variable differs from that of rank "
        "0 at rank");
    saved_keepers();
    cr_assert_eq(saved_at("common", 99), 1);
    end_keepers();
}

static void save_with_other_options(const varve_comm *comm, void *user)
{
    const varve_write_options options = { .incremental = true,
        .increment.only_dirty = comm->rank != 1 };
    (void)user;
    keepers.statuses[comm->rank] =
        varve_write_all(comm, keepers.all[comm->rank]->root, FILE_NAME,
            &options, &keepers.errors[comm->rank]);
}

TEST(recall, requires_the_same_options_on_all_ranks)
{
    begin_keepers(false);
    saved_keepers();
    thread_comm_run(KEEPERS, 0, -1, save_with_other_options, NULL);
    for (int i = 0; i < KEEPERS; i++) {
        cr_assert_eq(keepers.statuses[i], VARVE_MISUSE);
        cr_assert(strstr(keepers.errors[i].message, "options and metadata"),
            "%s", keepers.errors[i].message);
    }
    end_keepers();
}

/* --- Failures ------------------------------------------------------------- */

/* Each call of the communicator fails once, also if all digests are computed
 * again. */
TEST(recall, is_correct_after_an_interrupted_save)
{
    begin_keepers(true);
    saved_keepers();
    bool is_over = false;
    for (long calls = 0; !is_over; calls++) {
        set_common(99, (float)calls + 1);
        set_row(2, (float)calls + 1);
        varve_mark_dirty(keepers.all[2]->rows);
        if (calls % 2)
            touch_common();
        else
            varve_mark_dirty(keepers.all[calls % KEEPERS]->common);
        is_over = thread_comm_run(
                      KEEPERS, 0, calls, save_keeper, NULL) <= calls;
        saved_keepers();
        cr_assert_eq(saved_at("common", 99), (float)calls + 1);
        cr_assert_eq(saved_row(2), (float)calls + 1);
    }
    end_keepers();
}

TEST(recall, is_correct_without_memory)
{
    bool is_over = false;
    begin_keepers(true);
    saved_keepers();
    long blocks = test_block_count();
    for (long number = 0; !is_over; number++) {
        set_common(99, (float)number + 1);
        varve_mark_dirty(keepers.all[number % KEEPERS]->common);
        test_fail_allocation(number, number % 2);
        thread_comm_run(KEEPERS, 0, -1, save_keeper, NULL);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        for (int i = 0; i < KEEPERS; i++)
            cr_assert(keepers.statuses[i] == VARVE_OK ||
                          keepers.statuses[i] == VARVE_NO_MEMORY,
                "%s", keepers.errors[i].message);
        if (keepers.statuses[0] == VARVE_OK)
            cr_assert_eq(saved_at("common", 99), (float)number + 1);
    }
    saved_keepers();
    cr_assert_eq(test_block_count(), blocks);
    end_keepers();
}

/* Memory without writes according to the machine counts as untouched. */
TEST(recall, detects_written_pages)
{
    begin_keepers(true);
    keepers.options.increment.only_dirty = false;
    keepers.options.increment.track = true;
    saved_keepers();
    for (int save = 1; save < 5; save++) {
        keepers.is_async = save % 2;
        set_common((size_t)save * 200000, (float)save);
        set_row(save % KEEPERS, (float)save);
        keepers.all[2]->own_values[3] = (float)save;
        saved_keepers();
        cr_assert_eq(saved_at("common", (size_t)save * 200000), (float)save);
        cr_assert_eq(saved_row(save % KEEPERS), (float)save);
        cr_assert_eq(saved_at("worker/2/own", 3), (float)save);
    }
    end_keepers();
}

/* --- Any order ------------------------------------------------------------ */

static void change_one(uint64_t *random)
{
    int rank = (int)(proof_next(random) % KEEPERS);
    struct keeper *k = keepers.all[rank];
    float value = (float)(proof_next(random) % 1000);
    uint64_t row = proof_next(random) % (ALL_ROWS / KEEPERS);
    switch (proof_next(random) % 4) {
    case 0:
        set_common((size_t)(proof_next(random) % COMMON), value);
        touch_common();
        break;
    case 1:
        k->row_values[row][proof_next(random) % ROW] = value;
        cr_assert_eq(varve_mark_rows_dirty(k->rows, row, 1, NULL), VARVE_OK);
        break;
    case 2:
        k->row_values[row][proof_next(random) % ROW] = value;
        varve_mark_dirty(k->rows);
        break;
    case 3:
        k->own_values[proof_next(random) % OWN] = value;
        varve_mark_dirty(k->own);
        break;
    }
}

static void choose_options(uint64_t *random)
{
    uint64_t how = proof_next(random);
    keepers.is_async = how & 1;
    keepers.options = (varve_write_options){ .incremental = true,
        .increment = { .only_dirty = how & 2,
            .track = how & 4,
            .verify_clean = (how & 10) == 10 } };
#ifdef VV_HAVE_ZSTD
    keepers.options.compress = how >> 4 & 1;
#endif
}

static void check_values(varve_reader *reader, const char *path, size_t first,
    const float *values, size_t count)
{
    float *saved = read_saved(reader, path);
    cr_assert(
        memcmp(saved + first, values, count * sizeof *values) == 0, "%s", path);
    free(saved);
}

static void check_all(void)
{
    varve_reader *reader = open_saved();
    for (int i = 0; i < KEEPERS; i++) {
        const struct keeper *k = keepers.all[i];
        char own[] = "worker/0/own";
        own[7] = (char)('0' + i);
        check_values(reader, "common", 0, k->common_values, COMMON);
        check_values(reader, "rows", (size_t)i * (ALL_ROWS / KEEPERS) * ROW,
            k->row_values[0], ALL_ROWS / KEEPERS * ROW);
        check_values(reader, own, 0, k->own_values, OWN);
    }
    varve_reader_free(reader);
}

/* Data that was touched when it changed is saved correctly, regardless of the
 * options of previous saves and of the existence of their files. */
TEST(recall, is_correct_for_any_order_of_saves)
{
    uint64_t saves = proof_size(24, 1500), random = proof_seed();
    begin_keepers(true);
    saved_keepers();
    for (uint64_t i = 0; i < saves; i++) {
        for (uint64_t k = proof_next(&random) % 4; k > 0; k--)
            change_one(&random);
        if (proof_next(&random) % 8 == 0)
            remove_file(keepers.path);
        choose_options(&random);
        saved_keepers();
        check_all();
    }
    end_keepers();
    proof_count("recall.saves", saves);
}
