/* test_read_all.c - Tests collective restores of checkpoints that were saved
 * collectively.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/reader.h>
#include <varve/snapshot.h>

#include "index_broadcast.h"
#include "node.h"
#include "reader.h"
#include "support/faulty_system.h"
#include "together_world.h"

enum { MOST = 8 };

/* The actions of the ranks, and their results. */
struct run {
    uint32_t wide;
    const char *path;
    varve_write_options write;
    varve_read_options read;
    varve_status statuses[MOST];
    varve_error errors[MOST];
    int values[MOST];
};

static void save(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, run->wide, true);
    varve_error *error = &run->errors[comm->rank];
    run->statuses[comm->rank] =
        varve_write_all(comm, p->root, run->path, &run->write, error);
    free_part(p);
}

static void load(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, run->wide, false);
    varve_error *error = &run->errors[comm->rank];
    varve_restoration *r =
        varve_read_all(comm, p->root, run->path, &run->read, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    run->values[comm->rank] = values_of(p);
    if (r && run->statuses[comm->rank] == VARVE_OK)
        run->statuses[comm->rank] = varve_assert_consumed(r, error);
    varve_restoration_free(r);
    free_part(p);
}

static void save_alone(const varve_comm *comm, void *user)
{
    const struct run *run = user;
    varve_error error = { 0 };
    struct part *p = new_part(comm, 1, true);
    cr_assert_ok(varve_write(p->root, run->path, NULL, &error), error);
    free_part(p);
}

static void check_all(const struct run *run, uint32_t size, varve_status wanted)
{
    for (uint32_t i = 0; i < size; i++) {
        cr_assert_eq(run->statuses[i], wanted, "rank %u: %s", i,
            run->errors[i].message);
        if (wanted)
            cr_assert_str_eq(run->errors[i].message, run->errors[0].message);
    }
}

static uint32_t grid(uint32_t size)
{
    return size % 2 == 0 ? 2 : 1;
}

TEST(read_all, restores_with_another_number_of_ranks)
{
    static const uint32_t sizes[] = { 1, 2, 3, 4, 5, 8 };
    for (size_t n = 0; n < 6; n++) {
        begin_world();
        struct run run = { .path = FILE_NAME, .wide = grid(sizes[n]) };
        thread_comm_run(sizes[n], 2, -1, save, &run);
        check_all(&run, sizes[n], VARVE_OK);
        for (size_t m = 0; m < 6; m++) {
            run.wide = sizes[m] == 8 ? 4 : 1;
            thread_comm_run(sizes[m], 2, -1, load, &run);
            check_all(&run, sizes[m], VARVE_OK);
            for (uint32_t i = 0; i < sizes[m]; i++)
                cr_assert_eq(run.values[i], HAS_ALL);
        }
        end_world();
    }
}

/* --- Failures of one rank ------------------------------------------------- */

static void load_with_one(const varve_comm *comm, void *user)
{
    static double other;
    struct run *run = user;
    struct part *p = new_part(comm, 1, false);
    varve_error *error = &run->errors[comm->rank];
    if (comm->rank == 1) {
        varve_untrack(p->root, "step");
        varve_add_variable(p->root, "step", varve_scalar(&other));
    }
    varve_restoration *r =
        varve_read_all(comm, p->root, run->path, &run->read, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    run->values[comm->rank] = values_of(p);
    varve_restoration_free(r);
    free_part(p);
}

TEST(read_all, changes_nothing_if_one_rank_fails)
{
    for (int is_large = 0; is_large < 2; is_large++) {
        struct run run = { .path = FILE_NAME, .wide = 1 };
        run.read.resources.staging_size = is_large ? 1 : 0;
        begin_world();
        thread_comm_run(3, 0, -1, save, &run);
        check_all(&run, 3, VARVE_OK);
        thread_comm_run(3, 0, -1, load_with_one, &run);
        check_all(&run, 3, VARVE_MISMATCH);
        cr_assert(strstr(run.errors[0].message, "rank 1: "), "%s",
            run.errors[0].message);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(run.values[i], HAS_NONE);
        end_world();
    }
}

/* Damages data that only rank 1 reads: a part of its rows. */
static void damage_a_row(void)
{
    const float row[] = { matrix_at(ROWS / 2, 0), matrix_at(ROWS / 2, 1) };
    for (size_t f = 0; f < memory_file_count(world.memory); f++) {
        size_t size;
        unsigned char *bytes = memory_bytes(
            world.memory, memory_file_path(world.memory, f), &size);
        for (size_t i = 0; i + sizeof row <= size; i += 4)
            if (memcmp(bytes + i, row, sizeof row) == 0)
                bytes[i] ^= 1;
    }
}

static struct run begin_good(void)
{
    struct run run = { .path = FILE_NAME, .wide = 1 };
    run.read.resources.staging_size = 1;
    begin_world();
    thread_comm_run(3, 0, -1, save, &run);
    check_all(&run, 3, VARVE_OK);
    return run;
}

static struct run begin_damaged(void)
{
    struct run run = begin_good();
    damage_a_row();
    return run;
}

static void check_nothing_changed(const struct run *run)
{
    check_all(run, 3, VARVE_CORRUPT);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(run->values[i], HAS_NONE);
    end_world();
}

TEST(read_all, changes_nothing_if_one_rank_finds_damage)
{
    struct run run = begin_damaged();
    run.read.passes = VARVE_TWO_PASSES;
    thread_comm_run(3, 0, -1, load, &run);
    check_nothing_changed(&run);
}

/* Rank 0 has values to preserve; for the others it is the first restoration. */
static void load_where_one_has_kept(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, run->wide, false);
    varve_error *error = &run->errors[comm->rank];
    varve_snapshot *kept =
        comm->rank == 0 ? varve_snapshot_new(p->root, error) : NULL;
    varve_restoration *r =
        varve_read_all(comm, p->root, run->path, &run->read, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    run->values[comm->rank] = values_of(p);
    cr_assert_eq(varve_restoration_passes(r),
        r ? VARVE_TWO_PASSES : VARVE_PASSES_AUTO);
    varve_restoration_free(r);
    varve_snapshot_free(kept);
    free_part(p);
}

TEST(read_all, changes_nothing_if_values_of_one_rank_are_at_risk)
{
    struct run run = begin_damaged();
    thread_comm_run(3, 0, -1, load_where_one_has_kept, &run);
    check_nothing_changed(&run);
}

TEST(read_all, uses_two_passes_if_values_of_one_rank_are_at_risk)
{
    struct run run = begin_good();
    thread_comm_run(3, 0, -1, load_where_one_has_kept, &run);
    check_all(&run, 3, VARVE_OK);
    end_world();
}

/* --- One pass ------------------------------------------------------------- */

/* Restores twice: first from a possibly damaged file, then from `path`.
 * Partially restored values cannot be saved in between. */
static void load_again(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, run->wide, false);
    varve_error *error = &run->errors[comm->rank], refused = { 0 };
    varve_restoration *r =
        varve_read_all(comm, p->root, FILE_NAME, &run->read, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    if (r)
        cr_assert_eq(varve_restoration_passes(r), VARVE_ONE_PASS);
    varve_restoration_free(r);
    if (!r) {
        cr_assert_eq(varve_write_all(comm, p->root, "c.varve", NULL, &refused),
            VARVE_MISUSE);
        cr_assert(strstr(refused.message, "partly restored"), "%s",
            refused.message);
    }
    r = varve_read_all(comm, p->root, run->path, &run->read, &refused);
    cr_assert(r, "%s", refused.message);
    cr_assert_eq(varve_restoration_passes(r), VARVE_TWO_PASSES);
    varve_restoration_free(r);
    run->values[comm->rank] = values_of(p);
    cr_assert_ok(
        varve_write_all(comm, p->root, "c.varve", NULL, &refused), refused);
    free_part(p);
}

TEST(read_all, uses_one_pass_if_no_values_are_at_risk)
{
    struct run run = begin_good();
    thread_comm_run(3, 0, -1, load_again, &run);
    check_all(&run, 3, VARVE_OK);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(run.values[i], HAS_ALL);
    end_world();
}

TEST(read_all, reports_a_partial_restore_on_all_after_damage_on_one)
{
    struct run run = begin_damaged();
    run.path = "alone.varve";
    thread_comm_run(1, 0, -1, save_alone, &run);
    thread_comm_run(3, 0, -1, load_again, &run);
    check_all(&run, 3, VARVE_PARTIALLY_RESTORED);
    cr_assert(strstr(run.errors[0].message, "matrix: bytes "), "%s",
        run.errors[0].message);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(run.values[i], HAS_ALL);
    end_world();
}

TEST(read_all, undoes_a_small_first_restoration)
{
    struct run run = begin_damaged();
    run.read.resources.staging_size = 0;
    thread_comm_run(3, 0, -1, load, &run);
    check_nothing_changed(&run);
}

/* Mismatches are found before any value is read. */
TEST(read_all, changes_nothing_in_one_pass_if_one_rank_fails)
{
    struct run run = { .path = FILE_NAME, .wide = 1 };
    run.read.passes = VARVE_ONE_PASS;
    begin_world();
    thread_comm_run(3, 0, -1, save, &run);
    check_all(&run, 3, VARVE_OK);
    thread_comm_run(3, 0, -1, load_with_one, &run);
    check_all(&run, 3, VARVE_MISMATCH);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(run.values[i], HAS_NONE);
    end_world();
}

static void load_refused(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, 1, false);
    varve_error *error = &run->errors[comm->rank];
    p->state.load_status = VARVE_CORRUPT;
    p->state.fails_at = comm->rank == 1;
    varve_restoration *r =
        varve_read_all(comm, p->root, run->path, &run->read, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    varve_restoration_free(r);
    /* Rank 1 has its older values, the others have new ones. */
    varve_error refused = { 0 };
    cr_assert_eq(varve_write_all(comm, p->root, "c.varve", NULL, &refused),
        VARVE_MISUSE);
    cr_assert(
        strstr(refused.message, "partly restored"), "%s", refused.message);
    free_part(p);
}

TEST(read_all, reports_changed_ranks_if_a_state_fails)
{
    struct run run = { .path = FILE_NAME, .wide = 1 };
    begin_world();
    thread_comm_run(3, 0, -1, save, &run);
    check_all(&run, 3, VARVE_OK);
    thread_comm_run(3, 0, -1, load_refused, &run);
    check_all(&run, 3, VARVE_PARTIALLY_RESTORED);
    cr_assert(strstr(run.errors[0].message, "partially restored: other ranks "
        "have new values"),
        "%s", run.errors[0].message);
    end_world();
}

TEST(read_all, reports_a_missing_file_on_all_ranks)
{
    struct run run = { .path = "none", .wide = 1 };
    begin_world();
    thread_comm_run(3, 0, -1, load, &run);
    check_all(&run, 3, VARVE_NOT_FOUND);
    end_world();
}

TEST(read_all, ends_on_every_rank_after_a_lost_rank)
{
    struct run run = { .path = FILE_NAME, .wide = 1 };
    begin_world();
    thread_comm_run(3, 0, -1, save, &run);
    long calls = thread_comm_run(3, 0, -1, load, &run);
    check_all(&run, 3, VARVE_OK);
    for (long i = 0; i < calls; i++) {
        thread_comm_run(3, 0, i, load, &run);
        for (int k = 0; k < 3; k++)
            cr_assert_eq(run.statuses[k], VARVE_DISCONNECTED, "%s",
                run.errors[k].message);
    }
    end_world();
}

/* Each exchange waits for the slowest rank. If shared data is verified first
 * there are four more. */
TEST(read_all, makes_the_documented_number_of_collective_calls)
{
    struct run run = { .path = FILE_NAME, .wide = 1 };
    begin_world();
    cr_assert_eq(thread_comm_run(3, 0, -1, save, &run), 3 * 10);
    cr_assert_eq(thread_comm_run(3, 0, -1, load, &run), 3 * 12);
    run.read.passes = VARVE_TWO_PASSES;
    run.read.resources.staging_size = 1;
    cr_assert_eq(thread_comm_run(3, 0, -1, load, &run), 3 * 16);
    check_all(&run, 3, VARVE_OK);
    end_world();
}

/* --- One rank verifies shared data ---------------------------------------- */

static uint64_t bytes_read(uint32_t share, struct run *run)
{
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    const struct vv_system *before = world.context.system;
    world.context.system = faulty_system(faulty);
    thread_comm_run(4, share, -1, load, run);
    check_all(run, 4, VARVE_OK);
    uint64_t bytes = faulty_log_read(faulty);
    world.context.system = before;
    faulty_free(faulty);
    return bytes;
}

TEST(read_all, verifies_shared_values_once_on_each_node)
{
    struct run run = { .path = FILE_NAME, .wide = 2 };
    begin_world();
    thread_comm_run(4, 0, -1, save, &run);
    check_all(&run, 4, VARVE_OK);
    run.read.resources.staging_size = 1;
    run.read.passes = VARVE_TWO_PASSES;
    uint64_t alone = bytes_read(1, &run);
    uint64_t by_two = bytes_read(2, &run);
    uint64_t together = bytes_read(0, &run);
    uint64_t common = WEIGHTS * sizeof(float);
    cr_assert_geq(alone, by_two + 2 * common);
    cr_assert_geq(by_two, together + common);
    end_world();
}

/* Whichever rank finds damage, all ranks keep their values. */
TEST(read_all, changes_nothing_if_the_verifying_rank_finds_damage)
{
    struct run run = { .path = FILE_NAME, .wide = 1 };
    size_t size;
    begin_world();
    thread_comm_run(1, 0, -1, save_alone, &run);
    run.read.resources.staging_size = 1;
    run.read.passes = VARVE_TWO_PASSES;
    for (int i = 0; i < 8; i++) {
        float weight = (float)(WEIGHTS / 8 * i + 1) / 2;
        unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
        unsigned char *at = bytes;
        while (memcmp(at, &weight, sizeof weight) != 0)
            at += sizeof weight;
        *at ^= 1;
        thread_comm_run(4, 0, -1, load, &run);
        check_all(&run, 4, VARVE_CORRUPT);
        cr_assert(strstr(run.errors[0].message, "weights"), "%s",
            run.errors[0].message);
        for (int k = 0; k < 4; k++)
            cr_assert_eq(run.values[k], HAS_NONE);
        *at ^= 1;
    }
    end_world();
}

/* --- Another file on another rank ----------------------------------------- */

static struct vv_context places[2];
static int64_t steps[2];

static void load_there(const varve_comm *comm, void *user)
{
    struct run *run = user;
    varve_error *error = &run->errors[comm->rank];
    varve_graph *graph = vv_graph_new_in(&places[comm->rank]);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "step", varve_scalar(&steps[comm->rank]));
    varve_restoration *r =
        varve_read_all(comm, root, FILE_NAME, NULL, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void write_step(int place, int64_t step)
{
    varve_error error = { 0 };
    varve_graph *graph = vv_graph_new_in(&places[place]);
    varve_add_variable(varve_graph_root(graph), "step", varve_scalar(&step));
    cr_assert_ok(
        varve_write(varve_graph_root(graph), FILE_NAME, NULL, &error), error);
    varve_graph_free(graph);
}

TEST(read_all, does_not_mix_two_checkpoints)
{
    struct run run = { .wide = 1 };
    begin_world();
    struct memory *other = memory_new();
    places[0] = world.context;
    places[1] = test_context(memory_system(other));
    write_step(0, 1);
    write_step(1, 1);
    thread_comm_run(2, 0, -1, load_there, &run);
    check_all(&run, 2, VARVE_OK);
    cr_assert_eq(steps[1], 1);
    write_step(1, 2);
    thread_comm_run(2, 0, -1, load_there, &run);
    check_all(&run, 2, VARVE_MISMATCH);
    cr_assert_eq(steps[1], 1);
    memory_free(other);
    end_world();
}

/* --- Very many digests ---------------------------------------------------- */

enum { VERY_MANY = VV_MOST_TOLD / VV_DIGEST_SIZE + 1 };

static varve_node *add_number(varve_node *root, int number, int64_t *value)
{
    char name[16];
    snprintf(name, sizeof name, "n%d", number);
    return varve_add_variable(root, name, varve_scalar(value));
}

/* Restores a few values at once, the last one later. */
static void load_few(const varve_comm *comm, void *user)
{
    struct run *run = user;
    int64_t values[3] = { -1, -1, -1 };
    varve_error *error = &run->errors[comm->rank];
    varve_node *root = new_root();
    add_number(root, 0, &values[0]);
    add_number(root, VERY_MANY / 2, &values[1]);
    varve_restoration *r =
        varve_read_all(comm, root, FILE_NAME, NULL, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    add_number(root, VERY_MANY - 1, &values[2]);
    run->values[comm->rank] = values[0] == 0 && values[1] == VERY_MANY / 2 &&
                              values[2] == VERY_MANY - 1;
    varve_restoration_free(r);
    free_root(root);
}

TEST(read_all, verifies_with_digests_left_in_the_file)
{
    struct run run = { .wide = 1 };
    begin_world();
    varve_node *root = new_root();
    int64_t *values = calloc(VERY_MANY, sizeof *values);
    for (int i = 0; i < VERY_MANY; i++) {
        values[i] = i;
        add_number(root, i, &values[i]);
    }
    write_root(root);
    free_root(root);
    free(values);
    thread_comm_run(2, 0, -1, load_few, &run);
    check_all(&run, 2, VARVE_OK);
    cr_assert(run.values[0] && run.values[1]);
    end_world();
}

/* --- Several requests ----------------------------------------------------- */

static void load_as_asked(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, run->wide, false);
    varve_read_options options = run->read;
    varve_error *error = &run->errors[comm->rank];
    options.passes = comm->rank == 0 ? VARVE_TWO_PASSES : VARVE_ONE_PASS;
    varve_restoration *r =
        varve_read_all(comm, p->root, run->path, &options, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    run->values[comm->rank] = values_of(p);
    varve_restoration_free(r);
    free_part(p);
}

TEST(read_all, changes_nothing_if_one_rank_requests_two_passes)
{
    struct run run = begin_damaged();
    thread_comm_run(3, 0, -1, load_as_asked, &run);
    check_nothing_changed(&run);
}

/* Rank 1 refuses a value that the others already have. Delivered values count,
 * including copies, but not values that were only compared. */
static void load_copy_refused(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, 1, false);
    const varve_rename list[] = { { "again", "weights" } };
    const varve_read_options options = { .rename.list = list,
        .rename.count = 1 };
    varve_error *error = &run->errors[comm->rank];
    float *copy = calloc(WEIGHTS, sizeof *copy);
    varve_node *again =
        varve_add_variable(p->root, "again", varve_array(copy, WEIGHTS));
    p->step = 42;
    varve_tag(varve_find(p->root, "step"), VARVE_TAG_FIXED);
    p->state.load_status = VARVE_CORRUPT;
    p->state.fails_at = comm->rank == 1;
    varve_restoration *r =
        varve_read_all(comm, p->root, run->path, &options, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    bool is_half = comm->rank != 1;
    cr_assert_eq(again->is_half, is_half);
    cr_assert_eq(varve_find(p->root, "weights")->is_half, is_half);
    cr_assert_eq(varve_find(p->root, "state")->is_half, is_half);
    cr_assert(!varve_find(p->root, "step")->is_half);
    cr_assert(!p->root->is_half);
    varve_restoration_free(r);
    free_part(p);
    free(copy);
}

TEST(read_all, marks_values_of_other_ranks_as_partially_restored)
{
    struct run run = { .path = FILE_NAME, .wide = 1 };
    begin_world();
    thread_comm_run(3, 0, -1, save, &run);
    check_all(&run, 3, VARVE_OK);
    thread_comm_run(3, 0, -1, load_copy_refused, &run);
    check_all(&run, 3, VARVE_PARTIALLY_RESTORED);
    end_world();
}
