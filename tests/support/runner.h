/* runner.h - Declares the outcome that a test reports to its runner.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_RUNNER_H
#define SUPPORT_RUNNER_H

#include <stdatomic.h>

/* Stored in memory that a test shares with its child processes and the
 * runner. */
struct test_outcome {
    atomic_bool failed;   /* an assertion failed, here or in a child */
    atomic_bool finished; /* the body reached its end, in the test's process */
};

/* The outcome of this process; programs without the runner have one too. */
extern struct test_outcome *test_outcome;

#endif
