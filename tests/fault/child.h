/* child.h - Runs tests that change process-wide state in a child process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAULT_CHILD_H
#define FAULT_CHILD_H

#include <stdbool.h>

/* Runs the body in a child process and asserts that it ended normally. Returns
 * the number of faults it counted, or -1 after child_skip, which is logged. */
long child_run(void (*body)(void));

/* Called by the body: child_count counts a fault; the others end the child if a
 * condition does not hold or the machine lacks a required feature. */
void child_count(void);
void child_expect(bool condition, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void child_skip(const char *reason);

#endif
