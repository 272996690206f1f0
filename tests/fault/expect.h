/* expect.h - which faults there are, and what a call may say about each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAULT_EXPECT_H
#define FAULT_EXPECT_H

#include "fault/world.h"

/* A way to break a call to the system. */
struct fault {
    const char *name;
    enum faulty_way way;
    int error;             /* for FAULTY_FAILS */
    varve_status expected; /* what a call says that it stopped */
};

extern const struct fault faults[];
extern const size_t fault_count;

/* How many calls a fault breaks. */
enum spread { ONCE, ALL_AFTER, ALL_OF_KIND_AFTER, SPREADS };

/* "run, call 7 (write), EIO, and all after it" is broken by `first`; a second
 * fault is an error at a later call, or NULL. */
struct attempt {
    const struct scenario *scenario;
    bool is_big; /* the model has large values */
    long number;
    const struct fault *first;
    enum spread spread;
    long second_number;
    const struct fault *second;
    bool second_sticky;
    bool without_memory; /* an allocation failed as well */
};

/* Writes what was tried; `kind` is that of the call that broke. */
void attempt_text(const struct attempt *attempt, enum faulty_kind kind,
    char *text, size_t size);

/* Asserts that status and message tell the truth about the calls that failed,
 * as the log has them: nothing that matters failed if the status is VARVE_OK;
 * else it is that of one of the faults, the outcome is unknown if and only if
 * the sync of the directory failed, and the message names a call that failed,
 * its error and its path. */
void expect_truth(const struct world *world, const struct attempt *attempt,
    varve_status status, const varve_error *error, const char *where);

/* Asserts that nothing was done after a sync or the close of a new file failed
 * that trusts it: no second sync of it, no rename. */
void expect_no_trust(const struct world *world, const char *where);

#endif
