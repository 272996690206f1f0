/* recorder.h - a system over a memory system that writes down what changes the
 * disk; and wrong ones, which do not do what they are asked to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_RECORDER_H
#define CRASH_RECORDER_H

#include "crash/history.h"

struct memory;
struct vv_system;

/* Mistakes that others have made in publishing a file. */
enum crash_mistake {
    CRASH_NONE,
    CRASH_NO_FILE_SYNC,
    CRASH_NO_DIRECTORY_SYNC,
    CRASH_NO_SYNC,
    CRASH_RENAME_FIRST, /* the file is synced after it got its name */
    CRASH_MISTAKES,
};

/* Begins with an empty disk; one at a time. What stands before the recording is
 * put there by recorder_put, as if synced. */
const struct vv_system *recorder_begin(
    struct memory *memory, enum crash_mistake mistake);
void recorder_put(const char *path, const void *bytes, size_t size);
struct history *recorder_history(void);

/* Of the newest change, beside threads that make others. */
long recorder_time(void);
void recorder_end(void);

#endif
