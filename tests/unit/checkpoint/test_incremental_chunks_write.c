/* test_incremental_chunks_write.c - Tests collective writing of compressed
 * chunks in rounds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "together_world.h"

#include <errno.h>

#include <varve/reader.h>

#include "hash_table.h"
#include "incremental_chunks.h"
#include "reader.h"
#include "support/faulty_system.h"

enum { RANKS = 4, ROUNDS_OF_3 = 3 * VV_ROUND_SIZE / 4 - 5 };

/* Ranks have slices of the noise, which is incompressible, of very different
 * sizes. All other values are replicated. */
static float noise[ROUNDS_OF_3];
static float smooth[ROUNDS_OF_3];
static int64_t number;

static void make_values(void)
{
    for (int i = 0; i < ROUNDS_OF_3; i++) {
        uint64_t bits = vv_map_mix((uint64_t)i + 1);
        memcpy(&noise[i], &bits, sizeof noise[i]);
        smooth[i] = (float)(i / 100);
    }
}

struct run {
    varve_write_options options;
    uint32_t failing; /* rank whose callback fails at its third call */
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
};

static int cancel_third(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)what;
    cr_assert_leq(done, total);
    return ++*(int *)user == 3;
}

static void save(const varve_comm *comm, void *user)
{
    struct run *run = user;
    varve_node *root = new_root();
    varve_write_options options = run->options;
    int calls = 0;
    uint64_t start = ROUNDS_OF_3 * (uint64_t)comm->rank * comm->rank / 16;
    uint64_t end =
        ROUNDS_OF_3 * (uint64_t)(comm->rank + 1) * (comm->rank + 1) / 16;
    varve_add_slice(root, "noise", varve_array(noise + start, end - start),
        VARVE_SHAPE(ROUNDS_OF_3), &start);
    varve_add_variable(root, "smooth", varve_array(smooth, ROUNDS_OF_3));
    varve_add_variable(root, "number", varve_scalar(&number));
    if (run->failing == comm->rank) {
        options.progress = cancel_third;
        options.progress_user = &calls;
    }
    run->statuses[comm->rank] = varve_write_all(
        comm, root, FILE_NAME, &options, &run->errors[comm->rank]);
    free_root(root);
}

/* Hashes the data files without their names, which are stored in their first
 * and last bytes. */
static uint64_t layers(uint64_t *hash)
{
    uint64_t all = 0;
    *hash = 0;
    for (size_t i = 0; i < memory_file_count(world.memory); i++) {
        size_t size;
        const char *path = memory_file_path(world.memory, i);
        const unsigned char *bytes = memory_bytes(world.memory, path, &size);
        if (!strstr(path, "layers/"))
            continue;
        all += size;
        *hash += vv_hash_of(bytes + 64, size - 128); /* in any order */
    }
    return all;
}

/* The result is independent of timing and of the number of compressing
 * threads. */
TEST(chunks_out, is_deterministic)
{
    uint64_t first = 0, hash;
    make_values();
    for (int i = 0; i < 4; i++) {
        begin_world();
        struct run run = { .failing = RANKS, .options = { .compress = 1 } };
        thread_comm_run(RANKS, 2, -1, save, &run);
        cr_assert_ok(run.statuses[0], run.errors[0]);
        uint64_t size = layers(&hash);
        first = i ? first : hash;
        cr_assert_eq(hash, first);
        cr_assert_lt(size, sizeof noise + sizeof smooth / 4, "%zu", size);
        cr_assert_geq(size, sizeof noise);
        varve_reader_free(open_world(FILE_NAME));
        end_world();
    }
}

TEST(chunks_out, has_only_gaps_up_to_page_boundaries)
{
    uint64_t hash;
    make_values();
    begin_world();
    struct run run = { .failing = RANKS, .options = { .incremental = true } };
    thread_comm_run(RANKS, 2, -1, save, &run);
    cr_assert_ok(run.statuses[0], run.errors[0]);
    uint64_t size = layers(&hash);
    cr_assert_lt(size, sizeof noise + sizeof smooth + 40 * 4096);
    varve_reader_free(open_world(FILE_NAME));
    end_world();
}

/* A rank fails in the middle of a round: all ranks stop, and no file
 * remains. */
TEST(chunks_out, ends_on_all_ranks_if_one_is_cancelled)
{
    make_values();
    for (uint32_t i = 0; i < RANKS; i++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "rank %u: layers/", i);
        begin_world();
        struct run run = { .failing = i, .options = { .compress = 1 } };
        thread_comm_run(RANKS, 2, -1, save, &run);
        for (int k = 0; k < RANKS; k++) {
            cr_assert_eq(run.statuses[k], VARVE_CANCELLED);
            cr_assert_eq(strncmp(run.errors[k].message, wanted, 15), 0, "%s",
                run.errors[k].message);
        }
        cr_assert_eq(memory_file_count(world.memory), 0);
        end_world();
    }
}

TEST(chunks_out, ends_on_all_ranks_after_a_lost_rank)
{
    struct run run = { .failing = RANKS, .options = { .compress = 1 } };
    make_values();
    begin_world();
    long calls = thread_comm_run(RANKS, 2, -1, save, &run);
    end_world();
    for (long i = calls / 3; i < calls; i += 5) {
        begin_world();
        thread_comm_run(RANKS, 2, i, save, &run);
        for (int k = 0; k < RANKS; k++)
            cr_assert_eq(run.statuses[k], VARVE_DISCONNECTED, "%s",
                run.errors[k].message);
        end_world();
    }
}

TEST(chunks_out, reports_a_failed_write_of_one_rank_to_all)
{
    bool is_over = false;
    make_values();
    for (long i = 0; !is_over; i++) {
        begin_world();
        struct run run = { .failing = RANKS, .options = { .compress = 1 } };
        const struct vv_system *under = world.context.system;
        struct faulty *faulty = faulty_new(under);
        world.context.system = faulty_system(faulty);
        faulty_plan(
            faulty, &(struct faulty_plan){
                        .number = i, .kinds = FAULTY_WRITE, .error = ENOSPC });
        thread_comm_run(RANKS, 2, -1, save, &run);
        is_over = i >= faulty_count(faulty);
        for (int k = 0; k < RANKS; k++)
            cr_assert_eq(run.statuses[k], is_over ? VARVE_OK : VARVE_NO_SPACE,
                "%ld: %s", i, run.errors[k].message);
        world.context.system = under;
        faulty_free(faulty);
        cr_assert_eq(memory_file_count(world.memory), is_over ? 3 : 0);
        end_world();
    }
}
