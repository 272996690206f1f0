/* finding.c - Records the first finding, and prints traces.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/finding.h"

#include <stdarg.h>
#include <stdio.h>

#include "simulate/process.h"
#include "simulate/task.h"

static enum finding_kind found;
static char text[600];
static bool prints;

static const char *const names[FINDING_KINDS] = {
    [FINDING_NONE] = "nothing",
    [FINDING_LOST] = "lost",
    [FINDING_ANEW] = "anew",
    [FINDING_DELETED] = "deleted",
    [FINDING_PINNED] = "pinned",
    [FINDING_LEASED] = "leased",
    [FINDING_REPLACED] = "replaced",
    [FINDING_TWICE] = "twice",
    [FINDING_COPY] = "copy",
    [FINDING_NOT_FOUND] = "not-found",
    [FINDING_APART] = "apart",
    [FINDING_FAILED] = "failed",
    [FINDING_LEAK] = "leak",
    [FINDING_STUCK] = "stuck",
    [FINDING_BROKEN] = "broken",
    [FINDING_CRASH] = "crash",
};

void finding_begin(void)
{
    found = FINDING_NONE;
    text[0] = '\0';
}

void finding(enum finding_kind kind, const char *format, ...)
{
    if (found)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trace("FOUND %s: %s", names[kind], text);
    found = kind;
}

bool has_finding(void)
{
    return found != FINDING_NONE;
}

enum finding_kind finding_kind(void)
{
    return found;
}

const char *finding_text(void)
{
    return text;
}

const char *finding_name(enum finding_kind kind)
{
    return kind < FINDING_KINDS ? names[kind] : "unknown";
}

void trace_to(bool wanted)
{
    prints = wanted;
}

bool is_traced(void)
{
    return prints;
}

void trace(const char *format, ...)
{
    if (!prints || found)
        return;
    const struct task *task = task_current();
    const struct process *p = task ? task->process : NULL;
    fprintf(stderr, "%9.3f ms  ", (double)task_uptime() / 1e6);
    if (p)
        fprintf(stderr, "%-10s %u.%u  ", p->name, p->number, task->number);
    else
        fprintf(stderr, "%-15s ", "-");
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
