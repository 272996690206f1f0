/* faulty_calls.c - Implements the log of calls, the plan of failures, and the
 * list of open resources.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/faulty_calls.h"

#include <stdio.h>
#include <stdlib.h>

void faulty_must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "faulty system: %s\n", what);
    abort();
}

/* Returns the array with room for one more element. */
static void *with_room(
    void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 64;
    array = realloc(array, *capacity * size);
    faulty_must(array, "the machine is out of memory");
    return array;
}

void faulty_plan(struct faulty *f, const struct faulty_plan *plan)
{
    pthread_mutex_lock(&f->lock); /* an asynchronous save may be running */
    f->plan = plan ? *plan : (struct faulty_plan){ .number = -1 };
    if (!f->plan.kinds)
        f->plan.kinds = FAULTY_ALL;
    f->count = 0;
    f->hit = false;
    f->hit_second = false;
    f->log_size = 0;
    f->log_hit = SIZE_MAX;
    pthread_mutex_unlock(&f->lock);
}

long faulty_count(const struct faulty *f)
{
    return f->count;
}

bool faulty_hit(const struct faulty *f)
{
    return f->hit;
}

bool faulty_hit_second(const struct faulty *f)
{
    return f->hit_second;
}

size_t faulty_log_hit(const struct faulty *f)
{
    return f->log_hit < f->log_size ? f->log_hit : f->log_size;
}

uint64_t faulty_log_read(const struct faulty *f)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < faulty_log_size(f); i++) {
        const struct faulty_call *call = faulty_log_at(f, i);
        bytes += call->kind == FAULTY_READ ? call->size : 0;
    }
    return bytes;
}

size_t faulty_log_size(const struct faulty *f)
{
    return f->log_size;
}

const struct faulty_call *faulty_log_at(const struct faulty *f, size_t i)
{
    faulty_must(i < f->log_size, "a call past the end of the log");
    return &f->log[i];
}

size_t faulty_log_find(const struct faulty *f, unsigned kinds, size_t from)
{
    while (from < f->log_size && !(f->log[from].kind & kinds))
        from++;
    return from;
}

int faulty_open_count(const struct faulty *f)
{
    return (int)f->open_size;
}

const char *faulty_kind_name(enum faulty_kind kind)
{
    static const char *const names[] = {
        "open", "create", "open_directory", "close", "close_created",
        "close_directory", "info", "read", "write", "reserve",
        "start_write_back", "will_read", "sync", "sync_directory", "rename",
        "rename_new", "remove", "make_directory", "each_name", "map", "unmap",
        "random", "processors", "start_thread", "join_thread", "lock",
        "share_lock", "open_tracker", "track", "unlock", "link",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((unsigned)kind == 1u << i)
            return names[i];
    return "unknown";
}

static size_t allowed_size(const struct faulty_plan *plan, size_t size)
{
    switch (plan->way) {
    case FAULTY_ONE_BYTE: return size > 1 ? 1 : size;
    case FAULTY_BUT_ONE: return size > 1 ? size - 1 : size;
    case FAULTY_HALF: return size > 1 ? size / 2 : size;
    case FAULTY_NOTHING: return 0;
    case FAULTY_FAILS:
    case FAULTY_STOPS: break;
    }
    return size;
}

static bool is_due(long number, long wanted, bool sticky)
{
    return number == wanted || (sticky && number > wanted);
}

/* Decides the result of a call from its number. */
static void take_turn(const struct faulty_plan *plan,
    const struct faulty_call *call, struct faulty_turn *turn)
{
    if (plan->way == FAULTY_FAILS)
        turn->error = -plan->error;
    else if (plan->way == FAULTY_STOPS)
        plan->stop(plan->user);
    else if (call->kind == FAULTY_READ || call->kind == FAULTY_WRITE)
        turn->size = allowed_size(plan, turn->size);
}

struct faulty_turn faulty_begin(struct faulty *f, struct faulty_call call)
{
    struct faulty_turn turn = { .size = (size_t)call.size };
    pthread_mutex_lock(&f->lock);
    const struct faulty_plan now = f->plan, *plan = &now;
    f->log = with_room(
        f->log, f->log_size, &f->log_capacity, sizeof *f->log);
    turn.place = f->log_size++;
    f->log[turn.place] = call;
    long number = call.kind & plan->kinds ? f->count++ : -1;
    bool is_first = plan->number >= 0 && number >= 0 &&
                    is_due(number, plan->number, plan->sticky);
    bool is_second = plan->second > 0 && number >= 0 &&
                     is_due(number, plan->second, plan->second_sticky);
    if (is_first && !f->hit)
        f->log_hit = turn.place;
    f->hit = f->hit || is_first;
    f->hit_second = f->hit_second || is_second;
    pthread_mutex_unlock(&f->lock);

    if (is_first)
        take_turn(plan, &call, &turn);
    else if (is_second)
        turn.error = -plan->second_error;
    return turn;
}

int64_t faulty_end(
    struct faulty *f, const struct faulty_turn *turn, int64_t result)
{
    pthread_mutex_lock(&f->lock);
    f->log[turn->place].result = result;
    pthread_mutex_unlock(&f->lock);
    return result;
}

void faulty_take(struct faulty *f, enum faulty_kind kind, uintptr_t handle)
{
    pthread_mutex_lock(&f->lock);
    f->open = with_room(
        f->open, f->open_size, &f->open_capacity, sizeof *f->open);
    f->open[f->open_size++] = (struct faulty_open){ kind, handle };
    pthread_mutex_unlock(&f->lock);
}

static struct faulty_open *find_open(
    struct faulty *f, unsigned kinds, uintptr_t handle)
{
    for (size_t i = 0; i < f->open_size; i++)
        if ((f->open[i].kind & kinds) && f->open[i].handle == handle)
            return &f->open[i];
    return NULL;
}

enum faulty_kind faulty_giver(
    struct faulty *f, unsigned kinds, uintptr_t handle)
{
    pthread_mutex_lock(&f->lock);
    const struct faulty_open *found = find_open(f, kinds, handle);
    enum faulty_kind kind = found ? found->kind : 0;
    pthread_mutex_unlock(&f->lock);
    return kind;
}

void faulty_give_back(struct faulty *f, unsigned kinds, uintptr_t handle)
{
    pthread_mutex_lock(&f->lock);
    struct faulty_open *found = find_open(f, kinds, handle);
    faulty_must(found, "released, but never acquired");
    *found = f->open[--f->open_size];
    pthread_mutex_unlock(&f->lock);
}
