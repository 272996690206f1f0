/* faulty_system.c - Implements the functions of a system. Each decides whether
 * to fail, and otherwise calls the underlying function.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/faulty_calls.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ANY_FILE = FAULTY_OPEN | FAULTY_CREATE,
    ANY_DESCRIPTOR = ANY_FILE | FAULTY_OPEN_DIRECTORY | FAULTY_OPEN_TRACKER,
};

/* The common body of most functions. `call` is the underlying function with its
 * arguments; state and turn are variables of the enclosing function. */
#define PASS(call) (int)faulty_end(f, &turn, turn.error ? turn.error : (call))

static struct faulty_turn begin_named(struct faulty *f, enum faulty_kind kind,
    int directory, const char *name, const char *to)
{
    struct faulty_call call = { .kind = kind, .descriptor = directory };
    snprintf(call.name, sizeof call.name, "%s", name);
    snprintf(call.to, sizeof call.to, "%s", to);
    return faulty_begin(f, call);
}

static struct faulty_turn begin_range(struct faulty *f, enum faulty_kind kind,
    int descriptor, uint64_t offset, uint64_t size)
{
    return faulty_begin(f, (struct faulty_call){
        .kind = kind,
        .descriptor = descriptor,
        .offset = offset,
        .size = size,
    });
}

static int taken(struct faulty *f, enum faulty_kind kind, int descriptor)
{
    if (descriptor >= 0)
        faulty_take(f, kind, (uintptr_t)descriptor);
    return descriptor;
}

static int open_file(void *state, int directory, const char *name)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_OPEN, directory, name, "");
    return PASS(taken(f, FAULTY_OPEN,
        f->under->open_file(f->under->state, directory, name)));
}

static int create_file(void *state, int directory, const char *name)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_CREATE, directory, name, "");
    return PASS(taken(f, FAULTY_CREATE,
        f->under->create_file(f->under->state, directory, name)));
}

static int create_private(void *state, int directory, const char *name)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_CREATE, directory, name, "");
    return PASS(taken(f, FAULTY_CREATE,
        f->under->create_private(f->under->state, directory, name)));
}

static int open_to_write(void *state, int directory, const char *name)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_OPEN, directory, name, "");
    return PASS(taken(f, FAULTY_OPEN,
        f->under->open_to_write(f->under->state, directory, name)));
}

static int open_directory(void *state, int directory, const char *name)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_OPEN_DIRECTORY, directory, name, "");
    return PASS(taken(f, FAULTY_OPEN_DIRECTORY,
        f->under->open_directory(f->under->state, directory, name)));
}

static int open_real_directory(void *state, int directory, const char *name)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_OPEN_DIRECTORY, directory, name, "");
    return PASS(taken(f, FAULTY_OPEN_DIRECTORY,
        f->under->open_real_directory(f->under->state, directory, name)));
}

/* A failed close still closes. */
static int close_descriptor(void *state, int descriptor)
{
    struct faulty *f = state;
    enum faulty_kind giver =
        faulty_giver(f, ANY_DESCRIPTOR, (uintptr_t)descriptor);
    enum faulty_kind kind = giver == FAULTY_CREATE ? FAULTY_CLOSE_CREATED :
        giver == FAULTY_OPEN_DIRECTORY ? FAULTY_CLOSE_DIRECTORY : FAULTY_CLOSE;
    struct faulty_turn turn = begin_range(f, kind, descriptor, 0, 0);
    faulty_give_back(f, ANY_DESCRIPTOR, (uintptr_t)descriptor);
    int result = f->under->close(f->under->state, descriptor);
    return PASS(result);
}

static int look(
    void *state, int directory, const char *name, struct vv_file_look *look)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_INFO, directory, name, "");
    return PASS(f->under->look(f->under->state, directory, name, look));
}

static int set_access(void *state, int file, const struct vv_access *access)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_INFO, file, 0, 0);
    return PASS(f->under->set_access(f->under->state, file, access));
}

static int info(void *state, int descriptor, struct vv_file_info *info)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_INFO, descriptor, 0, 0);
    return PASS(f->under->info(f->under->state, descriptor, info));
}

static int64_t read_at(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_READ, file, offset, size);
    int64_t result = turn.error;
    if (!result && turn.size)
        result = f->under->read_at(
            f->under->state, file, bytes, turn.size, offset);
    return faulty_end(f, &turn, result);
}

static int64_t write_at(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_WRITE, file, offset, size);
    int64_t result = turn.error;
    if (!result && turn.size)
        result = f->under->write_at(
            f->under->state, file, bytes, turn.size, offset);
    return faulty_end(f, &turn, result);
}

static int reserve(void *state, int file, uint64_t size)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_RESERVE, file, 0, size);
    return PASS(f->under->reserve(f->under->state, file, size));
}

static int start_write_back(
    void *state, int file, uint64_t offset, uint64_t size)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_range(f, FAULTY_START_WRITE_BACK, file, offset, size);
    return PASS(
        f->under->start_write_back(f->under->state, file, offset, size));
}

static int will_read(void *state, int file, uint64_t offset, uint64_t size)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_range(f, FAULTY_WILL_READ, file, offset, size);
    return PASS(f->under->will_read(f->under->state, file, offset, size));
}

static int sync_descriptor(void *state, int descriptor)
{
    struct faulty *f = state;
    bool is_file = faulty_giver(f, ANY_FILE, (uintptr_t)descriptor) != 0;
    struct faulty_turn turn = begin_range(f,
        is_file ? FAULTY_SYNC : FAULTY_SYNC_DIRECTORY, descriptor, 0, 0);
    return PASS(f->under->sync(f->under->state, descriptor));
}

static int lock(void *state, int file)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_LOCK, file, 0, 0);
    return PASS(f->under->lock(f->under->state, file));
}

static int share_lock(void *state, int file)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_SHARE_LOCK, file, 0, 0);
    return PASS(f->under->share_lock(f->under->state, file));
}

static int unlock(void *state, int file)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_UNLOCK, file, 0, 0);
    return PASS(f->under->unlock(f->under->state, file));
}

static int rename_file(
    void *state, int directory, const char *from, const char *to)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_RENAME, directory, from, to);
    return PASS(f->under->rename(f->under->state, directory, from, to));
}

static int rename_new(
    void *state, int directory, const char *from, const char *to)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_RENAME_NEW, directory, from, to);
    return PASS(f->under->rename_new(f->under->state, directory, from, to));
}

static int link_file(
    void *state, int directory, const char *from, const char *to)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_named(f, FAULTY_LINK, directory, from, to);
    return PASS(f->under->link(f->under->state, directory, from, to));
}

static int remove_name(void *state, int directory, const char *name)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_REMOVE, directory, name, "");
    return PASS(f->under->remove(f->under->state, directory, name));
}

static int make_directory(void *state, int directory, const char *name)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_named(f, FAULTY_MAKE_DIRECTORY, directory, name, "");
    return PASS(f->under->make_directory(f->under->state, directory, name));
}

static int each_name(
    void *state, int directory, vv_each_name *each, void *user)
{
    struct faulty *f = state;
    struct faulty_turn turn =
        begin_range(f, FAULTY_EACH_NAME, directory, 0, 0);
    return PASS(f->under->each_name(f->under->state, directory, each, user));
}

static int map(
    void *state, int file, uint64_t offset, size_t size, void **address)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_MAP, file, offset, size);
    if (turn.error)
        return PASS(0);
    int result = f->under->map(f->under->state, file, offset, size, address);
    if (result == 0)
        faulty_take(f, FAULTY_MAP, (uintptr_t)*address);
    return PASS(result);
}

/* A failed unmap still unmaps. */
static int unmap(void *state, void *address, size_t size)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_UNMAP, -1, 0, size);
    faulty_give_back(f, FAULTY_MAP, (uintptr_t)address);
    int result = f->under->unmap(f->under->state, address, size);
    return PASS(result);
}

static int open_tracker(void *state)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_OPEN_TRACKER, -1, 0, 0);
    return PASS(taken(
        f, FAULTY_OPEN_TRACKER, f->under->open_tracker(f->under->state)));
}

static int track(void *state, int tracker, void *address, size_t size)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_TRACK, tracker, 0, size);
    return PASS(f->under->track(f->under->state, tracker, address, size));
}

static int untrack(void *state, int tracker, void *address, size_t size)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_TRACK, tracker, 0, size);
    return PASS(f->under->untrack(f->under->state, tracker, address, size));
}

static int each_written(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_TRACK, tracker, 0, size);
    return PASS(f->under->each_written(
        f->under->state, tracker, address, size, each, user));
}

static int arm(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_TRACK, tracker, 0, size);
    return PASS(
        f->under->arm(f->under->state, tracker, address, size, each, user));
}

static int random_bytes(void *state, void *bytes, size_t size)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_RANDOM, -1, 0, size);
    return PASS(f->under->random(f->under->state, bytes, size));
}

/* Functions that cannot fail are passed on and not logged. */

static int64_t now(void *state)
{
    const struct vv_system *under = ((struct faulty *)state)->under;
    return under->now(under->state);
}

static int64_t uptime(void *state)
{
    const struct vv_system *under = ((struct faulty *)state)->under;
    return under->uptime(under->state);
}

static void sleep_for(void *state, int64_t time)
{
    const struct vv_system *under = ((struct faulty *)state)->under;
    under->sleep(under->state, time);
}

static int64_t process(void *state, char *machine, size_t size)
{
    const struct vv_system *under = ((struct faulty *)state)->under;
    return under->process(under->state, machine, size);
}

static unsigned processors(void *state)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_PROCESSORS, -1, 0, 0);
    unsigned count = turn.error ? 1 : f->under->processors(f->under->state);
    return (unsigned)faulty_end(f, &turn, count);
}

static int start_thread(void *state, void *(*function)(void *), void *argument,
    uintptr_t *handle)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_START_THREAD, -1, 0, 0);
    if (turn.error)
        return PASS(0);
    int result = f->under->start_thread(
        f->under->state, function, argument, handle);
    if (result == 0)
        faulty_take(f, FAULTY_START_THREAD, *handle);
    return PASS(result);
}

/* A failed join still joins. */
static int join_thread(void *state, uintptr_t handle)
{
    struct faulty *f = state;
    struct faulty_turn turn = begin_range(f, FAULTY_JOIN_THREAD, -1, 0, 0);
    faulty_give_back(f, FAULTY_START_THREAD, handle);
    int result = f->under->join_thread(f->under->state, handle);
    return PASS(result);
}

static const struct vv_system functions = {
    .open_file = open_file,
    .create_file = create_file,
    .create_private = create_private,
    .open_to_write = open_to_write,
    .open_directory = open_directory,
    .open_real_directory = open_real_directory,
    .close = close_descriptor,
    .look = look,
    .set_access = set_access,
    .info = info,
    .read_at = read_at,
    .write_at = write_at,
    .reserve = reserve,
    .start_write_back = start_write_back,
    .will_read = will_read,
    .sync = sync_descriptor,
    .lock = lock,
    .share_lock = share_lock,
    .unlock = unlock,
    .rename = rename_file,
    .rename_new = rename_new,
    .link = link_file,
    .remove = remove_name,
    .make_directory = make_directory,
    .each_name = each_name,
    .map = map,
    .unmap = unmap,
    .open_tracker = open_tracker,
    .track = track,
    .untrack = untrack,
    .each_written = each_written,
    .arm = arm,
    .random = random_bytes,
    .now = now,
    .uptime = uptime,
    .sleep = sleep_for,
    .process = process,
    .processors = processors,
    .start_thread = start_thread,
    .join_thread = join_thread,
};

struct faulty *faulty_new(const struct vv_system *under)
{
    struct faulty *f = calloc(1, sizeof *f);
    faulty_must(f, "the machine is out of memory");
    f->system = functions;
    f->system.state = f;
    f->under = under;
    if (!under->look)
        f->system.look = NULL;
    pthread_mutex_init(&f->lock, NULL);
    faulty_plan(f, NULL);
    return f;
}

void faulty_free(struct faulty *f)
{
    if (!f)
        return;
    pthread_mutex_destroy(&f->lock);
    free(f->log);
    free(f->open);
    free(f);
}

const struct vv_system *faulty_system(struct faulty *f)
{
    return &f->system;
}
