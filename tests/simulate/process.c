/* process.c - Implements processes, their memory and their descriptors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/process.h"

#include <errno.h>
#include <string.h>

#include "simulate/arena.h"
#include "simulate/calls.h"
#include "simulate/communicator.h"
#include "simulate/disk.h"
#include "simulate/draw.h"
#include "simulate/finding.h"
#include "simulate/program.h"
#include "simulate/task.h"

/* Descriptors differ from real ones and are never reused, so that misuse is
 * detected. */
enum { FIRST_DESCRIPTOR = 1000 };

static struct process *all[MOST_PROCESSES];
static size_t count;
static uint64_t seed;

void processes_begin(uint64_t from)
{
    count = 0;
    seed = from;
}

size_t processes_count(void)
{
    return count;
}

struct process *process_at(size_t i)
{
    return all[i];
}

/* --- Memory ------------------------------------------------------------- */

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    struct process *p = user;
    void *block = new_size ? arena_block(new_size) : NULL;
    if (block)
        p->blocks++;
    if (block && old)
        memcpy(block, old, old_size < new_size ? old_size : new_size);
    if (old) {
        arena_give_back(old, old_size);
        p->blocks--;
    }
    return block;
}

/* --- Start and end ------------------------------------------------------ */

struct process *process_new(const char *name, unsigned node)
{
    if (count == MOST_PROCESSES) {
        finding(FINDING_STUCK, "more than %d processes were started",
            MOST_PROCESSES);
        return NULL;
    }
    struct process *p = arena_take(sizeof *p);
    p->number = (unsigned)count;
    p->name = name;
    p->node = node;
    p->is_alive = true;
    p->next_number = FIRST_DESCRIPTOR;
    p->random = draw_mix(seed + count);
    p->system = simulated_system;
    p->system.state = p;
    p->context.allocator = (varve_allocator){ allocate, p };
    p->context.system = &p->system;
    all[count++] = p;
    return p;
}

struct process *process_fork(struct process *parent, const char *name)
{
    struct process *child = process_new(name, parent->node);
    if (!child)
        return NULL;
    child->next_number = parent->next_number;
    memcpy(child->descriptors, parent->descriptors,
        sizeof child->descriptors);
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        if (child->descriptors[i].number)
            child->descriptors[i].description->references++;
    return child;
}

static void close_all(struct process *p)
{
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        if (p->descriptors[i].number)
            process_close(p, p->descriptors[i].number);
}

void process_exit(struct process *p)
{
    size_t open = 0;
    const char *what = "";
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        if (p->descriptors[i].number) {
            what = p->descriptors[i].description->inode->name;
            open++;
        }
    trace("ends");
    if (open || p->maps || p->blocks)
        finding(FINDING_LEAK,
            "%s %u left %zu descriptors (one of %s), %d maps, %zu blocks",
            p->name, p->number, open, what, p->maps, p->blocks);
    close_all(p);
    p->is_alive = false;
    communicators_lose(p);
}

void process_kill(struct process *p)
{
    if (!p->is_alive)
        return;
    trace("%s %u is killed", p->name, p->number);
    close_all(p);
    p->is_alive = false;
    communicators_lose(p);
    programs_killed(p);
    tasks_kill(p);
}

void processes_kill_node(unsigned node)
{
    const size_t before = count; /* new processes start when these end */
    for (size_t i = 0; i < before; i++)
        if (node == MOST_NODES || all[i]->node == node)
            process_kill(all[i]);
}

/* --- Descriptors -------------------------------------------------------- */

int process_open(struct process *p, struct inode *inode, unsigned how)
{
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++) {
        struct descriptor *d = &p->descriptors[i];
        if (d->number)
            continue;
        d->description = arena_block(sizeof *d->description);
        *d->description = (struct description){ .inode = inode,
            .next_of_inode = inode->opened,
            .references = 1,
            .node = p->node,
            .is_readable = (how & OPEN_READS) != 0,
            .is_writable = (how & OPEN_WRITES) != 0 };
        inode->opened = d->description;
        d->number = p->next_number++;
        return d->number;
    }
    return -EMFILE;
}

static struct descriptor *find(const struct process *p, int number)
{
    for (size_t i = 0; number > 0 && i < MOST_DESCRIPTORS; i++)
        if (p->descriptors[i].number == number)
            return (struct descriptor *)&p->descriptors[i];
    return NULL;
}

struct description *process_find(const struct process *p, int number)
{
    const struct descriptor *found = find(p, number);
    return found ? found->description : NULL;
}

int process_close(struct process *p, int number)
{
    struct descriptor *d = find(p, number);
    if (!d)
        return -EBADF;
    struct description *closed = d->description;
    *d = (struct descriptor){ 0 };
    if (--closed->references)
        return 0;
    struct description **link = &closed->inode->opened;
    while (*link != closed)
        link = &(*link)->next_of_inode;
    *link = closed->next_of_inode;
    arena_give_back(closed, sizeof *closed);
    return 0;
}
