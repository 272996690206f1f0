/* faulty_system.h - Declares a system that passes calls on to another one, logs
 * them, and lets selected ones fail.
 *
 *     struct faulty *faulty = faulty_new(&vv_posix_system);
 *     struct vv_context context = test_context(faulty_system(faulty));
 *     for (long n = 0; ; n++) {
 *         faulty_plan(faulty, &(struct faulty_plan){
 *             .number = n, .error = EIO });
 *         varve_status status = whatever_is_under_test(&context);
 *         if (!faulty_hit(faulty))
 *             break; ... it made n calls in all, and none failed
 *     }
 *     faulty_free(faulty);
 *
 * Thread-safe. Its own memory does not come from the test's allocator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_FAULTY_SYSTEM_H
#define SUPPORT_FAULTY_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vv_system;
struct faulty;

/* Kinds of calls, as a mask. */
enum faulty_kind {
    FAULTY_OPEN = 1 << 0,
    FAULTY_CREATE = 1 << 1,
    FAULTY_OPEN_DIRECTORY = 1 << 2,
    FAULTY_CLOSE = 1 << 3, /* of an opened file */
    FAULTY_CLOSE_CREATED = 1 << 4,
    FAULTY_CLOSE_DIRECTORY = 1 << 5,
    FAULTY_INFO = 1 << 6,
    FAULTY_READ = 1 << 7,
    FAULTY_WRITE = 1 << 8,
    FAULTY_RESERVE = 1 << 9,
    FAULTY_START_WRITE_BACK = 1 << 10,
    FAULTY_WILL_READ = 1 << 11,
    FAULTY_SYNC = 1 << 12,
    FAULTY_SYNC_DIRECTORY = 1 << 13,
    FAULTY_RENAME = 1 << 14,
    FAULTY_RENAME_NEW = 1 << 15,
    FAULTY_REMOVE = 1 << 16,
    FAULTY_MAKE_DIRECTORY = 1 << 17,
    FAULTY_EACH_NAME = 1 << 18,
    FAULTY_MAP = 1 << 19,
    FAULTY_UNMAP = 1 << 20,
    FAULTY_RANDOM = 1 << 21,
    FAULTY_PROCESSORS = 1 << 22, /* cannot fail: returns 1 instead */
    FAULTY_START_THREAD = 1 << 23,
    FAULTY_JOIN_THREAD = 1 << 24,
    FAULTY_LOCK = 1 << 25,
    FAULTY_SHARE_LOCK = 1 << 26,
    FAULTY_OPEN_TRACKER = 1 << 27,
    FAULTY_TRACK = 1 << 28, /* all calls of dirty-page tracking */
    FAULTY_UNLOCK = 1 << 29,
    FAULTY_LINK = 1 << 30,
    FAULTY_ALL = 0x7fffffff,
};

enum faulty_way {
    FAULTY_FAILS,    /* -error; close and join take effect nevertheless */
    FAULTY_ONE_BYTE, /* reads and writes transfer one byte; others pass */
    FAULTY_BUT_ONE,  /* all but one byte, but at least one */
    FAULTY_HALF,     /* half, but at least one byte */
    FAULTY_NOTHING,  /* 0 bytes: the end of the file for a reader */
    FAULTY_STOPS,    /* calls `stop`, and passes if that returns */
};

struct faulty_plan {
    /* number of the call, from 0, among those in `kinds`; -1: none */
    long number;
    bool sticky;    /* all later calls fail too */
    unsigned kinds; /* the calls that are counted and may fail; 0: all */
    enum faulty_way way;
    int error; /* positive errno */
    /* The number of a second call that fails, always with an error: higher than
     * the first one, among the same kinds; 0: none. */
    long second;
    bool second_sticky; /* all later calls fail too */
    int second_error;
    void (*stop)(void *user);
    void *user;
};

/* A logged call. */
struct faulty_call {
    enum faulty_kind kind;
    int descriptor; /* the directory for calls with names */
    char name[128]; /* the object of the call; truncated */
    char to[128];   /* the new name of a rename; truncated */
    uint64_t offset;
    uint64_t size;
    int64_t result;
};

/* `under` must outlive it. Without a plan nothing fails. */
struct faulty *faulty_new(const struct vv_system *under);
void faulty_free(struct faulty *faulty);
const struct vv_system *faulty_system(struct faulty *faulty);

/* Starts a plan: counts from 0 and clears the log. NULL lets all calls pass. */
void faulty_plan(struct faulty *faulty, const struct faulty_plan *plan);

/* Return the number of calls of the plan's kinds since then, and whether the
 * planned failure occurred. */
long faulty_count(const struct faulty *faulty);
bool faulty_hit(const struct faulty *faulty);
bool faulty_hit_second(const struct faulty *faulty);

/* Access the log since then, in order of the starts of calls. Not while threads
 * run. */
size_t faulty_log_size(const struct faulty *faulty);
const struct faulty_call *faulty_log_at(const struct faulty *faulty, size_t i);

/* Returns the index in the log of the first call that failed as planned, or the
 * size of the log. */
size_t faulty_log_hit(const struct faulty *faulty);

/* Returns the index in the log of the next call of these kinds, starting at
 * `from`, or the size of the log. */
size_t faulty_log_find(
    const struct faulty *faulty, unsigned kinds, size_t from);

/* Returns the number of bytes that the logged reads requested. */
uint64_t faulty_log_read(const struct faulty *faulty);

/* "sync_directory" */
const char *faulty_kind_name(enum faulty_kind kind);

/* Returns the number of descriptors, maps and threads that were not
 * released. */
int faulty_open_count(const struct faulty *faulty);

#endif
