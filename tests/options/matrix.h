/* matrix.h - what the two halves of the test share: a disk in memory whose
 * calls are counted, ranks as threads, and the verdicts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef OPTIONS_MATRIX_H
#define OPTIONS_MATRIX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "reader.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "support/thread_comm.h"

enum { RANKS = 2 };

/* The disk of one trial. */
struct disk {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
};

static inline void disk_begin(struct disk *d)
{
    d->memory = memory_new();
    d->faulty = faulty_new(memory_system(d->memory));
    d->context = test_context(faulty_system(d->faulty));
}

static inline void disk_end(struct disk *d)
{
    cr_assert_eq(memory_open_count(d->memory), 0);
    faulty_free(d->faulty);
    memory_free(d->memory);
}

/* Calls of these kinds in the log from `from` on. */
static inline long disk_calls(
    const struct disk *d, unsigned kinds, size_t from)
{
    long count = 0;
    size_t size = faulty_log_size(d->faulty);
    for (size_t i = from; (i = faulty_log_find(d->faulty, kinds, i)) < size;
         i++)
        count++;
    return count;
}

/* What a call made of an option. */
enum verdict {
    HONOURED = 'y',   /* its effect is there, and is not without it */
    ALWAYS = 'a',     /* its effect is there, without it as well */
    REFUSED = 'n',    /* VARVE_MISUSE, or VARVE_TOO_NEW, with its name */
    DOCUMENTED = 'd', /* no effect, as a header says */
    IGNORED = '!',    /* no effect: what this test is to find */
    FAILED = 'X'      /* another failure */
};

/* A header says that a call takes an option without effect. */
struct exception {
    const char *option;
    const char *calls; /* what the names of these calls contain, parted by '|';
                          "": all */
    const char *header;
    const char *quote; /* as there, but for where its lines end */
};

/* Whether any of the alternatives, parted by '|', is in the text. */
bool has_any(const char *text, const char *alternatives);

/* Whether a header has the quote. */
bool is_quoted(const struct exception *e);

/* Asserts that each field has a row that covers it, and each taker a call;
 * both lists end with NULL. `covered` has the names parted by spaces. */
void check_covered(
    const char *const *names, const char *covered, const char *what);

/* Compares a table with the file of that name beside this one. */
void check_table(const char *name, const char *table);

#endif
