/* aside.h - Temporary files and folders beside an output until it is complete,
 * and those that a killed process has left.
 *
 * Whoever writes one holds its lock, which ends with the process. The next
 * process that writes there takes the lock of what it finds and removes it.
 * Where the file system has no locks, nothing is removed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ASIDE_H
#define TOOL_ASIDE_H

#include <sys/types.h>

#include "settings.h"

/* The beginning of the name of a folder. */
#define ASIDE_FOLDER ".varve-convert-"
enum { ASIDE_FOLDER_SIZE = sizeof ASIDE_FOLDER - 1 + 6 };

/* OUTCOME_DONE where the folder that `path` is to be in is there; with
 * --parents, it is made. Else it has been complained of. */
int aside_check_folder(const struct settings *settings, const char *path);

/* Both remove what was left beside `path`, and make a new one. `guard` is the
 * descriptor with its lock, to be closed once it has its place or is removed.
 * On failure NULL, with errno. */

/* An empty file `.NAME.varve-PID` with `mode`, which an interruption removes;
 * *file is closed by the writer. */
char *aside_make_file(const char *path, mode_t mode, int *file, int *guard);

/* An empty folder `.varve-convert-XXXXXX`. */
char *aside_make_folder(const char *path, int *guard);

/* Removes a folder, the files in it, and closes the guard. */
void aside_remove_folder(const char *folder, int guard);

#endif
