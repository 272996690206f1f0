/* guest.h - calls of the library with a look at the process before and after.
 *
 *     GOOD(guest, varve_save(root, "ckpt", NULL, &guest->error));
 *     FAILS(guest, VARVE_NOT_FOUND, varve_latest("none", path, size, error));
 *     MAKES(guest, r, varve_read(root, "a.varve", NULL, &guest->error));
 *
 * What a call leaves on purpose is said before it, by LEAVES.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GUEST_GUEST_H
#define GUEST_GUEST_H

#include <sys/types.h>

#include <varve/varve.h>

#include "guest/look.h"

enum { ANY = -1000 }; /* more threads or files, as machine and moment have it */

struct guest {
    const char *place; /* where its directories come and go */
    const char *visit; /* which calls these are */
    size_t count;      /* elements of a large value */
    bool is_blind;     /* nothing is looked at, only what calls return */
    bool lacks_files;  /* a call may fail for that, if it says so */
    bool keeps_memory; /* an allocator of its own does */
    bool is_child;     /* forked between two of the calls */
    bool is_at_home;   /* what is open now a child must not use: it ends */
    unsigned fork_at;  /* before which call; 0: none */
    unsigned calls;
    unsigned failures;  /* what was found wrong */
    unsigned refused;   /* calls that failed for lack of files */
    int threads, files; /* more or less, on purpose, by the next call */
    struct look before;
    varve_error error;
};

/* What a visit does. It begins in an empty directory and leaves nothing in
 * memory. */
typedef void visit_function(struct guest *guest);

visit_function visit_graphs, visit_parts, visit_files, visit_answers,
    visit_failures, visit_formats, visit_layers, visit_jobs, visit_readers,
    visit_structures, visit_snapshots, visit_managers, visit_savers,
    visit_watches, visit_streams, visit_records, visit_events, visit_outputs,
    visit_groups, visit_shares, visit_too_large, visit_texts;

/* Runs all of them, each so many times, in directories of their own. Resident
 * memory must not grow from the last time but one to the last. */
void guest_run(struct guest *guest, unsigned times);

/* One more, in a directory of its own. */
void guest_visit(
    struct guest *guest, const char *name, visit_function *function);

/* All of them, in a process that is forked before each third call in turn, in
 * the long version before each; the child goes on with the visit. How many
 * forks. */
unsigned guest_run_forked(struct guest *guest);

void guest_before(struct guest *guest);
void guest_after(struct guest *guest, const char *what);

/* A complaint, unless it holds. */
void guest_expect(struct guest *guest, bool holds, const char *what);
void guest_expect_status(struct guest *guest, varve_status status,
    varve_status wanted, const char *what);

/* The first line of each callback of the program, in whatever thread. */
void guest_called_back(const char *name);
unsigned guest_bad_callbacks(void);
unsigned guest_callbacks(void);

#define CALL(guest, ...)                                                       \
    do {                                                                       \
        guest_before(guest);                                                   \
        __VA_ARGS__;                                                           \
        guest_after(guest, #__VA_ARGS__);                                      \
    } while (0)

#define FAILS(guest, wanted, ...)                                              \
    do {                                                                       \
        varve_status status_;                                                  \
        CALL(guest, status_ = __VA_ARGS__);                                    \
        guest_expect_status(guest, status_, wanted, #__VA_ARGS__);             \
    } while (0)

#define GOOD(guest, ...) FAILS(guest, VARVE_OK, __VA_ARGS__)

#define MAKES(guest, handle, ...)                                              \
    do {                                                                       \
        CALL(guest, handle = __VA_ARGS__);                                     \
        guest_expect(guest, handle != NULL, #__VA_ARGS__);                     \
    } while (0)

#define REFUSES(guest, wanted, ...)                                            \
    do {                                                                       \
        const void *handle_;                                                   \
        CALL(guest, handle_ = __VA_ARGS__);                                    \
        guest_expect(guest, !handle_, #__VA_ARGS__);                           \
        guest_expect_status(                                                   \
            guest, (guest)->error.status, wanted, #__VA_ARGS__);               \
    } while (0)

#define LEAVES(guest, more_threads, more_files)                                \
    ((guest)->threads = (more_threads), (guest)->files = (more_files))

#endif
