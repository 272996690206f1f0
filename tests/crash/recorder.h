/* recorder.h - Declares a system that records changes to an in-memory disk, and
 * variants with deliberate errors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_RECORDER_H
#define CRASH_RECORDER_H

#include "crash/history.h"

struct memory;
struct vv_system;

/* Errors that other programs have made when they replace a file. */
enum crash_mistake {
    CRASH_NONE,
    CRASH_NO_FILE_SYNC,
    CRASH_NO_DIRECTORY_SYNC,
    CRASH_NO_SYNC,
    CRASH_RENAME_FIRST, /* the file is synced after the rename */
    CRASH_MISTAKES,
};

/* Starts a recording with an empty disk; only one at a time. recorder_put adds
 * files that exist before the recording, as if synced. */
const struct vv_system *recorder_begin(
    struct memory *memory, enum crash_mistake mistake);
void recorder_put(const char *path, const void *bytes, size_t size);
struct history *recorder_history(void);

/* Returns the time of the newest change; other threads may make changes
 * meanwhile. */
long recorder_time(void);
void recorder_end(void);

#endif
