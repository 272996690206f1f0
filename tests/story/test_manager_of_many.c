/* test_manager_of_many.c - Tests a collective manager: after a signal to one
 * process all save the same step; if one is killed, the others end, and fewer
 * processes resume from a step that all had saved.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <varve/processes.h>
#include <varve/slice.h>

enum { RANKS = 3, TOTAL = 1000, TOO_LONG = 60 /* seconds */ };

/* Reports of the processes to the test. */
struct board {
    volatile int64_t steps;        /* steps made by rank 0 */
    volatile int64_t began[RANKS]; /* first step */
    volatile int64_t saved[RANKS]; /* last saved step */
    volatile int is_wrong;
};

/* A program that saves at each step, or when requested, and then ends. */
struct life {
    struct board *board;
    const char *directory;
    uint32_t size;
    bool saves_all;
};

static varve_manager *manager;

static void ask_for_save(int number)
{
    (void)number;
    varve_manager_request_save(manager);
}

/* Its numbers and the step to which they belong. */
struct slab {
    float numbers[TOTAL];
    uint64_t first, count;
    int64_t step;
};

static void set_numbers(struct slab *s)
{
    for (uint64_t i = 0; i < s->count; i++)
        s->numbers[i] = (float)(s->first + i) + (float)s->step;
}

static bool has_numbers(const struct slab *s)
{
    bool good = true;
    for (uint64_t i = 0; i < s->count && s->step > 0; i++)
        good &= s->numbers[i] == (float)(s->first + i) + (float)s->step;
    return good;
}

static void rest(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static varve_status make_steps(const struct life *life, struct slab *s,
    uint32_t rank, varve_error *error)
{
    struct board *board = life->board;
    bool has_saved = false;
    while (life->saves_all || !has_saved) {
        s->step++;
        set_numbers(s);
        varve_status status = varve_manager_save(manager, s->step, error);
        if (status)
            return status;
        if (varve_manager_saved(manager)) {
            board->saved[rank] = s->step;
            has_saved = true;
        }
        board->steps += rank == 0;
        rest();
    }
    return VARVE_OK;
}

static varve_status live(
    const struct life *life, const varve_comm *comm, varve_error *error)
{
    struct slab s = { .first = (uint64_t)TOTAL * comm->rank / comm->size };
    s.count = (uint64_t)TOTAL * (comm->rank + 1) / comm->size - s.first;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_slice(root, "numbers", varve_array(s.numbers, s.count),
        VARVE_SHAPE(TOTAL), &s.first);
    varve_add_variable(root, "step", varve_scalar(&s.step));
    const varve_manager_options options = {
        .interval_steps = life->saves_all ? 1 : 1u << 30,
        .keep_last = 3,
        .comm = comm,
    };
    manager = varve_manager_new(root, life->directory, &options, error);
    varve_status status =
        manager ? varve_manager_resume(manager, error) : error->status;
    if (!status) {
        life->board->began[comm->rank] = s.step;
        life->board->is_wrong |= !has_numbers(&s);
        signal(SIGTERM, ask_for_save);
        status = make_steps(life, &s, comm->rank, error);
    }
    varve_manager_free(manager);
    varve_graph_free(graph);
    return status;
}

/* Forks the processes, sends a signal to one of them after some steps, and
 * waits for all; the others must end with `wanted`. */
static void run(const struct life *life, int number, varve_status wanted)
{
    varve_error error = { 0 };
    pid_t children[RANKS];
    const uint32_t victim = life->size - 1;
    varve_processes *all = varve_processes_new(life->size, NULL, &error);
    cr_assert(all, "%s", error.message);
    life->board->steps = 0;
    for (uint32_t i = 0; i < life->size; i++) {
        if ((children[i] = fork()) > 0)
            continue;
        alarm(TOO_LONG);
        const varve_comm *comm = varve_processes_join(all, i, &error);
        varve_status status = comm ? live(life, comm, &error) : error.status;
        varve_processes_free(all);
        if (status != wanted)
            fprintf(stderr, "rank %u: %s\n", i, error.message);
        _exit(status == wanted ? 0 : 1);
    }
    varve_processes_free(all);
    for (int i = 0; i < 20000 && life->board->steps < 5; i++)
        rest();
    cr_assert_eq(kill(children[victim], number), 0);
    for (uint32_t i = 0; i < life->size; i++) {
        int status;
        cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
        if (WIFSIGNALED(status))
            cr_assert(i == victim && WTERMSIG(status) == number);
        else
            cr_assert_eq(WEXITSTATUS(status), 0, "rank %u", i);
    }
    cr_assert_not(life->board->is_wrong);
}

static struct board *new_board(void)
{
    void *board = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(board, MAP_FAILED);
    return board;
}

TEST(manager_of_many, a_signal_to_one_rank_makes_all_save_the_same_step)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", test_path("run"));
    struct board *board = new_board();
    struct life life = { board, directory, RANKS, false };
    run(&life, SIGTERM, VARVE_OK);
    int64_t saved = board->saved[0];
    cr_assert_geq(saved, 5, "not only the first step");
    for (uint32_t i = 0; i < RANKS; i++)
        cr_assert_eq(board->saved[i], saved);
    life.size = 2;
    run(&life, SIGTERM, VARVE_OK);
    cr_assert_eq(board->began[0], saved);
    cr_assert_eq(board->began[1], saved);
    munmap(board, sizeof *board);
}

TEST(manager_of_many, fewer_ranks_resume_after_one_was_killed)
{
    char directory[512];
    snprintf(directory, sizeof directory, "%s", test_path("run"));
    struct board *board = new_board();
    struct life life = { board, directory, RANKS, true };
    for (int i = 0; i < 6; i++) {
        int64_t saved = board->saved[0];
        life.size = i % 2 ? 2 : RANKS;
        run(&life, SIGKILL, VARVE_DISCONNECTED);
        cr_assert_geq(board->began[0], saved, "what all had saved is there");
        cr_assert_eq(board->began[1], board->began[0]);
        cr_assert_gt(board->saved[0], saved);
    }
    munmap(board, sizeof *board);
}
