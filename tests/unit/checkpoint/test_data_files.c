/* test_data_files.c - Tests the data files of a collective save, and failures
 * of system calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <varve/reader.h>

#include "reader.h"
#include "support/faulty_system.h"
#include "together_world.h"

enum { RANKS = 3 };

static struct run {
    varve_write_options options;
    int first; /* offset of the weights, which differs for each save */
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
    bool is_over;
} run;

static void save(const varve_comm *comm, void *user)
{
    (void)user;
    struct part *p = new_part(comm, 1, true);
    p->weights[0] = (float)run.first;
    run.statuses[comm->rank] = varve_write_all(
        comm, p->root, FILE_NAME, &run.options, &run.errors[comm->rank]);
    free_part(p);
}

/* Fails each system call on each rank: all ranks must get the same status, and
 * either the previous or the new checkpoint must exist. */
static void check_faults_so(unsigned kinds, int number_of_errno)
{
    for (long number = 0; !run.is_over; number++) {
        begin_world();
        const struct vv_system *under = world.context.system;
        thread_comm_run(RANKS, 2, -1, save, NULL);
        cr_assert_ok(run.statuses[0], run.errors[0]);
        run.first++;
        struct faulty *faulty = faulty_new(under);
        world.context.system = faulty_system(faulty);
        faulty_plan(faulty, &(struct faulty_plan){ .number = number,
                                .kinds = kinds,
                                .error = number_of_errno });
        thread_comm_run(RANKS, 2, -1, save, NULL);
        run.is_over = number >= faulty_count(faulty);
        for (int i = 1; i < RANKS; i++) {
            cr_assert_eq(run.statuses[i], run.statuses[0], "%ld: %s, %s",
                number, run.errors[i].message, run.errors[0].message);
            if (run.statuses[0])
                cr_assert_str_eq(
                    run.errors[i].message, run.errors[0].message);
        }
        world.context.system = under;
        faulty_free(faulty);
        varve_reader_free(open_world(FILE_NAME));
        end_world();
    }
    run.is_over = false;
}

/* For full, incremental, and compressed saves. */
static void check_faults(unsigned kinds, int number_of_errno)
{
    for (int i = 0; i < 3; i++) {
        run.options.incremental = i == 1;
        run.options.compress = i == 2;
        check_faults_so(kinds, number_of_errno);
    }
}

TEST(data_files, lose_nothing_if_a_write_fails)
{
    check_faults(FAULTY_WRITE, ENOSPC);
}

TEST(data_files, lose_nothing_if_a_sync_fails)
{
    check_faults(FAULTY_SYNC, EIO);
}

TEST(data_files, lose_nothing_if_a_file_cannot_be_created_or_opened)
{
    check_faults(FAULTY_CREATE | FAULTY_OPEN, EMFILE);
}

TEST(data_files, lose_nothing_if_any_call_fails)
{
    check_faults(FAULTY_ALL, EIO);
}
