/* faulty_system.h - a system that passes calls on to another one, writes each
 * down, and lets chosen ones fail.
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
 * Safe for several threads. Its own memory does not pass the test's allocator.
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

/* Kinds of calls, as bits so that they can be combined. */
enum faulty_kind {
    FAULTY_OPEN = 1 << 0,
    FAULTY_CREATE = 1 << 1,
    FAULTY_OPEN_DIRECTORY = 1 << 2,
    FAULTY_CLOSE = 1 << 3, /* of a file that was opened */
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
    FAULTY_PROCESSORS = 1 << 22, /* cannot fail: says 1 instead */
    FAULTY_START_THREAD = 1 << 23,
    FAULTY_JOIN_THREAD = 1 << 24,
    FAULTY_LOCK = 1 << 25,
    FAULTY_SHARE_LOCK = 1 << 26,
    FAULTY_OPEN_TRACKER = 1 << 27,
    FAULTY_TRACK = 1 << 28, /* all calls about what is tracked */
    FAULTY_UNLOCK = 1 << 29,
    FAULTY_LINK = 1 << 30,
    FAULTY_ALL = 0x7fffffff,
};

enum faulty_way {
    FAULTY_FAILS,    /* -error; a close closes, a join joins all the same */
    FAULTY_ONE_BYTE, /* reads and writes move one byte; others pass */
    FAULTY_BUT_ONE,  /* all but one, but at least one byte */
    FAULTY_HALF,     /* half, but at least one byte */
    FAULTY_NOTHING,  /* 0 bytes: the end of the file to a reader */
    FAULTY_STOPS,    /* calls `stop`, and passes if that returns */
};

struct faulty_plan {
    long number;   /* of the call, from 0, among those in `kinds`; -1: none */
    bool sticky;   /* and all after it */
    unsigned kinds; /* which calls count and may fail; 0: all */
    enum faulty_way way;
    int error; /* positive errno */
    /* A further call that fails, always with an error: its number, above the
     * first one's, among the same kinds; 0: none. */
    long second;
    bool second_sticky; /* and all after it */
    int second_error;
    void (*stop)(void *user);
    void *user;
};

/* A call as it was made. */
struct faulty_call {
    enum faulty_kind kind;
    int descriptor; /* the directory for calls with names */
    char name[128]; /* of what it is about; cut */
    char to[128];   /* the new name of a rename; cut */
    uint64_t offset;
    uint64_t size;
    int64_t result;
};

/* `under` outlives it. Without a plan nothing fails. */
struct faulty *faulty_new(const struct vv_system *under);
void faulty_free(struct faulty *faulty);
const struct vv_system *faulty_system(struct faulty *faulty);

/* Begins anew: counts from 0, empties the log; NULL lets all calls pass. */
void faulty_plan(struct faulty *faulty, const struct faulty_plan *plan);

/* Calls in the plan's kinds since then, and whether the plan came true. */
long faulty_count(const struct faulty *faulty);
bool faulty_hit(const struct faulty *faulty);
bool faulty_hit_second(const struct faulty *faulty);

/* The log since then, in order of beginning; not while threads run. */
size_t faulty_log_size(const struct faulty *faulty);
const struct faulty_call *faulty_log_at(const struct faulty *faulty, size_t i);

/* The place in the log of the first call that was made to fail; the log's size
 * if there was none. */
size_t faulty_log_hit(const struct faulty *faulty);

/* The place in the log of the next call of these kinds from `from` on; the
 * log's size if there is none. */
size_t faulty_log_find(
    const struct faulty *faulty, unsigned kinds, size_t from);

/* Bytes that the reads in the log asked for. */
uint64_t faulty_log_read(const struct faulty *faulty);

/* "sync_directory" */
const char *faulty_kind_name(enum faulty_kind kind);

/* Descriptors, maps and threads that were not given back. */
int faulty_open_count(const struct faulty *faulty);

#endif
