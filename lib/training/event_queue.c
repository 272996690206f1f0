/* event_queue.c - Creates the file of events, and writes to it on a thread from
 * two buffers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "event_queue.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "directory.h"
#include "event_message.h"
#include "failure.h"
#include "file.h"
#include "monitor.h"
#include "name.h"
#include "retry.h"
#include "system.h"
#include "try.h"

/* --- Files ---------------------------------------------------------------- */

/* Creates events.out.tfevents.<seconds>.<host>.<process>.<number>
 *
 * TensorBoard reads all files with "tfevents" in their names, in the order of
 * their names. So a clock that was set back must not place a later file before
 * an earlier one. */

#define PREFIX "events.out.tfevents."
#define MOST_SECONDS INT64_C(9999999999)

enum {
    DIGITS = 10,
    LONGEST_NAME = 192,
    MOST_NUMBERS = 10000 /* of files that a process creates within a second */
};

/* A vv_each_name: finds the highest seconds of all event files. */
static int event_file_look_at_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    int64_t *newest = user;
    uint64_t seconds;
    size_t size = strlen(PREFIX);
    if (strncmp(name, PREFIX, size) != 0)
        return 0;
    name += size;
    while (*name == '0')
        name++;
    size = strcspn(name, ".");
    if (size <= DIGITS && vv_parse_decimal(name, size, &seconds) &&
        (int64_t)seconds > *newest)
        *newest = (int64_t)seconds;
    return 0;
}

static int64_t seconds_of(const struct vv_context *context, int directory)
{
    const struct vv_system *system = context->system;
    int64_t newest = -1;
    int64_t now = system->now(system->state) / 1000000000;
    system->each_name(
        system->state, directory, event_file_look_at_name, &newest);
    if (newest >= now && newest < MOST_SECONDS)
        return newest + 1;
    if (now < 0)
        return 0;
    return now < MOST_SECONDS ? now : MOST_SECONDS;
}

/* Replaces characters of a host name that are not safe in a file name. */
static void make_harmless(char *machine)
{
    for (char *c = machine; *c; c++) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '0' && *c <= '9') || *c == '-' || *c == '.';
        if (!is_plain)
            *c = '_';
    }
}

static int event_file_create(
    const struct vv_context *context, int directory, const char *name)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int result;
    do
        result = system->create_file(system->state, directory, name);
    while (vv_try_again(result, &tries));
    return result;
}

/* Makes the file and sets `name` to its name. */
static int create_with_name(
    const struct vv_context *context, int directory, char name[LONGEST_NAME])
{
    const struct vv_system *system = context->system;
    char machine[65] = "";
    int64_t process = system->process(system->state, machine, sizeof machine);
    make_harmless(machine);
    int64_t seconds = seconds_of(context, directory);
    int result = -EEXIST;
    for (int i = 0; result == -EEXIST && i < MOST_NUMBERS; i++) {
        snprintf(name, LONGEST_NAME, PREFIX "%010" PRId64 ".%s.%" PRId64 ".%d",
            seconds, *machine ? machine : "unknown", process, i);
        result = event_file_create(context, directory, name);
    }
    return result;
}

/* Returns the directory with a slash, in memory with room for the name. */
static char *path_in(const struct vv_context *context, const char *directory)
{
    size_t size = strlen(directory);
    char *path = vv_allocate(&context->allocator, size + 1 + LONGEST_NAME);
    if (!path)
        return NULL;
    memcpy(path, directory, size);
    if (path[size - 1] != '/')
        path[size++] = '/';
    path[size] = '\0';
    return path;
}

static varve_status create_in(
    const struct vv_context *context, char *path, int *file, varve_error *error)
{
    int directory;
    VV_TRY(vv_directory_make_parent(context, path, true, &directory, error));
    char *name = path + strlen(path);
    *file = create_with_name(context, directory, name);
    vv_file_close(context, directory);
    if (*file < 0)
        return vv_fail_system(error, -*file, "creating the file", path);
    return VARVE_OK;
}

varve_status vv_event_file_create(const struct vv_context *context,
    const char *directory, int *file, char **path, varve_error *error)
{
    const varve_allocator *a = &context->allocator;
    char *whole = path_in(context, directory);
    if (!whole)
        return vv_fail_memory(error, "the path of an event file");
    size_t room = strlen(directory) + 1 + LONGEST_NAME;
    varve_status status = create_in(context, whole, file, error);
    if (!status) {
        *path = vv_copy_string(a, whole);
        if (!*path) {
            vv_file_close(context, *file);
            context->system->remove(
                context->system->state, VV_WORKING_DIRECTORY, whole);
            status = vv_fail_memory(error, "the path of an event file");
        }
    }
    vv_release(a, whole, room);
    return status;
}

/* --- Queues --------------------------------------------------------------- */

/* Alternates between two buffers, and writes them to a file on a thread. */

/* --- Writing, from inside the monitor ------------------------------------- */

void vv_event_queue_remember(struct vv_event_queue *q, const varve_error *error)
{
    if (!q->error.status)
        q->error = *error;
}

/* Unlocks the monitor during the write if the thread writes. */
static varve_status write_buffer(struct vv_event_queue *q, varve_error *error)
{
    if (q->worker.is_started)
        vv_monitor_leave(q->worker.monitor);
    varve_status status = vv_file_write(q->context, q->file, q->path,
        q->written.data, q->written.size, q->offset, error);
    if (q->worker.is_started)
        vv_monitor_enter(q->worker.monitor);
    return status;
}

static uint64_t count_links(const struct vv_event_queue *q)
{
    const struct vv_system *system = q->context->system;
    struct vv_file_info info = { 0 };
    return system->info(system->state, q->file, &info) < 0 ? 0 : info.links;
}

/* Detects that the file was removed: data written to it would be lost when it
 * is closed. */
static bool is_removed(struct vv_event_queue *q)
{
    varve_error error;
    if (!q->counts_links)
        return false;
    if (q->worker.is_started)
        vv_monitor_leave(q->worker.monitor);
    bool is_gone = count_links(q) == 0;
    if (q->worker.is_started)
        vv_monitor_enter(q->worker.monitor);
    if (!is_gone)
        return false;
    vv_fail(&error, VARVE_NOT_FOUND,
        "%s: the event file was removed while in use: its events are lost, and "
        "no more are written; open the events again (varve_events_open)",
        q->path);
    q->is_failing = true;
    vv_event_queue_remember(q, &error);
    return true;
}

static bool event_queue_write_once(struct vv_event_queue *q)
{
    varve_error error;
    varve_status status = write_buffer(q, &error);
    q->is_failing = status != VARVE_OK;
    if (status) {
        vv_event_queue_remember(q, &error);
        return false;
    }
    q->offset += q->written.size;
    q->written.size = 0;
    return true;
}

/* Writes the buffer of an earlier failed write, then the waiting records. */
static void event_queue_write_all(struct vv_event_queue *q)
{
    if (is_removed(q))
        return;
    for (int i = 0; i < 2; i++) {
        if (q->written.size == 0 && q->waiting.size > 0)
            vv_buffer_swap(&q->written, &q->waiting);
        if (q->written.size == 0 || !event_queue_write_once(q))
            return;
    }
}

/* Returns true if much data is waiting, unless the last write failed: then the
 * disk gets more time. */
static bool is_pressing(const struct vv_event_queue *q)
{
    return q->waiting.size >= q->limit / 2 && !q->is_failing;
}

/* Writes once more after the end was requested. */
static bool event_queue_work(void *user)
{
    struct vv_event_queue *q = user;
    uint64_t turn = q->asked;
    bool ends = q->worker.ends;
    if (!q->worker.is_due && !ends && turn == q->answered && !is_pressing(q))
        return false;
    event_queue_write_all(q);
    q->answered = turn;
    vv_monitor_wake(q->worker.monitor);
    return !ends;
}

/* --- Start and end -------------------------------------------------------- */

varve_status vv_event_queue_start(struct vv_event_queue *q,
    const struct vv_context *context, int file, const char *path,
    varve_error *error)
{
    if (!vv_worker_thread_init(&q->worker, context, event_queue_work, q))
        return vv_fail_memory(error, "a queue of events");
    q->context = context;
    q->file = file;
    q->path = path;
    q->counts_links = count_links(q) > 0;
    vv_buffer_init(&q->waiting, &context->allocator);
    vv_buffer_init(&q->written, &context->allocator);
    q->worker.interval = q->interval;
    q->asked = 1; /* so that the thread writes at once */
    vv_worker_thread_start(&q->worker);
    return VARVE_OK;
}

void vv_event_queue_end(struct vv_event_queue *q)
{
    if (!q->worker.monitor)
        return;
    if (!q->worker.is_started)
        event_queue_write_all(q);
    if (!vv_worker_thread_end(&q->worker))
        return;
    vv_buffer_clear(&q->waiting);
    vv_buffer_clear(&q->written);
}

/* --- Records ---------------------------------------------------------------
 */

void vv_event_queue_enter(struct vv_event_queue *q)
{
    vv_monitor_enter(q->worker.monitor);
}

void vv_event_queue_leave(struct vv_event_queue *q)
{
    vv_monitor_leave(q->worker.monitor);
}

struct vv_buffer *vv_event_queue_begin(struct vv_event_queue *q)
{
    if (!q->worker.is_started)
        event_queue_write_all(
            q); /* makes room if an earlier write has failed */
    q->record = vv_record_begin(&q->waiting);
    return &q->waiting;
}

void vv_event_queue_drop(struct vv_event_queue *q)
{
    q->dropped++;
}

/* Drops the record under construction. */
static bool event_queue_drop(struct vv_event_queue *q)
{
    q->waiting.size = q->record;
    q->waiting.failed = false;
    q->dropped++;
    return false;
}

bool vv_event_queue_commit(struct vv_event_queue *q)
{
    vv_record_end(&q->waiting, q->record);
    if (q->waiting.failed) {
        varve_error error;
        vv_fail_memory(&error, "an event");
        vv_event_queue_remember(q, &error);
        return event_queue_drop(q);
    }
    if (q->waiting.size > q->limit && q->record > 0)
        return event_queue_drop(q);
    if (!q->worker.is_started)
        event_queue_write_all(q);
    else if (is_pressing(q))
        vv_monitor_wake(q->worker.monitor);
    return true;
}

static void wait_for_answer(struct vv_event_queue *q)
{
    uint64_t turn = ++q->asked;
    vv_monitor_wake(q->worker.monitor);
    while (q->answered < turn)
        vv_monitor_wait(q->worker.monitor, -1);
}

static varve_status event_queue_report(
    struct vv_event_queue *q, varve_error *error)
{
    uint64_t dropped = q->dropped - q->reported;
    varve_error first = q->error;
    q->reported = q->dropped;
    q->error.status = VARVE_OK;
    if (first.status && error)
        *error = first;
    if (first.status && dropped)
        vv_error_add_line(error, "%" PRIu64 " event%s %s dropped", dropped,
            vv_plural_s(dropped), dropped == 1 ? "was" : "were");
    if (first.status || !dropped)
        return first.status;
    return vv_fail(error, VARVE_LIMIT,
        "%s: event queue full (%zu bytes): %" PRIu64 " event%s %s dropped",
        q->path, q->limit, dropped, vv_plural_s(dropped),
        dropped == 1 ? "was" : "were");
}

varve_status vv_event_queue_flush(struct vv_event_queue *q, varve_error *error)
{
    if (q->worker.is_started)
        wait_for_answer(q);
    else
        event_queue_write_all(q);
    return event_queue_report(q, error);
}
