/* child.h - tests that spoil the process they run in, and so run in a child.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAULT_CHILD_H
#define FAULT_CHILD_H

#include <stdbool.h>

/* Runs the body in a child process and asserts that it ended well. How many
 * faults it counted; -1 after child_skip, which is logged. */
long child_run(void (*body)(void));

/* For the body: counts a fault; ends the child if a condition does not hold or
 * the machine cannot do what is needed. */
void child_count(void);
void child_expect(bool condition, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void child_skip(const char *reason);

#endif
