/* test_save_together_write.c - Tests collective saves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "together_world.h"

#include <errno.h>

#include <varve/reader.h>

#include "directory.h"
#include "reader.h"

enum { MOST = 8 };

/* The options of all ranks, and their results. */
struct run {
    void (*spoil)(struct part *p, uint32_t rank); /* or NULL */
    const char *paths[MOST];
    uint32_t wide;
    bool is_numbered;
    bool is_refused; /* rank 1 may not write */
    varve_write_options options;
    varve_status statuses[MOST];
    varve_error errors[MOST];
};

static void save(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, run->wide, true);
    varve_error *error = &run->errors[comm->rank];
    const char *path =
        run->paths[comm->rank] ? run->paths[comm->rank] : FILE_NAME;
    if (run->spoil)
        run->spoil(p, comm->rank);
    run->statuses[comm->rank] =
        run->is_numbered
            ? varve_save_all(comm, p->root, path, &run->options, error)
            : varve_write_all(comm, p->root, path, &run->options, error);
    free_part(p);
}

static varve_reader *open_saved(const char *path)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, path, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    return reader;
}

static void check_saved(const char *path)
{
    varve_reader_free(open_saved(path));
}

static int count_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    (void)name;
    ++*(unsigned *)user;
    return 0;
}

static unsigned count_names(const char *inside)
{
    unsigned count = 0;
    cr_assert_not(vv_directory_each(
        &world.context, inside, count_name, &count, NULL));
    return count;
}

/* Checks that no new file exists. */
static void check_failed(struct run *run, uint32_t size, varve_status wanted,
    const char *message)
{
    begin_world();
    thread_comm_run(size, 0, -1, save, run);
    for (uint32_t i = 0; i < size; i++) {
        cr_assert_eq(run->statuses[i], wanted, "%s", run->errors[i].message);
        cr_assert_str_eq(run->errors[i].message, run->errors[0].message);
    }
    cr_assert(strstr(run->errors[0].message, message), "%s",
        run->errors[0].message);
    cr_assert_eq(count_names("x"), 0);
    end_world();
}

TEST(write_all, writes_one_file_for_each_node)
{
    begin_world();
    struct run run = { .wide = 2 };
    thread_comm_run(6, 2, -1, save, &run);
    cr_assert_ok(run.statuses[0], run.errors[0]);
    check_saved(FILE_NAME);
    cr_assert_eq(count_names("layers/x"), 3);
    end_world();
}

TEST(write_all, writes_the_requested_number_of_files)
{
    static const unsigned wanted[] = { 1, 4, 6, 100 };
    for (int i = 0; i < 4; i++) {
        begin_world();
        struct run run = { .wide = 2,
            .options = { .collective.files = wanted[i] } };
        thread_comm_run(6, 2, -1, save, &run);
        cr_assert_ok(run.statuses[0], run.errors[0]);
        check_saved(FILE_NAME);
        cr_assert_eq(count_names("layers/x"), wanted[i] < 6 ? wanted[i] : 6);
        end_world();
    }
}

/* One process with all values must save the same values. */
TEST(write_all, saves_the_same_values_as_one_process)
{
    uint8_t alone[16], together[16];
    varve_error error = { 0 };
    for (uint32_t size = 1; size <= MOST; size++) {
        begin_world();
        struct run run = { .wide = size % 2 ? 1 : 2 };
        thread_comm_run(size, 3, -1, save, &run);
        cr_assert_ok(run.statuses[0], run.errors[0]);
        varve_reader *reader = open_saved(FILE_NAME);
        cr_assert_ok(varve_reader_digest(reader, together, &error), error);
        varve_reader_free(reader);
        if (size == 1)
            memcpy(alone, together, sizeof alone);
        cr_assert_eq(memcmp(alone, together, sizeof alone), 0, "%u", size);
        end_world();
    }
}

TEST(write_all, numbers_its_saves)
{
    begin_world();
    struct run run = { .wide = 1, .is_numbered = true };
    for (int i = 0; i < MOST; i++)
        run.paths[i] = "run/m";
    for (int i = 0; i < 3; i++) {
        thread_comm_run(3, 0, -1, save, &run);
        cr_assert_ok(run.statuses[0], run.errors[0]);
        cr_assert_ok(run.statuses[2], run.errors[2]);
    }
    check_saved("run/m-1.varve");
    check_saved("run/m-3.varve");
    end_world();
}

/* The base is the checkpoint with the highest number, also if its name is
 * padded: no data is written again. */
TEST(write_all, bases_numbered_saves_on_the_newest)
{
    static const char *const bases[] = { "run/m-7.varve",
        "run/m-00000007.varve" };
    for (int i = 0; i < 2; i++) {
        begin_world();
        struct run run = { .wide = 1, .options = { .incremental = true } };
        for (int k = 0; k < MOST; k++)
            run.paths[k] = bases[i];
        thread_comm_run(3, 0, -1, save, &run);
        cr_assert_ok(run.statuses[0], run.errors[0]);
        unsigned count = count_names("run/layers/x");
        for (int k = 0; k < MOST; k++)
            run.paths[k] = "run/m";
        run.is_numbered = true;
        thread_comm_run(3, 0, -1, save, &run);
        cr_assert_ok(run.statuses[0], run.errors[0]);
        cr_assert_eq(count_names("run/layers/x"), count);
        check_saved("run/m-8.varve");
        end_world();
    }
}

/* The next save removes the remains of a killed one, but not data files that
 * others refer to. */
TEST(write_all, removes_files_of_a_killed_save)
{
    begin_world();
    struct run run = { .wide = 1, .is_numbered = true };
    for (int i = 0; i < MOST; i++)
        run.paths[i] = "run/m";
    thread_comm_run(3, 0, -1, save, &run);
    memory_put(world.memory,
        "run/layers/.00000000000000000000000000000000.data."
        "0123456789abcdef.tmp",
        "left", 4);
    memory_put(world.memory,
        "run/layers/00000000000000000000000000000000.data", "left", 4);
    thread_comm_run(3, 0, -1, save, &run);
    cr_assert_eq(count_names("run/layers/x"), 2);
    check_saved("run/m-1.varve");
    check_saved("run/m-2.varve");
    end_world();
}

/* --- Concurrent use ------------------------------------------------------- */

/* A reader keeps data files open that are replaced and deleted. */
TEST(write_all, keeps_files_readable_for_open_readers)
{
    uint8_t before[16], after[16];
    varve_error error = { 0 };
    begin_world();
    struct run run = { .wide = 2 };
    thread_comm_run(4, 2, -1, save, &run);
    varve_reader *reader = open_saved(FILE_NAME);
    cr_assert_ok(varve_reader_digest(reader, before, &error), error);
    thread_comm_run(4, 2, -1, save, &run);
    cr_assert_ok(run.statuses[0], run.errors[0]);
    cr_assert_eq(count_names("layers/x"), 2, "the older files are swept");
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    cr_assert_ok(varve_reader_digest(reader, after, &error), error);
    cr_assert_eq(memcmp(before, after, sizeof before), 0);
    varve_reader_free(reader);
    check_saved(FILE_NAME);
    end_world();
}

/* Each rank has its own asynchronous save, snapshot and open restoration. */
static void save_among_others(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, 1, true);
    char path[32];
    varve_error *error = &run->errors[comm->rank];
    varve_node *own = varve_add_object(p->root, "own");
    int32_t number = 5, late = 0;
    varve_add_variable(own, "number", varve_scalar(&number));
    snprintf(path, sizeof path, "own%u", comm->rank);
    varve_snapshot *snapshot = varve_snapshot_new(p->root, error);
    varve_job *job = varve_write_async(own, path, NULL, error);
    varve_status status =
        varve_write_all(comm, p->root, FILE_NAME, &run->options, error);
    if (!status)
        status = varve_job_wait(job, error);
    varve_job_free(job);
    number = 6;
    varve_restoration *r = status ? NULL : varve_read(own, path, NULL, error);
    if (!status && (!r || number != 5))
        status = VARVE_UNMATCHED;
    set_part(p, false);
    if (!status)
        status = varve_snapshot_restore(snapshot, error);
    if (!status && values_of(p) != HAS_ALL)
        status = VARVE_UNMATCHED;
    varve_restoration_free(r);
    r = status ? NULL
               : varve_read_all(comm, p->root, FILE_NAME, NULL, error);
    if (!status && (!r || values_of(p) != HAS_ALL))
        status = VARVE_UNMATCHED;
    varve_add_variable(own, "late", varve_scalar(&late));
    if (!status)
        status = varve_write_all(comm, p->root, "b.varve", NULL, error);
    run->statuses[comm->rank] = status;
    varve_restoration_free(r);
    varve_snapshot_free(snapshot);
    free_part(p);
}

TEST(write_all, works_with_jobs_snapshots_and_open_restorations)
{
    begin_world();
    struct run run = { .wide = 1 };
    thread_comm_run(3, 0, -1, save_among_others, &run);
    for (int i = 0; i < 3; i++)
        cr_assert_ok(run.statuses[i], run.errors[i]);
    check_saved(FILE_NAME);
    check_saved("b.varve");
    check_saved("own2");
    end_world();
}

/* --- Values that cannot be saved ------------------------------------------ */

static void change_step(struct part *p, uint32_t rank)
{
    p->step += rank == 2;
}

TEST(write_all, reports_the_ranks_whose_values_differ)
{
    struct run run = { .wide = 2, .spoil = change_step };
    check_failed(&run, 4, VARVE_MISUSE,
        "step: a replicated variable differs from that of rank 0 at rank 2");
}

static void add_node(struct part *p, uint32_t rank)
{
    if (rank > 1)
        varve_add_object(p->root, "other");
}

TEST(write_all, reports_the_ranks_whose_graphs_differ)
{
    struct run run = { .wide = 2, .spoil = add_node };
    check_failed(&run, 4, VARVE_MISUSE, "found other at rank 2, 3");
}

static float longer[WEIGHTS + 1];

static void add_longer(struct part *p, uint32_t rank)
{
    varve_add_variable(
        p->root, "longer", varve_array(longer, rank == 1 ? 3 : 4));
}

TEST(write_all, reports_the_ranks_whose_shapes_differ)
{
    struct run run = { .wide = 2, .spoil = add_longer };
    check_failed(&run, 4, VARVE_MISUSE,
        "longer: rank 0 has float32[4], found float32[3] at rank 1");
}

static void overlap(struct part *p, uint32_t rank)
{
    static float two[4][2];
    uint64_t start = rank;
    varve_add_slice(p->root, "pair", varve_array(two[rank], 2),
        VARVE_SHAPE(5), &start);
}

TEST(write_all, reports_the_ranks_whose_slices_overlap)
{
    struct run run = { .wide = 2, .spoil = overlap };
    check_failed(&run, 4, VARVE_MISUSE,
        "pair: the shards of float32[5] overlap: element [1] is at rank 0 "
        "and rank 1");
}

static void leave_gap(struct part *p, uint32_t rank)
{
    static float one[4];
    uint64_t start = rank + (rank > 1);
    varve_add_slice(
        p->root, "one", varve_array(&one[rank], 1), VARVE_SHAPE(5), &start);
}

TEST(write_all, reports_parts_that_no_rank_has)
{
    struct run run = { .wide = 2, .spoil = leave_gap };
    check_failed(&run, 4, VARVE_MISUSE,
        "one: the shards do not cover float32[5]: no rank has element [2]");
}

TEST(write_all, requires_the_same_path_on_all_ranks)
{
    struct run run = { .wide = 1, .paths = { "a", "a", "b" } };
    check_failed(&run, 3, VARVE_MISUSE, "of rank 0 (b) at rank 2");
}

TEST(write_all, writes_only_the_varve_format)
{
    struct run npz = { .wide = 1, .options = { .format = VARVE_FORMAT_NPZ } };
    check_failed(&npz, 2, VARVE_MISUSE, "`format` must be VARVE_FORMAT_VARVE");
}

static void fail_state(struct part *p, uint32_t rank)
{
    p->state.save_status = rank == 1 ? VARVE_CANCELLED : VARVE_OK;
}

TEST(write_all, reports_a_failure_of_one_rank_on_all)
{
    struct run run = { .wide = 1, .spoil = fail_state };
    check_failed(&run, 3, VARVE_CALLBACK, "rank 1: ");
}

static void add_bools(struct part *p, uint32_t rank)
{
    static unsigned char bools[] = { 0, 1, 2, 1 };
    const uint64_t start = rank;
    varve_add_slice(p->root, "bools",
        varve_view(&bools[rank], VARVE_BOOL, VARVE_SHAPE(1)), VARVE_SHAPE(4),
        &start);
}

TEST(write_all, refuses_an_invalid_bool_of_one_rank)
{
    struct run run = { .wide = 2, .spoil = add_bools };
    check_failed(&run, 4, VARVE_MISUSE, "rank 2: bools: ");
}

/* --- Files ---------------------------------------------------------------- */

/* Identifies the calling rank for the system. */
static _Thread_local uint32_t this_rank;
static const struct vv_system *plain;
static int syncs[MOST];

static void save_known(const varve_comm *comm, void *user)
{
    this_rank = comm->rank;
    save(comm, user);
}

static int count_sync(void *state, int descriptor)
{
    syncs[this_rank]++;
    return plain->sync(state, descriptor);
}

static int open_not_at_1(void *state, int directory, const char *path)
{
    return this_rank == 1 ? -EACCES
                          : plain->open_to_write(state, directory, path);
}

/* Runs three ranks on one node. */
static void run_known(struct run *run)
{
    struct vv_system system = *world.context.system;
    plain = world.context.system;
    system.sync = count_sync;
    if (run->is_refused)
        system.open_to_write = open_not_at_1;
    world.context.system = &system;
    thread_comm_run(3, 0, -1, save_known, run);
    world.context.system = plain;
}

/* A rank that writes through its own cache, as on another node, must sync its
 * own files. */
TEST(write_all, syncs_on_each_rank_the_files_it_wrote)
{
    struct run run = { .wide = 1 };
    begin_world();
    run_known(&run);
    for (int i = 0; i < 3; i++)
        cr_assert_ok(run.statuses[i], run.errors[i]);
    cr_assert_eq(syncs[1], 1);
    cr_assert_eq(syncs[2], 1);
    end_world();
}

TEST(write_all, commits_nothing_if_one_rank_cannot_write)
{
    struct run run = { .wide = 1, .is_refused = true };
    begin_world();
    run_known(&run);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(run.statuses[i], VARVE_NO_PERMISSION);
        cr_assert(strstr(run.errors[i].message, "rank 1: "), "%s",
            run.errors[i].message);
    }
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_world();
}

/* --- Ranks that end ------------------------------------------------------- */

TEST(write_all, ends_on_every_rank_after_a_lost_rank)
{
    struct run run = { .wide = 1 };
    begin_world();
    long calls = thread_comm_run(3, 0, -1, save, &run);
    end_world();
    for (long i = 0; i < calls; i++) {
        begin_world();
        thread_comm_run(3, 0, i, save, &run);
        for (int k = 0; k < 3; k++)
            cr_assert_eq(run.statuses[k], VARVE_DISCONNECTED, "%s",
                run.errors[k].message);
        end_world();
    }
}
