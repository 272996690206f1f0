/* matrix.h - Declares the common parts of the tests of options: an in-memory
 * disk that counts calls, ranks as threads, and results.
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

/* Counts calls of these kinds in the log from `from` on. */
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

/* The result of a call with an option. */
enum verdict {
    HONOURED = 'y',   /* the effect is observed only with the option */
    ALWAYS = 'a',     /* the effect is also observed without it */
    REFUSED = 'n',    /* VARVE_MISUSE or VARVE_TOO_NEW with the option's name */
    DOCUMENTED = 'd', /* no effect, as documented in a header */
    IGNORED = '!',    /* no effect: the error that this test finds */
    FAILED = 'X'      /* another failure */
};

/* A call in which an option has no effect, according to a header. */
struct exception {
    const char *option;
    /* substrings of the call names, separated by '|'; "": all */
    const char *calls;
    const char *header;
    const char *quote; /* text of the header, except for line breaks */
};

/* Returns true if the text contains one of the alternatives, which are
 * separated by '|'. */
bool has_any(const char *text, const char *alternatives);

/* Returns true if a header contains the quote. */
bool is_quoted(const struct exception *e);

/* Asserts that each field is covered by a row, and each function that takes the
 * options by a call. Both lists end with NULL. `covered` contains names
 * separated by spaces. */
void check_covered(
    const char *const *names, const char *covered, const char *what);

/* Compares a table with the file of that name in this folder. */
void check_table(const char *name, const char *table);

#endif
