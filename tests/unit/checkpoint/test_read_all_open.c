/* test_read_all_open.c - Tests opening a checkpoint on all ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#define FILE_NAME "a.any" /* of any format */
#include "worlds.h"

#include <errno.h>

#include "formats.h"
#include "data_in.h"
#include "paged_columns.h"
#include "read_all.h"
#include "support/faulty_system.h"
#include "support/thread_comm.h"

enum {
    RANKS = 3,
    COUNT = 300, /* digests of more than one 4 KiB block */
    VALUES = 20,
    ALL_AT_HAND = 1 << 20
};

/* The files that each rank sees, and the results. */
static struct {
    struct memory *memories[RANKS];
    struct faulty *faulty[RANKS];
    struct vv_context contexts[RANKS];
    struct vv_opened files[RANKS];
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
    bool is_salvage;
    uint64_t most_told;
} ranks;

/* Gives all ranks the same file, except for rank `other`, which gets a
 * different one. */
static void begin_ranks(varve_format format, int other)
{
    const varve_write_options options = { .format = format };
    varve_error error = { 0 };
    memset(&ranks, 0, sizeof ranks);
    for (int i = 0; i < RANKS; i++) {
        float values[COUNT][VALUES] = { { 0 } };
        ranks.memories[i] = memory_new();
        ranks.faulty[i] = faulty_new(memory_system(ranks.memories[i]));
        ranks.contexts[i] = test_context(faulty_system(ranks.faulty[i]));
        varve_graph *graph = vv_graph_new_in(&ranks.contexts[i]);
        for (int k = 0; k < COUNT; k++) {
            char name[16];
            snprintf(name, sizeof name, "value%d", k);
            values[k][0] = i == other ? 2 : 1;
            varve_add_variable(varve_graph_root(graph), name,
                varve_array(values[k], VALUES));
        }
        cr_assert_ok(varve_write(varve_graph_root(graph), FILE_NAME, &options,
                         &error),
            error);
        varve_graph_free(graph);
        faulty_plan(ranks.faulty[i], NULL);
    }
    if (other >= 0)
        return;
    size_t size; /* nonces differ */
    unsigned char *bytes = memory_bytes(ranks.memories[0], FILE_NAME, &size);
    for (int i = 1; i < RANKS; i++)
        memory_put(ranks.memories[i], FILE_NAME, bytes, size);
}

static void end_ranks(void)
{
    for (int i = 0; i < RANKS; i++) {
        vv_opened_close(&ranks.files[i]);
        cr_assert_eq(faulty_open_count(ranks.faulty[i]), 0);
        faulty_free(ranks.faulty[i]);
        memory_free(ranks.memories[i]);
    }
}

static void open_it(const varve_comm *comm, void *user)
{
    const varve_status *before = user;
    uint32_t i = comm->rank;
    ranks.contexts[i].salvages = ranks.is_salvage;
    const struct vv_open_all how = {
        .comm = comm,
        .context = &ranks.contexts[i],
        .path = FILE_NAME,
        .most_told = ranks.most_told,
    };
    ranks.errors[i] = (varve_error){ .message = "before" };
    ranks.statuses[i] = vv_open_all(&how, before ? before[i] : VARVE_OK,
        &ranks.files[i], &ranks.errors[i]);
}

static void close_all(void)
{
    for (int i = 0; i < RANKS; i++)
        vv_opened_close(&ranks.files[i]);
}

/* Returns the status, which must be the same on all ranks. After a failure no
 * file may be open. */
static varve_status outcome(void)
{
    varve_status status = ranks.statuses[0];
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(ranks.statuses[i], status, "%d: %s, %s", i,
            ranks.errors[i].message, ranks.errors[0].message);
        cr_assert_eq(ranks.files[i].context != NULL, status == VARVE_OK);
        if (status)
            cr_assert_str_eq(
                ranks.errors[i].message, ranks.errors[0].message);
    }
    return status;
}

static void check_values(int rank)
{
    struct vv_opened *file = &ranks.files[rank];
    varve_error error = { 0 };
    for (uint32_t v = 0; v < file->parsed.index.value_count; v++) {
        float bytes[VALUES];
        uint64_t offset;
        size_t size;
        vv_opened_chunk(file, v, 0, &offset, &size);
        cr_assert_eq(size, sizeof bytes);
        cr_assert_ok(
            vv_opened_read(file, offset, bytes, size, &error), error);
        cr_assert_eq(bytes[0], 1);
        if (vv_opened_has_digests(file))
            cr_assert_ok(
                vv_opened_check(file, v, 0, bytes, NULL, &error), error);
    }
}

/* --- Reads of each rank --------------------------------------------------- */

static void check_reads(uint64_t most_told)
{
    begin_ranks(VARVE_FORMAT_VARVE, -1);
    ranks.most_told = most_told;
    thread_comm_run(RANKS, 0, -1, open_it, NULL);
    cr_assert_eq(outcome(), VARVE_OK);
    for (int i = 1; i < RANKS; i++) {
        const struct faulty *faulty = ranks.faulty[i];
        cr_assert_eq(faulty_log_read(faulty), 64);
        cr_assert_eq(ranks.files[i].size, ranks.files[0].size);
        cr_assert_eq(ranks.files[i].data_end, ranks.files[0].data_end);
        check_values(i);
        for (uint32_t v = 0; v < COUNT; v++) {
            struct vv_digest one = vv_opened_digest(&ranks.files[0], v);
            struct vv_digest other = vv_opened_digest(&ranks.files[i], v);
            cr_assert(vv_digest_equal(&one, &other));
        }
    }
    for (int i = 0; i < RANKS; i++) {
        uint64_t all = vv_data_in_place(&ranks.files[i])->size;
        cr_assert_eq(all - ranks.files[i].index_size,
            most_told ? 0 : COUNT * sizeof(struct vv_digest) + 2);
    }
    end_ranks();
}

TEST(open_all, reads_the_index_once)
{
    check_reads(ALL_AT_HAND);
}

TEST(open_all, leaves_digests_in_the_file)
{
    check_reads(0);
}

TEST(open_all, verifies_digests_left_in_the_file)
{
    varve_error error = { 0 };
    float bytes[VALUES];
    size_t size, part;
    uint64_t offset;
    begin_ranks(VARVE_FORMAT_VARVE, -1);
    thread_comm_run(RANKS, 0, -1, open_it, NULL);
    cr_assert_eq(outcome(), VARVE_OK);
    struct vv_opened *file = &ranks.files[1];
    vv_opened_chunk(file, COUNT - 1, 0, &offset, &part);
    cr_assert_ok(vv_opened_read(file, offset, bytes, part, &error), error);
    faulty_plan(ranks.faulty[1], &(struct faulty_plan){ .error = EIO });
    cr_assert_eq(
        vv_opened_check(file, COUNT - 1, 0, bytes, NULL, &error), VARVE_IO);
    faulty_plan(ranks.faulty[1], NULL);
    const struct vv_opened *first = &ranks.files[0];
    size_t at = (size_t)first->parsed.index.far->columns[VV_KEY_DIGESTS].offset;
    unsigned char *there =
        memory_bytes(ranks.memories[1], FILE_NAME, &size);
    there[at + 16 * (COUNT - 1)] ^= 1;
    cr_assert_eq(vv_opened_check(file, COUNT - 1, 0, bytes, NULL, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "index: bytes"), "%s", error.message);
    cr_assert_ok(
        vv_opened_check(file, 0, 0, bytes, NULL, &error), error);
    end_ranks();
}

TEST(open_all, opens_other_formats_and_salvages_on_each_rank)
{
    for (int is_salvage = 0; is_salvage < 2; is_salvage++) {
        begin_ranks(
            is_salvage ? VARVE_FORMAT_VARVE : VARVE_FORMAT_SAFETENSORS, -1);
        ranks.is_salvage = is_salvage;
        thread_comm_run(RANKS, 0, -1, open_it, NULL);
        cr_assert_eq(outcome(), VARVE_OK);
        for (int i = 0; i < RANKS; i++)
            check_values(i);
        end_ranks();
    }
}

/* --- Different files ------------------------------------------------------ */

/* (Other formats have no digests, so no values are compared.) */
TEST(open_all, refuses_another_file_than_rank_0)
{
    for (int is_salvage = 0; is_salvage < 2; is_salvage++) {
        begin_ranks(VARVE_FORMAT_VARVE, 1);
        ranks.is_salvage = is_salvage;
        thread_comm_run(RANKS, 0, -1, open_it, NULL);
        cr_assert_eq(outcome(), VARVE_MISMATCH);
        cr_assert(strstr(ranks.errors[0].message, "rank 1: " FILE_NAME),
            "%s", ranks.errors[0].message);
        end_ranks();
    }
}

/* A run must not start from the beginning because one rank does not see the
 * file. */
TEST(open_all, reports_not_found_only_if_rank_0_does)
{
    for (int rank = 0; rank < 2; rank++) {
        begin_ranks(VARVE_FORMAT_VARVE, -1);
        const struct vv_system *system = ranks.contexts[rank].system;
        system->remove(system->state, VV_WORKING_DIRECTORY, FILE_NAME);
        thread_comm_run(RANKS, 0, -1, open_it, NULL);
        cr_assert_eq(
            outcome(), rank == 0 ? VARVE_NOT_FOUND : VARVE_MISMATCH);
        end_ranks();
    }
}

/* --- Failures ------------------------------------------------------------- */

TEST(open_all, reports_an_earlier_failure_on_all_ranks)
{
    begin_ranks(VARVE_FORMAT_VARVE, -1);
    for (int i = 0; i < RANKS; i++) {
        varve_status before[RANKS] = { VARVE_OK };
        before[i] = VARVE_NO_MEMORY;
        thread_comm_run(RANKS, 0, -1, open_it, before);
        cr_assert_eq(outcome(), VARVE_NO_MEMORY);
        cr_assert(strstr(ranks.errors[0].message, "before"));
    }
    end_ranks();
}

TEST(open_all, reports_a_failed_call_of_one_rank_on_all)
{
    begin_ranks(VARVE_FORMAT_VARVE, -1);
    for (int i = 0; i < RANKS; i++) {
        bool is_over = false;
        long failures = 0;
        for (long number = 0; !is_over; number++) {
            faulty_plan(ranks.faulty[i],
                &(struct faulty_plan){ .number = number, .error = EIO });
            thread_comm_run(RANKS, 0, -1, open_it, NULL);
            is_over = !faulty_hit(ranks.faulty[i]);
            failures += outcome() == VARVE_IO;
            close_all();
        }
        cr_assert_eq(ranks.statuses[0], VARVE_OK);
        cr_assert_geq(failures, 2);
    }
    end_ranks();
}

TEST(open_all, reports_failed_allocations_on_all_ranks)
{
    bool is_over = false;
    begin_ranks(VARVE_FORMAT_VARVE, -1);
    long blocks = test_block_count();
    for (long number = 0; !is_over; number++) {
        test_fail_allocation(number, number % 2);
        thread_comm_run(RANKS, 0, -1, open_it, NULL);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        varve_status status = outcome();
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        close_all();
        cr_assert_eq(test_block_count(), blocks);
    }
    cr_assert_eq(ranks.statuses[0], VARVE_OK);
    end_ranks();
}

TEST(open_all, ends_on_every_rank_after_a_lost_rank)
{
    begin_ranks(VARVE_FORMAT_VARVE, -1);
    long calls = thread_comm_run(RANKS, 0, -1, open_it, NULL);
    cr_assert_eq(outcome(), VARVE_OK);
    close_all();
    for (long i = 0; i < calls; i++) {
        thread_comm_run(RANKS, 0, i, open_it, NULL);
        for (int k = 0; k < RANKS; k++) {
            cr_assert_eq(ranks.statuses[k], VARVE_DISCONNECTED);
            cr_assert_null(ranks.files[k].context);
        }
    }
    end_ranks();
}
