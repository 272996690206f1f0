/* call.c - Implements the start of a system call and its trace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/call.h"

#include <stdio.h>

#include "simulate/fault.h"
#include "simulate/finding.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/task.h"

/* Suspends the process, as SIGSTOP or a suspended machine does. */
static void stand_still(struct process *p)
{
    unsigned seconds = fault_stop(p);
    if (seconds) {
        trace("%s %u stands still for %u s", p->name, p->number, seconds);
        p->stopped_until = task_uptime() + seconds * INT64_C(1000000000);
    }
    while (p->stopped_until > task_uptime())
        task_wait(&p->stopped_until, p->stopped_until);
}

/* Starts a call: other tasks may run first, and the process may be killed. */
struct process *call_begins(void *state)
{
    struct process *p = state;
    if (p->is_quiet)
        return p;
    calls_made++;
    task_point();
    if (fault_happens(p, 1u << FAULT_KILL) == FAULT_KILL)
        process_kill(p);
    stand_still(p);
    return p;
}

int call_result(int result, const char *call, const char *name)
{
    if (is_traced())
        trace("%s(%s) = %s", call, name, fault_result(result));
    return result;
}

/* Returns the path of a name below a directory, for traces. */
const char *call_path(
    const struct process *p, int directory, const char *name)
{
    static char text[600];
    const struct description *d = process_find(p, directory);
    if (!is_traced() || !d)
        return name;
    snprintf(text, sizeof text, "%s/%s", place_path(d->inode), name);
    return text;
}

const char *call_file(const struct process *p, int number)
{
    const struct description *d =
        is_traced() ? process_find(p, number) : NULL;
    return d ? place_path(d->inode) : "?";
}

int64_t call_clock(const struct process *p)
{
    return fault_clock(p->node) + task_uptime();
}

int64_t call_file_clock(const struct process *p, const struct inode *inode)
{
    unsigned disk = inode->disk->number - 1;
    bool is_of_all = disk == DISK_SHARED || disk == DISK_STORE;
    return fault_clock(is_of_all ? MOST_NODES : p->node) + task_uptime();
}

/* Returns the open file of a call. Records a finding if there is none. */
struct description *call_open(const struct process *p, int number)
{
    struct description *d = process_find(p, number);
    if (!d)
        finding(FINDING_BROKEN, "%s uses descriptor %d, which is not open",
            p->name, number);
    return d;
}
