/* call.h - Declares what the calls of a simulated system have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_CALL_H
#define SIMULATE_CALL_H

#include <stdint.h>

struct description;
struct inode;
struct process;

/* Starts a call of a process, which is the state of its system. Other tasks may
 * run first, and the process may be killed. */
struct process *call_begins(void *state);

/* Traces a result and returns it. */
int call_result(int result, const char *call, const char *name);

/* Return the path of a name below a directory, and of an open file, for
 * traces. */
const char *call_path(
    const struct process *process, int directory, const char *name);
const char *call_file(const struct process *process, int number);

/* Returns the time of day on the node of a process. */
int64_t call_clock(const struct process *process);

/* Returns the time of day for a file: that of the process, or of a server. */
int64_t call_file_clock(
    const struct process *process, const struct inode *inode);

/* Returns an open file. Records a finding if there is none. */
struct description *call_open(const struct process *process, int number);

#endif
