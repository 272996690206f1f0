/* output.c - Writes files that are complete or do not exist.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* for realpath and lstat */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temporary_output.h"
#include "complaint.h"
#include "interruption.h"
#include "store_path.h"

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* Returns the path itself or, for a symbolic link, its target. Returns NULL if
 * the target does not exist. */
static char *find_end(const char *path)
{
    struct stat info;
    bool is_link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    return is_link ? realpath(path, NULL) : strdup(path);
}

/* Sets the permissions of the file that is replaced, before the first byte is
 * written, and its group and owner if that is permitted. If the group cannot be
 * set, both classes get only the bits that group and others both had. */
static int take_access(int file, const struct stat *older)
{
    mode_t mode = older->st_mode & 0777, common = mode >> 3 & mode & 07;
    struct stat now;
    if (fstat(file, &now))
        return -1;
    if (now.st_gid != older->st_gid &&
        fchown(file, (uid_t)-1, older->st_gid) != 0)
        mode = (mode & 0700) | common << 3 | common;
    if (fchmod(file, mode))
        return -1;
    /* most users are not permitted to; they own the file then */
    if (now.st_uid != older->st_uid && fchown(file, older->st_uid, (gid_t)-1))
        return errno == EPERM || errno == EINVAL ? 0 : -1;
    return 0;
}

/* Removes the temporary file and closes its guard. */
static void give_up(struct output *output)
{
    unlink(output->temporary);
    interruption_removes(NULL);
    close(output->guard);
}

static FILE *open_temporary(struct output *output)
{
    struct stat older;
    int file;
    output->end = find_end(output->path);
    if (!output->end)
        return NULL;
    bool is_older = stat(output->end, &older) == 0;
    output->temporary = temporary_output_make_file(
        output->end, is_older ? 0600 : 0666, &file, &output->guard);
    if (!output->temporary)
        return NULL;
    if (!is_older || take_access(file, &older) == 0)
        return fdopen(file, "w");
    int reason = errno;
    close(file);
    give_up(output);
    errno = reason;
    return NULL;
}

int output_open(
    const struct settings *settings, const char *path, struct output *output)
{
    *output = (struct output){ .stream = stdout, .path = path };
    if (!output->path)
        return OUTCOME_DONE;
    if (is_in_store(path))
        return complain_store(settings, path);
    if (temporary_output_check_folder(settings, path) != OUTCOME_DONE)
        return OUTCOME_FILE;
    if (is_special(output->path))
        output->stream = fopen(output->path, "w");
    else
        output->stream = open_temporary(output);
    if (output->stream)
        return OUTCOME_DONE;
    int outcome = complain_system(settings, "cannot write", output->path);
    free(output->temporary);
    free(output->end);
    return outcome;
}

int output_close(
    const struct settings *settings, struct output *output, int outcome)
{
    bool failed = fflush(output->stream) != 0 || ferror(output->stream);
    if (output->path)
        failed |= fclose(output->stream) != 0;
    if (outcome == OUTCOME_DONE && !failed && output->temporary)
        failed = rename(output->temporary, output->end) != 0;
    if (outcome == OUTCOME_DONE && failed)
        outcome = complain_system(settings, "cannot write",
            output->path ? output->path : "standard output");
    if (outcome != OUTCOME_DONE && output->temporary)
        unlink(output->temporary);
    interruption_removes(NULL);
    if (output->temporary)
        close(output->guard);
    free(output->temporary);
    free(output->end);
    return outcome;
}
