/* guest.c - Runs visits, compares the process before and after each call, and
 * forks between calls.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "guest/guest.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest/place.h"
#include "support/proof.h"
#include "support/registers.h"

enum {
    NOT_REACHED = 3,
    MOST_CALLS = 1000,  /* in one visit */
    USUAL_STEP = 3,     /* calls between forks; 1 in the long version */
    MOST_GROWTH = 2048, /* KiB of growth of a repeated visit */
    MOST_WAITS = 200    /* ms until an ended thread has disappeared */
};

#define VISIT(name)                                                            \
    {                                                                          \
#name, visit_##name                                                    \
    }

static const struct visit {
    const char *name;
    visit_function *function;
} visits[] = { VISIT(graphs), VISIT(parts), VISIT(files), VISIT(answers),
    VISIT(failures), VISIT(formats), VISIT(layers), VISIT(jobs), VISIT(readers),
    VISIT(structures), VISIT(snapshots), VISIT(managers), VISIT(savers),
    VISIT(watches), VISIT(streams), VISIT(records), VISIT(events),
    VISIT(groups), VISIT(shares), VISIT(outputs) };

enum { VISITS = sizeof visits / sizeof *visits };

/* --- Complaints --------------------------------------------------------- */

static void complain(struct guest *guest, const char *what, const char *about)
{
    guest->failures++;
    fprintf(stderr, "%s%s: %.200s: %s\n", guest->visit,
        guest->is_child ? ", in a child" : "", what, about);
}

void guest_expect(struct guest *guest, bool holds, const char *what)
{
    if (!holds)
        complain(guest, what,
            guest->error.status ? guest->error.message : "does not hold");
}

void guest_expect_status(struct guest *guest, varve_status status,
    varve_status wanted, const char *what)
{
    char text[LOOK_TEXT];
    if (status == wanted)
        return;
    if (guest->lacks_files && status == VARVE_IO &&
        guest->error.system_error == EMFILE) {
        guest->refused++;
        return;
    }
    snprintf(text, sizeof text, "expected %s, found %s: %.200s",
        varve_status_name(wanted), varve_status_name(status),
        guest->error.message);
    complain(guest, what, text);
}

/* --- Callbacks ---------------------------------------------------------- */

static atomic_uint callbacks, bad_callbacks;

void guest_called_back(const char *name)
{
    bool is_in_use = registers_in_use();
    callbacks++;
    if (is_in_use && bad_callbacks++ == 0)
        fprintf(stderr, "%s: called with vector registers in use\n", name);
}

unsigned guest_bad_callbacks(void)
{
    return bad_callbacks;
}

unsigned guest_callbacks(void)
{
    return callbacks;
}

/* --- One call ----------------------------------------------------------- */

/* Forks. The parent waits for its child and exits with its status. */
static void fork_here(struct guest *guest)
{
    int state = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0 && guest->is_at_home)
        exit(guest->failures > 0);
    if (child == 0) {
        guest->is_child = true;
        return;
    }
    if (child < 0 || waitpid(child, &state, 0) != child)
        _exit(1);
    if (WIFSIGNALED(state))
        fprintf(stderr, "%s: a child forked before call %u ended by %s\n",
            guest->visit, guest->calls, strsignal(WTERMSIG(state)));
    _exit(WIFEXITED(state) ? WEXITSTATUS(state) : 1);
}

void guest_before(struct guest *guest)
{
    guest->calls++;
    if (guest->calls == guest->fork_at)
        fork_here(guest);
    if (!guest->is_blind)
        look_at(&guest->before);
    registers_clear();
}

/* Looks at the process. A thread remains visible for a moment after it was
 * joined. */
static void look_after(
    const struct look *before, struct look *after, bool is_patient)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    look_at(after);
    bool is_in_use = after->is_in_use;
    for (int i = 0; i < MOST_WAITS && is_patient; i++) {
        if (after->threads == before->threads)
            break;
        nanosleep(&moment, NULL);
        look_at(after);
    }
    after->is_in_use = is_in_use;
}

static void compare(
    struct guest *guest, const struct look *before, const char *what)
{
    struct look after;
    char text[LOOK_TEXT];
    if (guest->is_blind)
        return;
    look_after(before, &after, guest->threads != ANY);
    if (guest->files == ANY)
        after.files = before->files;
    if (guest->threads == ANY || guest->is_child) /* only this thread */
        after.threads = before->threads;
    look_differs(before, &after, text);
    if (text[0])
        complain(guest, what, text);
}

void guest_after(struct guest *guest, const char *what)
{
    if (guest->threads != ANY)
        guest->before.threads += guest->threads;
    if (guest->files != ANY)
        guest->before.files += guest->files;
    compare(guest, &guest->before, what);
    LEAVES(guest, 0, 0);
}

/* --- Visits ------------------------------------------------------------- */

void guest_visit(
    struct guest *guest, const char *name, visit_function *function)
{
    char place[PLACE_SIZE];
    struct look before;
    guest->visit = name;
    guest->is_at_home = false;
    LEAVES(guest, 0, 0);
    memset(&guest->error, 0, sizeof guest->error);
    if (!place_enter(guest->place, place)) {
        complain(guest, place, "cannot be made");
        return;
    }
    look_at(&before);
    function(guest);
    compare(guest, &before, "all of the visit");
    /* The parent of a child may still write there. */
    if (!place_leave(guest->place, place) && !guest->is_child)
        complain(guest, place, "cannot be removed");
}

void guest_run(struct guest *guest, unsigned times)
{
    long resident = 0;
    for (size_t i = 0; i < VISITS; i++) {
        for (unsigned time = 0; time < times; time++) {
            if (time + 1 == times)
                resident = look_resident();
            guest_visit(guest, visits[i].name, visits[i].function);
        }
        long growth = look_resident() - resident;
        if (times > 1 && growth > MOST_GROWTH && !guest->keeps_memory)
            complain(guest, "resident memory", "has grown");
    }
}

/* Runs a visit with a fork before call `at`. Returns false if it has fewer
 * calls. */
static bool run_to(struct guest *guest, const struct visit *which, unsigned at)
{
    int state = 0;
    pid_t child = fork();
    if (child == 0) {
        guest->fork_at = at;
        guest->calls = 0;
        guest->failures = 0;
        guest_visit(guest, which->name, which->function);
        if (!guest->is_child)
            _exit(guest->failures ? 1 : NOT_REACHED);
        exit(guest->failures > 0);
    }
    bool is_good = child > 0 && waitpid(child, &state, 0) == child &&
                   WIFEXITED(state) && WEXITSTATUS(state) != 1;
    if (!is_good) {
        guest->visit = which->name;
        char what[40];
        snprintf(what, sizeof what, "a fork before call %u", at);
        complain(guest, what, "ended badly");
    }
    return !is_good || WEXITSTATUS(state) != NOT_REACHED;
}

unsigned guest_run_forked(struct guest *guest)
{
    unsigned forks = 0, step = proof_is_long() ? 1 : USUAL_STEP;
    for (size_t i = 0; i < VISITS; i++) {
        unsigned at = 1 + (unsigned)i % step;
        for (; at < MOST_CALLS && run_to(guest, &visits[i], at); at += step)
            forks++;
    }
    return forks;
}
