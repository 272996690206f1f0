/* temporary_output.h - Makes temporary files and directories beside an output,
 * and removes those of killed processes.
 *
 * The writer holds a lock on its file, which ends with the process. The next
 * process that writes to the same output locks and removes left-over files. On
 * file systems without locks nothing is removed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TEMPORARY_OUTPUT_H
#define TOOL_TEMPORARY_OUTPUT_H

#include <sys/types.h>

#include "settings.h"

/* Prefix of the name of a temporary directory. */
#define TEMPORARY_OUTPUT_FOLDER ".varve-convert-"
enum { TEMPORARY_OUTPUT_FOLDER_SIZE = sizeof TEMPORARY_OUTPUT_FOLDER - 1 + 6 };

/* Returns OUTCOME_DONE if the directory of `path` exists; with --parents, makes
 * it. Otherwise prints an error. */
int temporary_output_check_folder(
    const struct settings *settings, const char *path);

/* Both functions remove left-over files beside `path`, and make a new one.
 * *guard is set to the descriptor that holds its lock; close it after the file
 * is renamed or removed. On failure they return NULL, with errno. */

/* Makes an empty file `.NAME.varve-PID` with `mode`. An interruption removes
 * it. The writer must close *file. */
char *temporary_output_make_file(
    const char *path, mode_t mode, int *file, int *guard);

/* Makes an empty directory `.varve-convert-XXXXXX`. */
char *temporary_output_make_folder(const char *path, int *guard);

/* Removes a directory and the files in it, and closes the guard. */
void temporary_output_remove_folder(const char *folder, int guard);

#endif
