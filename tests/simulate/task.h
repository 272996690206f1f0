/* task.h - Declares tasks, the threads of simulated processes. One task runs at
 * a time, in virtual time.
 *
 * A task yields at each system call and when it waits, and nowhere else. Time
 * increases with each call, and jumps to the next timer when all tasks wait.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_TASK_H
#define SIMULATE_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct process;

enum { MOST_TASKS = 120 };

struct task {
    /* read-only */
    unsigned number;
    struct process *process; /* NULL: belongs to no process */
    uint32_t calls;          /* number of points at which it could yield */
    bool is_done;
};

/* Rates at which tasks yield, per 1024 calls. */
struct pace {
    unsigned switches;
    unsigned pauses;
    unsigned longest_pause; /* in points of all tasks */
    unsigned leaps;
};

/* Begin a schedule without tasks at time 0, and end it. */
void tasks_begin(const struct pace *pace);
void tasks_end(void);

/* Creates a task that is ready to run. */
struct task *task_start(
    struct process *process, void (*function)(void *), void *argument);

/* Runs all tasks until each has ended or the schedule has failed. */
void tasks_run(void);

/* Returns the running task, or NULL if there is none. */
struct task *task_current(void);

/* Yields as the choices determine. */
void task_point(void);

/* Waits until another task calls task_wake with the same token, or until the
 * uptime reaches `deadline`; below 0: no limit. Returns false at the
 * deadline. */
bool task_wait(const void *token, int64_t deadline);
void task_wake(const void *token);

/* Ends all tasks of a process at their current points. Does not return if the
 * caller is one of them. */
void tasks_kill(struct process *process);

/* Ends the running task. */
void task_leave(void);

/* Returns nanoseconds since the schedule began. */
int64_t task_uptime(void);

/* Returns the number of points of all tasks so far. */
uint32_t tasks_points(void);

#endif
