/* killing.c - Forks processes that save without exec until they are killed.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "crash/killing.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

/* --- What is saved -------------------------------------------------------- */

void killing_fill(struct killing_model *model, uint64_t step)
{
    for (int i = 0; i < KILLING_NUMBERS; i++)
        model->weights[i] = (float)step;
    for (int i = 0; i < 20; i++)
        model->counts[i] = step;
    model->step = step;
}

void killing_begin_model(struct killing_model *model)
{
    *model = (struct killing_model){ .graph = varve_graph_new(NULL) };
    varve_node *root = varve_graph_root(model->graph);
    varve_node *layer = varve_add_object(root, "layer");
    varve_add_variable(layer, "weights",
        varve_array(model->weights, KILLING_NUMBERS / 10, 10));
    varve_add_variable(layer, "counts", varve_array(model->counts, 20));
    varve_add_variable(root, "step", varve_scalar(&model->step));
}

void killing_end_model(struct killing_model *model)
{
    varve_graph_free(model->graph);
}

static void read_value(
    varve_reader *reader, const char *path, void *to, size_t size)
{
    varve_saved_node node;
    varve_error error = { 0 };
    cr_assert(varve_reader_find(reader, path, &node), "%s: %s is missing",
        varve_reader_path(reader), path);
    cr_assert_eq(node.size, size);
    cr_assert_ok(
        varve_reader_read(reader, node.id, to, size, &error), error);
}

uint64_t killing_step_of(const char *path)
{
    static struct killing_model found, expected;
    varve_error error = { 0 };
    varve_reader *reader =
        varve_reader_open(path, test_allocator(), &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader,
        &(varve_verify_options){ .threads = 1 }, &error), error);
    read_value(reader, "layer/weights", found.weights, sizeof found.weights);
    read_value(reader, "layer/counts", found.counts, sizeof found.counts);
    read_value(reader, "step", &found.step, sizeof found.step);
    varve_reader_free(reader);
    killing_fill(&expected, found.step);
    cr_assert_eq(memcmp(found.weights, expected.weights,
        sizeof found.weights), 0, "%s: values of two saves", path);
    cr_assert_eq(memcmp(found.counts, expected.counts,
        sizeof found.counts), 0, "%s: values of two saves", path);
    return found.step;
}

/* --- Who saves ------------------------------------------------------------ */

struct killing_saver *killing_share(void)
{
    struct killing_saver *savers = mmap(NULL,
        KILLING_SAVERS * sizeof *savers, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(savers, MAP_FAILED);
    return savers;
}

void killing_unshare(struct killing_saver *savers)
{
    munmap(savers, KILLING_SAVERS * sizeof *savers);
}

uint64_t killing_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Makes the kernel kill the process at a given time, at any instruction. */
static void set_timer(uint64_t time)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL };
    struct itimerspec when = {
        .it_value.tv_sec = (time_t)(time / 1000000000),
        .it_value.tv_nsec = (long)(time % 1000000000) };
    timer_t timer;
    event.sigev_signo = SIGKILL;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
        timer_settime(timer, 0, &when, NULL))
        _exit(2);
}

/* Returns only if the test process has ended; otherwise the process is
 * killed. */
static void save_for_ever(
    struct killing_saver *saver, const struct killing_plan *plan)
{
    pid_t test = getppid();
    if (plan->time)
        set_timer(plan->time);
    for (uint64_t step = plan->first; getppid() == test;
         step += plan->stride) {
        uint64_t begin = killing_now();
        killing_fill(plan->model, step);
        saver->begun = step;
        varve_status status = plan->save(plan->model, step, &saver->error);
        if (status == VARVE_OK)
            saver->done = step;
        else if (status != VARVE_EXISTS)
            saver->has_failed = true;
        saver->duration = killing_now() - begin;
        saver->saves++;
    }
    _exit(1);
}

void killing_start(
    struct killing_saver *saver, const struct killing_plan *plan)
{
    saver->begun = 0;
    saver->done = 0;
    saver->saves = 0;
    pid_t process = fork();
    cr_assert_geq(process, 0, "no process");
    if (process == 0)
        save_for_ever(saver, plan);
    /* set by the parent only: both processes share this memory */
    saver->process = process;
}

static void wait_for_saves(const struct killing_saver *saver, uint64_t saves)
{
    uint64_t begin = killing_now();
    while (saver->saves < saves && !saver->has_failed) {
        sched_yield();
        cr_assert_lt(killing_now() - begin, 60 * UINT64_C(1000000000),
            "a save does not end");
    }
}

static void kill_within(const struct killing_saver *saver, uint64_t chance)
{
    wait_for_saves(saver, chance % 4);
    uint64_t duration = saver->duration ? saver->duration : 100000;
    uint64_t until = killing_now() + chance / 4 % (duration + duration / 4);
    while (killing_now() < until)
        ;
    kill(saver->process, SIGKILL);
}

void killing_end(struct killing_saver *saver, bool has_timer, uint64_t chance)
{
    int status;
    if (!has_timer)
        kill_within(saver, chance);
    cr_assert_eq(waitpid(saver->process, &status, 0), saver->process);
    cr_assert_not(saver->has_failed, "%s", saver->error.message);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
        "the process ended without a kill");
}
