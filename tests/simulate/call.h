/* call.h - what the calls of a simulated system have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_CALL_H
#define SIMULATE_CALL_H

#include <stdint.h>

struct description;
struct inode;
struct process;

/* A call of a process (the state of its system) begins: others may go on first,
 * and it may be the last. */
struct process *call_begins(void *state);

/* Traces a result, and gives it. */
int call_told(int result, const char *call, const char *name);

/* The path of a name below a directory, and of an open file, for traces. */
const char *call_path(
    const struct process *process, int directory, const char *name);
const char *call_file(const struct process *process, int number);

/* The time of day where a process runs. */
int64_t call_clock(const struct process *process);

/* The time of day that a file gets: of the process, or of a server. */
int64_t call_file_clock(
    const struct process *process, const struct inode *inode);

/* An open file; a finding where there is none. */
struct description *call_open(const struct process *process, int number);

#endif
