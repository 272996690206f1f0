/* test_staging_of_many.c - Tests the staging limit of a collective restore.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <varve/slice.h>
#include <varve/snapshot.h>
#include <varve/collective.h>

#include "delivery.h"
#include "support/faulty_system.h"
#include "support/thread_comm.h"

/* The options of two ranks, and their results. */
struct run {
    bool has_kept; /* each has values to preserve */
    varve_read_options read;
    varve_status statuses[2];
    varve_error errors[2];
    int values[2]; /* number of restored values */
};

static void check_all(const struct run *run, varve_status wanted)
{
    for (int i = 0; i < 2; i++)
        cr_assert_eq(run->statuses[i], wanted, "rank %d: %s", i,
            run->errors[i].message);
}

/* The share of each of two ranks exceeds the default staging limit for one pass
 * but not the larger limit: rows of a table of numbers. */
enum { SHARE = VV_STAGING_SIZE_OF_MANY / sizeof(uint32_t) + 1000 };

static varve_node *new_share(const varve_comm *comm, uint32_t *numbers)
{
    varve_node *root = new_root();
    varve_add_slice(root, "table", varve_array(numbers, SHARE),
        VARVE_SHAPE(2 * SHARE), (uint64_t[]){ comm->rank * SHARE });
    return root;
}

static void save_share(const varve_comm *comm, void *user)
{
    struct run *run = user;
    uint32_t *numbers = calloc(SHARE, sizeof *numbers);
    varve_node *root = new_share(comm, numbers);
    for (uint32_t i = 0; i < SHARE; i++)
        numbers[i] = comm->rank * SHARE + i + 1;
    run->statuses[comm->rank] = varve_write_all(
        comm, root, FILE_NAME, NULL, &run->errors[comm->rank]);
    free_root(root);
    free(numbers);
}

static void load_share(const varve_comm *comm, void *user)
{
    struct run *run = user;
    uint32_t *numbers = calloc(SHARE, sizeof *numbers);
    varve_node *root = new_share(comm, numbers);
    varve_error *error = &run->errors[comm->rank];
    varve_snapshot *kept =
        run->has_kept ? varve_snapshot_new(root, error) : NULL;
    varve_restoration *r =
        varve_read_all(comm, root, FILE_NAME, &run->read, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    run->values[comm->rank] = 0;
    for (uint32_t i = 0; i < SHARE; i++)
        run->values[comm->rank] += numbers[i] == comm->rank * SHARE + i + 1;
    varve_restoration_free(r);
    varve_snapshot_free(kept);
    free_root(root);
    free(numbers);
}

static struct run begin_shares(void)
{
    struct run run = { .has_kept = false };
    begin_world();
    thread_comm_run(2, 0, -1, save_share, &run);
    check_all(&run, VARVE_OK);
    return run;
}

/* Damages a byte in the last chunk of rank 1. */
static void damage_a_share(void)
{
    const uint32_t number = 2 * SHARE - 100;
    for (size_t f = 0; f < memory_file_count(world.memory); f++) {
        size_t size;
        unsigned char *bytes = memory_bytes(
            world.memory, memory_file_path(world.memory, f), &size);
        for (size_t i = 0; i + sizeof number <= size; i += sizeof number)
            if (memcmp(bytes + i, &number, sizeof number) == 0)
                bytes[i] ^= 1;
    }
}

TEST(staging_of_many, restores_large_values_in_place_in_a_first_restoration)
{
    struct run run = begin_shares();
    thread_comm_run(2, 0, -1, load_share, &run);
    check_all(&run, VARVE_OK);
    cr_assert(run.values[0] == SHARE && run.values[1] == SHARE);
    damage_a_share();
    thread_comm_run(2, 0, -1, load_share, &run);
    check_all(&run, VARVE_PARTIALLY_RESTORED);
    cr_assert_eq(run.values[0], SHARE);
    end_world();
}

TEST(staging_of_many, undoes_more_with_a_larger_staging_size)
{
    struct run run = begin_shares();
    damage_a_share();
    run.read.resources.staging_size = VV_STAGING_SIZE;
    thread_comm_run(2, 0, -1, load_share, &run);
    check_all(&run, VARVE_CORRUPT);
    cr_assert(run.values[0] == 0 && run.values[1] == 0);
    end_world();
}

static uint64_t bytes_read(struct run *run)
{
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    const struct vv_system *before = world.context.system;
    world.context.system = faulty_system(faulty);
    thread_comm_run(2, 0, -1, load_share, run);
    check_all(run, VARVE_OK);
    uint64_t bytes = faulty_log_read(faulty);
    world.context.system = before;
    faulty_free(faulty);
    return bytes;
}

/* So that the values of both ranks can be put back. */
TEST(staging_of_many, stages_more_if_values_are_at_risk)
{
    struct run run = begin_shares();
    run.has_kept = true;
    cr_assert_lt(bytes_read(&run),
        UINT64_C(3) * SHARE * sizeof(uint32_t));
    cr_assert(run.values[0] == SHARE && run.values[1] == SHARE);
    damage_a_share();
    thread_comm_run(2, 0, -1, load_share, &run);
    check_all(&run, VARVE_CORRUPT);
    cr_assert(run.values[0] == 0 && run.values[1] == 0);
    end_world();
}
