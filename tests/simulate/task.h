/* task.h - threads of simulated processes, of which one runs at a time, and the
 * time that passes for them.
 *
 * A task gives way at each call of the system, where it waits, and nowhere
 * else. Time is a number that grows with each call and with what nobody can but
 * wait for.
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
    /* to read */
    unsigned number;
    struct process *process; /* NULL: what no process does */
    uint32_t calls;          /* points at which it could give way */
    bool is_done;
};

/* How often tasks give way, as the schedule says: in 1024 calls. */
struct pace {
    unsigned switches;
    unsigned pauses;
    unsigned longest_pause; /* points of all tasks */
    unsigned leaps;
};

/* Begins a schedule without tasks at time 0, and ends it. */
void tasks_begin(const struct pace *pace);
void tasks_end(void);

/* A new task, which is ready. */
struct task *task_start(
    struct process *process, void (*function)(void *), void *argument);

/* Runs all tasks until each is done, or the schedule has failed. */
void tasks_run(void);

/* The task at work; NULL outside of any. */
struct task *task_current(void);

/* Gives way, as the choices say. */
void task_point(void);

/* Waits until another task calls task_wake with the same token, or until the
 * uptime is `deadline`; below 0: for ever. False at the deadline. */
bool task_wait(const void *token, int64_t deadline);
void task_wake(const void *token);

/* Ends all tasks of a process, wherever they stand; does not return where the
 * caller is one of them. */
void tasks_kill(struct process *process);

/* Ends the task at work. */
void task_leave(void);

/* Nanoseconds since the schedule began. */
int64_t task_uptime(void);

/* Points of all tasks so far. */
uint32_t tasks_points(void);

#endif
