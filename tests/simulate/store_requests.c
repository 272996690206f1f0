/* store_requests.c - Simulates the object that is a lock, the answers of a
 * store, and lost or late requests.
 *
 * It replaces the library's functions that send requests to stores with
 * libcurl.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/store_requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "remote_request.h"
#include "remote_identity.h"
#include "remote_lock_file.h"
#include "remote_lock_record.h"
#include "remote_publish.h"
#include "remote_url.h"
#include "simulate/arena.h"
#include "simulate/call.h"
#include "simulate/fault.h"
#include "simulate/finding.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/task.h"

#define A_SECOND INT64_C(1000000000)

enum { MOST_OBJECTS = 4, MOST_LOCKS = 40, MOST_TRIES = 3 };

static struct object {
    char path[100]; /* "": none */
    bool is_there;
    size_t size;
    unsigned char bytes[VV_REMOTE_RECORD_SIZE];
    uint64_t puts; /* count of its writes: its ETag */
    int64_t changed;
    const struct process *owner; /* of the record */
} objects[MOST_OBJECTS];

/* A descriptor of a lock. */
static struct lock {
    const struct process *process;
    int number; /* 0: free */
    struct vv_remote_lock_file *file;
    struct vv_remote_settings settings;
} locks[MOST_LOCKS];

static size_t most_locks; /* upper bound for the number of open locks */
static bool conditions, is_overtaken;

void store_requests_begin(bool has_conditions)
{
    memset(objects, 0, sizeof objects);
    memset(locks, 0, sizeof locks);
    most_locks = 0;
    conditions = has_conditions;
    is_overtaken = false;
}

bool store_lock_was_overtaken(void)
{
    return is_overtaken;
}

/* --- Objects ------------------------------------------------------------ */

static struct object *object_of(const char *path)
{
    for (size_t i = 0; i < MOST_OBJECTS; i++) {
        if (!*objects[i].path)
            snprintf(objects[i].path, sizeof objects[i].path, "%s", path);
        if (strcmp(objects[i].path, path) == 0)
            return &objects[i];
    }
    finding(FINDING_STUCK, "more than %d locks", MOST_OBJECTS);
    return &objects[0];
}

static void write_tag(const struct object *o, char tag[VV_REMOTE_TAG_SIZE])
{
    snprintf(tag, VV_REMOTE_TAG_SIZE, "\"%032" PRIx64 "\"", o->puts);
}

static bool is_held(const struct object *o)
{
    struct vv_remote_lock_record record;
    return o->is_there &&
        vv_remote_lock_record_parse(
            (const char *)o->bytes, o->size, &record) &&
        record.is_held;
}

/* Executes a request and returns its HTTP status code. */
static long serve(struct object *o, const struct process *p,
    const struct vv_remote_change *c)
{
    char tag[VV_REMOTE_TAG_SIZE];
    write_tag(o, tag);
    if (conditions && c->is_new && o->is_there)
        return 412;
    if (conditions && c->match && !o->is_there)
        return 404;
    if (conditions && c->match && strcmp(c->match, tag) != 0)
        return 412;
    if (is_held(o) && o->owner != p && o->owner->is_alive) {
        trace("THE LOCK is taken from %s %u, which lives", o->owner->name,
            o->owner->number);
        is_overtaken = true;
    }
    o->is_there = c->method == VV_REMOTE_PUT;
    o->size = c->size;
    if (c->size)
        memcpy(o->bytes, c->bytes, c->size);
    o->puts++;
    o->changed = task_uptime();
    o->owner = p;
    return 200;
}

/* --- Late requests ------------------------------------------------------ */

/* A request whose sender has given up and which arrives later. */
struct late {
    const struct process *process;
    struct object *object;
    struct vv_remote_change change;
    int64_t at;
};

static void arrive(void *argument)
{
    struct late *late = argument;
    task_wait(late, late->at);
    long code = serve(late->object, late->process, &late->change);
    trace("a late request of %s %u arrives: %ld", late->process->name,
        late->process->number, code);
}

static void send_late(struct object *o, const struct process *p,
    const struct vv_remote_change *c, unsigned seconds)
{
    struct late *late = arena_take(sizeof *late);
    unsigned char *bytes = arena_take(VV_REMOTE_RECORD_SIZE);
    char *match = arena_take(VV_REMOTE_TAG_SIZE);
    *late = (struct late){ p, o, *c, task_uptime() + seconds * A_SECOND };
    memcpy(bytes, c->bytes, c->size);
    late->change.bytes = bytes;
    if (c->match) {
        strcpy(match, c->match);
        late->change.match = match;
    }
    task_start(NULL, arrive, late);
}

/* --- Requests of the library -------------------------------------------- */

/* Returns the process of the settings. */
static struct process *sender_of(const struct vv_remote_settings *s)
{
    return s->machine->state;
}

int vv_remote_change(struct vv_remote_change *c)
{
    struct process *p = call_begins(sender_of(c->settings));
    struct object *o = object_of(c->path);
    for (unsigned i = 0; i < c->settings->attempts; i++) {
        if (fault_of_reading(p))
            continue;
        unsigned seconds = fault_of_request(p);
        if (seconds > 1 && c->method == VV_REMOTE_PUT) {
            send_late(o, p, c, seconds);
            continue;
        }
        c->answer = (struct vv_remote_answer){ .code = serve(o, p, c) };
        write_tag(o, c->answer.mark.tag);
        task_point();
        if (seconds)
            continue; /* its answer is lost */
        call_result((int)-c->answer.code, "request", c->path);
        return c->answer.code == 200 ? 0 : -EIO;
    }
    c->answer = (struct vv_remote_answer){ .code = 0 };
    return call_result(-EIO, "request", c->path);
}

int vv_remote_get_range(const struct vv_remote_settings *settings,
    const struct vv_remote_place *place, const struct vv_remote_range *range,
    unsigned char *to, size_t *size, struct vv_remote_answer *answer)
{
    struct process *p = call_begins(sender_of(settings));
    const struct object *o = object_of(place->url);
    (void)range;
    *answer = (struct vv_remote_answer){ .code = 200 };
    if (fault_of_reading(p))
        return call_result(-EIO, "get", place->url);
    if (!o->is_there)
        return call_result(-ENOENT, "get", place->url);
    *size = o->size;
    memcpy(to, o->bytes, o->size);
    answer->mark.size = o->size;
    write_tag(o, answer->mark.tag);
    snprintf(answer->mark.date, sizeof answer->mark.date, "%" PRId64,
        1 + o->changed / A_SECOND);
    snprintf(answer->clock, sizeof answer->clock, "%" PRId64,
        1 + task_uptime() / A_SECOND);
    task_point();
    return call_result(0, "get", place->url);
}

int vv_remote_remove(
    const struct vv_remote_settings *settings, const char *path)
{
    struct vv_remote_change c = {
        .settings = settings, .path = path, .method = VV_REMOTE_DELETE
    };
    return vv_remote_change(&c);
}

/* --- Other functions of the library ------------------------------------- */

/* The path is used as the URL. */
int vv_remote_place_of(const char *path, struct vv_remote_place *place)
{
    *place = (struct vv_remote_place){ .url = vv_remote_copy(path) };
    return 0;
}

void vv_remote_place_clear(struct vv_remote_place *place)
{
    (void)place;
}

int64_t vv_remote_header_time(const char *date)
{
    int64_t seconds;
    return sscanf(date, "%" SCNd64, &seconds) == 1 ? seconds * A_SECOND : 0;
}

bool vv_remote_tag_fits(const struct vv_remote_answer *a,
    const unsigned char md5[VV_REMOTE_MD5_SIZE])
{
    (void)a;
    (void)md5;
    return true;
}

void vv_remote_name_of_refusal(const char *body, char *name, size_t room)
{
    (void)body;
    if (room)
        *name = '\0';
}

int vv_remote_fail(int number, const char *format, ...)
{
    (void)format;
    return -number;
}

char *vv_remote_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(arena_take(size), text, size);
}

void vv_remote_hex(
    const unsigned char *digest, size_t size, char text[VV_REMOTE_MOST_TEXT])
{
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

/* --- Descriptors -------------------------------------------------------- */

static struct lock *find_lock(const struct process *p, int number)
{
    for (size_t i = 0; number > 0 && i < most_locks; i++)
        if (locks[i].process == p && locks[i].number == number)
            return &locks[i];
    return NULL;
}

bool store_lock_is(const struct process *p, int number)
{
    return find_lock(p, number) != NULL;
}

int store_lock_open(struct process *p, const char *path)
{
    struct lock *l = NULL;
    for (size_t i = 0; i < MOST_LOCKS && !l; i++)
        if (!locks[i].number || !locks[i].process->is_alive)
            l = &locks[i];
    if (!l)
        return -EMFILE;
    if ((size_t)(l - locks) >= most_locks)
        most_locks = (size_t)(l - locks) + 1;
    int number = process_open(
        p, disk_new_file(place_disk(DISK_STORE)), OPEN_READS | OPEN_WRITES);
    if (number < 0)
        return number;
    *l = (struct lock){ .process = p, .number = number };
    l->settings = (struct vv_remote_settings){ .machine = &p->system,
        .attempts = MOST_TRIES,
        .lock_period_ms = VV_REMOTE_LOCK_PERIOD_MS };
    l->file = vv_remote_lock_file_new(&l->settings, path);
    return number;
}

int store_lock_take(const struct process *p, int number)
{
    return vv_remote_lock_file_take(find_lock(p, number)->file);
}

void store_lock_release(const struct process *p, int number)
{
    vv_remote_lock_file_release(find_lock(p, number)->file);
}

void store_lock_set_run(const struct process *p, int number, const char *run,
    unsigned long size)
{
    vv_remote_lock_file_set_run(find_lock(p, number)->file, run, size);
}

void store_lock_close(const struct process *p, int number)
{
    struct lock *l = find_lock(p, number);
    vv_remote_lock_file_free(l->file);
    l->number = 0;
}
