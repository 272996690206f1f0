/* operations_kill.c - Tests processes that are killed while they save, and the
 * files that the next process finds.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/managed.h"
#include "mix/operations.h"
#include "layer_prune.h"
#include "support/faulty_system.h"

/* --- Writes --------------------------------------------------------------- */

/* Waits with a timeout: an alarm would conflict with that of a fuzzer. */
static void wait_for(pid_t child)
{
    int status;
    pid_t ended;
    MIX_CHECK(child > 0, "no child");
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    MIX_CHECK(ended == child, "no child");
    MIX_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "a child ended with %d", status);
}

static int die(void *user, uint64_t done, uint64_t total, const char *what)
{
    int *left = user;
    (void)done;
    (void)total;
    (void)what;
    if ((*left)-- == 0)
        _exit(0);
    return 0;
}

/* The child's function, in which it is killed. */
typedef void save_and_die(struct mix *m, varve_node *root, const char *path,
    const varve_write_options *options);

/* Afterwards either the old or the new file must exist, complete, and a save
 * must succeed.
 */
static void kill_one(struct mix *m, uint8_t at, uint8_t slot,
    save_and_die *save, const varve_write_options *options)
{
    struct mix_graph *g = &m->graphs[at];
    struct mix_file *file = &m->files[slot];
    struct mix_file new = mix_file_of(&g->shape, 0, VARVE_FORMAT_VARVE);
    mix_finish_all(m);
    if (file->is_there && file->format != VARVE_FORMAT_VARVE)
        return;
    if (mix_has_parts(&g->shape, 0))
        return; /* a save is refused */
    const char *path = mix_file_path(m, slot, VARVE_FORMAT_VARVE);
    if (!file->is_there && access(path, F_OK) == 0)
        return; /* of a snapshot that is not modelled */
    mix_say(m, "(a child is killed that saves g%dn0 as \"%s\"%s%s)", at,
        path,
        options->incremental ? ", .incremental" : "",
        options->compress ? ", .compress" : "");
    pid_t child = fork();
    if (child == 0)
        save(m, g->nodes[0], path, options);
    wait_for(child);
    if (access(path, F_OK) != 0) {
        MIX_CHECK(!file->is_there, "%s is gone", path);
        return;
    }
    bool is_older = file->is_there && mix_file_holds(m, path, file);
    bool is_newer = mix_file_holds(m, path, &new);
    MIX_CHECK(is_older || is_newer, "%s is neither the older nor the newer one",
        path);
    if (is_newer)
        *file = new;
    if (is_newer && is_older)
        file->is_there = false; /* both look the same: not used */
}

static void write_and_die(struct mix *m, varve_node *root, const char *path,
    const varve_write_options *options)
{
    _exit(varve_write(root, path, options, &m->error) != VARVE_OK);
}

/* Kills at some progress callback. */
void mix_kill(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    int left = c % 4;
    const varve_write_options options = { .pending = VARVE_PENDING_OMIT,
        .progress = die,
        .progress_user = &left,
        .compress = c / 4 % 2 * MIX_LEVEL };
    if (a % 8 == 0) /* takes long */
        kill_one(m, mix_pick_graph(m, a), b % MIX_ORDINARY_FILES,
            write_and_die, &options);
}

static void stop(void *user)
{
    (void)user;
    _exit(0);
}

/* Saves twice, so that the second checkpoint shares data files with the first
 * and unreferenced data files are deleted. */
static void save_behind_and_die(struct mix *m, varve_node *root,
    const char *path, const varve_write_options *options)
{
    unsigned count = options->async.in_flight;
    const struct faulty_plan plan = { .number = (long)count,
        .way = FAULTY_STOPS,
        .stop = stop };
    varve_write_options own = *options;
    own.async.in_flight = 0;
    faulty_plan(m->faulty, &plan);
    varve_job *first = varve_write_async(root, path, &own, &m->error);
    varve_job *second = varve_write_async(root, path, &own, &m->error);
    bool is_done = varve_job_wait(first, &m->error) == VARVE_OK &&
                   varve_job_wait(second, &m->error) == VARVE_OK &&
                   vv_prune_layers(&m->context, path, &m->error) == VARVE_OK;
    _exit(!is_done);
}

/* Kills at some system call, on any thread. */
void mix_kill_behind(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    const varve_write_options options = { .pending = VARVE_PENDING_OMIT,
        .incremental = b & 64,
        .async.zero_copy = b & 128,
        .compress = a / 8 % 2 * MIX_LEVEL,
        .async.in_flight = c };
    if (a % 8 == 0) /* takes long */
        kill_one(m, mix_pick_graph(m, a), b % 64 % MIX_ORDINARY_FILES,
            save_behind_and_die, &options);
}

/* --- Managers ------------------------------------------------------------- */

enum { SAVES = 3 };

/* The child's function: it saves a few times with a manager, the first time
 * with or without a pin, and reports each save; it is killed at some system
 * call. */
static _Noreturn void manage_and_die(struct mix *m, varve_node *root,
    const char *directory, bool pins, volatile unsigned *done)
{
    const varve_write_options write = { .pending = VARVE_PENDING_OMIT };
    const varve_manager_options options = { .keep_last = MIX_KEEP,
        .write = &write,
        .run = "mix",
        .may_start_new_run = true };
    varve_manager *own =
        varve_manager_new(root, directory, &options, &m->error);
    for (int step = 0; step < SAVES; step++) {
        varve_manager_save_options with = { .pin = pins && step == 0 };
        if (!own || varve_manager_save_with(own, step, &with, &m->error))
            _exit(1);
        ++*done;
    }
    _exit(0);
}

static unsigned kill_at(
    struct mix *m, uint8_t graph, const char *directory, bool pins, long call)
{
    const struct faulty_plan plan = { .number = call,
        .way = FAULTY_STOPS,
        .stop = stop };
    static unsigned *done;
    if (!done)
        done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *done = 0;
    pid_t child = fork();
    if (child == 0) {
        faulty_plan(m->faulty, &plan);
        manage_and_die(m, m->graphs[graph].nodes[0], directory, pins, done);
    }
    wait_for(child);
    return *done;
}

static uint64_t newest_of(const varve_manager *manager)
{
    size_t count = varve_manager_count(manager);
    varve_checkpoint_info managed = { 0 };
    if (count)
        (void)!varve_manager_at(manager, count - 1, &managed);
    return managed.number;
}

/* Adds the saves of the child to the model: those that it reported, and
 * possibly one more. */
static void take_over(
    struct mix *m, const struct mix_manager *manager, bool pins, unsigned done)
{
    struct mix_directory *d = &m->managed[manager->directory];
    struct mix_file new = mix_file_of(
        &m->graphs[manager->graph].shape, 0, VARVE_FORMAT_VARVE);
    uint64_t counter = m->graphs[manager->graph].counter;
    uint64_t first = mix_directory_next(d, counter);
    uint64_t newest = newest_of(manager->manager);
    uint64_t saves = newest >= first ? newest - first + 1 : 0;
    MIX_CHECK(saves == done || (saves == done + 1 && saves <= SAVES),
        "%u saves were done, and the newest is of save %d", done, (int)saves);
    MIX_CHECK(saves || newest == (d->count ? d->numbers[d->count - 1] : 0),
        "the previous newest checkpoint is missing");
    if (pins && !saves)
        d->maybe_pinned = first;
    for (unsigned i = 0; i < saves; i++) {
        counter = mix_directory_add(d, counter, new);
        d->is_pinned[d->count - 1] = pins && i == 0;
        mix_prune(d);
    }
}

/* Afterwards the last reported checkpoint or the next one must exist, and all
 * existing ones must be intact. */
void mix_kill_manager(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, b / MIX_MANAGERS), number = b % MIX_MANAGERS;
    struct mix_manager *manager = &m->managers[number];
    const struct mix_directory *d = &m->managed[number];
    bool pins = a & 8;
    if (a % 8 || d->count + SAVES > MIX_KEPT ||
        mix_has_parts(&m->graphs[at].shape, 0))
        return; /* takes long, or is refused */
    mix_finish_all(m);
    mix_end_manager(m, 0, number, 0);
    m->trouble = MIX_NO_TROUBLE;
    mix_say(m,
        "(another process saves g%dn0 in \"m%d\"%s; killed at call %d)", at,
        number, pins ? ", .pin" : "", c);
    unsigned done = kill_at(m, at, mix_path(m, "m%d", number), pins, c);
    mix_manage(m, at, number, 0);
    take_over(m, manager, pins, done);
    mix_expect(m, "varve_manager_prune",
        varve_manager_prune(manager->manager, &m->error), VARVE_OK, VARVE_OK);
    mix_look_at_directory(m, manager);
    for (uint8_t i = 0; i < d->count && !d->may_have_more; i++) {
        varve_checkpoint_info managed;
        MIX_CHECK(varve_manager_at(manager->manager, i, &managed), "no %d", i);
        mix_look_at_file(m, managed.path, &d->files[i]);
    }
    mix_resume(m, 0, number, 0);
}
