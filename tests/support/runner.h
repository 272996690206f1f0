/* runner.h - what a test says of itself to the process that runs it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_RUNNER_H
#define SUPPORT_RUNNER_H

#include <stdatomic.h>

/* In memory that a test shares with all that it forks, and with the runner. */
struct test_outcome {
    atomic_bool failed;   /* an assertion did, here or in a child */
    atomic_bool finished; /* the body came to its end, in the test's process */
};

/* Of the test that this process is; a program without the runner has one
 * too. */
extern struct test_outcome *test_outcome;

#endif
