/* expect.h - Declares the injected faults and the checks of what a call may
 * report for each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAULT_EXPECT_H
#define FAULT_EXPECT_H

#include "fault/world.h"

/* A fault injected into a system call. */
struct fault {
    const char *name;
    enum faulty_way way;
    int error;             /* for FAULTY_FAILS */
    varve_status expected; /* status of a call that the fault stops */
};

extern const struct fault faults[];
extern const size_t fault_count;

/* The set of calls that a fault affects. */
enum spread { ONCE, ALL_AFTER, ALL_OF_KIND_AFTER, SPREADS };

/* An injection such as "run, call 7 (write), EIO, and all after it". `first` is
 * the fault; `second` is an error in a later call, or NULL. */
struct attempt {
    const struct scenario *scenario;
    bool is_big; /* the model has large values */
    long number;
    const struct fault *first;
    enum spread spread;
    long second_number;
    const struct fault *second;
    bool second_sticky;
    bool without_memory; /* an allocation failed too */
};

/* Writes a description of the attempt; `kind` is that of the affected call. */
void attempt_text(const struct attempt *attempt, enum faulty_kind kind,
    char *text, size_t size);

/* Asserts that status and message agree with the log of failed calls. If the
 * status is VARVE_OK, nothing relevant failed. Otherwise it is the status of
 * one of the faults, the outcome is unknown if and only if the sync of the
 * directory failed, and the message contains a failed call, its error and its
 * path. */
void expect_truth(const struct world *world, const struct attempt *attempt,
    varve_status status, const varve_error *error, const char *where);

/* Asserts that after a failed sync or close of a new file no call relies on the
 * file: no second sync, no rename. */
void expect_no_trust(const struct world *world, const char *where);

#endif
