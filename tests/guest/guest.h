/* guest.h - Declares calls of the library that compare the process before and
 * after.
 *
 *     GOOD(guest, varve_save(root, "ckpt", NULL, &guest->error));
 *     FAILS(guest, VARVE_NOT_FOUND, varve_latest("none", path, size, error));
 *     MAKES(guest, r, varve_read(root, "a.varve", NULL, &guest->error));
 *
 * LEAVES before a call permits threads and files that it keeps on purpose. A
 * visit is a sequence of such calls on one subject.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GUEST_GUEST_H
#define GUEST_GUEST_H

#include <sys/types.h>

#include <varve/varve.h>

#include "guest/look.h"

/* any number of threads or files, depending on system and timing */
enum { ANY = -1000 };

struct guest {
    const char *place; /* the parent of its temporary directories */
    const char *visit; /* name of the current visit */
    size_t count;      /* elements of a large value */
    bool is_blind;     /* check only results, not the process */
    bool lacks_files;  /* calls may fail with too many open files */
    bool keeps_memory; /* the allocator keeps freed memory */
    bool is_child;     /* forked between two calls */
    bool is_at_home;   /* a child must not use the current objects and exits */
    unsigned fork_at;  /* number of the call; 0: none */
    unsigned calls;
    unsigned failures;  /* differences found */
    unsigned refused;   /* calls that failed with too many open files */
    int threads, files; /* expected change by the next call */
    struct look before;
    varve_error error;
};

/* A sequence of calls. Starts in an empty directory and frees all memory. */
typedef void visit_function(struct guest *guest);

visit_function visit_graphs, visit_parts, visit_files, visit_answers,
    visit_failures, visit_formats, visit_layers, visit_jobs, visit_readers,
    visit_structures, visit_snapshots, visit_managers, visit_savers,
    visit_watches, visit_streams, visit_records, visit_events, visit_outputs,
    visit_groups, visit_shares, visit_too_large, visit_texts;

/* Runs each visit `times` times in separate directories. Resident memory must
 * not grow in the last repetition. */
void guest_run(struct guest *guest, unsigned times);

/* Runs a visit in a separate directory. */
void guest_visit(
    struct guest *guest, const char *name, visit_function *function);

/* Runs all visits in processes that fork before every third call, in the long
 * version before each; the child continues the visit. Returns the number of
 * forks. */
unsigned guest_run_forked(struct guest *guest);

void guest_before(struct guest *guest);
void guest_after(struct guest *guest, const char *what);

/* Reports a failure unless `holds` is true. */
void guest_expect(struct guest *guest, bool holds, const char *what);
void guest_expect_status(struct guest *guest, varve_status status,
    varve_status wanted, const char *what);

/* Called first in each callback of the program, on any thread. */
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
