/* temporary_output.c - Names, locks and removes temporary files and
 * directories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "temporary_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <varve/error.h>

#include "complaint.h"
#include "interruption.h"
#include "memory.h"
#include "store_path.h"

#define FILE_MARK ".varve-"

/* Characters for the template of mkdtemp. */
static const char letters[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum {
    MOST_TRIES = 100,
    MOST_OF_NAME = 200, /* bytes of a name that the temporary name contains */
};

static size_t name_begin(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static char *folder_of(const char *path)
{
    size_t size = name_begin(path);
    return size ? memory_copy_text(path, size) : memory_copy_text(".", 1);
}

/* --- The folder of a path ------------------------------------------------- */

static int complain_folder(
    const struct settings *settings, const char *path, const char *folder)
{
    char why[512];
    snprintf(why, sizeof why, "there is no directory '%s'", folder);
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_FILE,
                                  .code = varve_status_name(VARVE_NOT_FOUND),
                                  .what = "cannot write",
                                  .file = path,
                                  .why = why,
                                  .hint = "--parents creates it" });
}

static bool make_folders(char *folder)
{
    for (char *at = folder + 1;; at++) {
        char kept = *at;
        if (kept != '/' && kept != '\0')
            continue;
        *at = '\0';
        bool is_made = mkdir(folder, 0777) == 0 || errno == EEXIST;
        *at = kept;
        if (!is_made || kept == '\0')
            return is_made;
    }
}

int temporary_output_check_folder(
    const struct settings *settings, const char *path)
{
    struct stat info;
    if (is_in_store(path))
        return OUTCOME_DONE;
    char *folder = folder_of(path);
    bool is_missing = stat(folder, &info) != 0 && errno == ENOENT;
    int outcome = OUTCOME_DONE;
    if (is_missing && !settings->parents)
        outcome = complain_folder(settings, path, folder);
    else if (is_missing && !make_folders(folder))
        outcome = complain_system(settings, "cannot create", folder);
    free(folder);
    return outcome;
}

/* --- Left-over entries ---------------------------------------------------- */

/* Returns 1 if the lock was taken, 0 if it is held, and -1 if there are no
 * locks. */
static int take_lock(int descriptor)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return 1;
    return errno == EWOULDBLOCK ? 0 : -1;
}

static bool has_name(int descriptor, int folder, const char *name)
{
    struct stat open, named;
    return fstat(descriptor, &open) == 0 &&
           fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/* Opens and locks a left-over entry of this user, or returns -1. */
static int open_left(int folder, const char *name, int flags)
{
    struct stat info;
    int found = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC);
    if (found < 0)
        return -1;
    if (fstat(found, &info) == 0 && info.st_uid == geteuid() &&
        (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) &&
        take_lock(found) > 0 && has_name(found, folder, name))
        return found;
    close(found);
    return -1;
}

static void remove_files(int folder)
{
    DIR *names = fdopendir(dup(folder));
    for (struct dirent *e; names && (e = readdir(names));)
        unlinkat(folder, e->d_name, 0);
    if (names)
        closedir(names);
}

static void sweep_file(int folder, const char *name)
{
    int left = open_left(folder, name, O_WRONLY | O_NONBLOCK);
    if (left < 0)
        return;
    unlinkat(folder, name, 0);
    close(left);
}

static void sweep_folder(int folder, const char *name)
{
    int left = open_left(folder, name, O_RDONLY | O_DIRECTORY);
    if (left < 0)
        return;
    remove_files(left);
    unlinkat(folder, name, AT_REMOVEDIR);
    close(left);
}

/* Names of left-over entries: `mark`, then only `digits`, then `tail`. */
struct pattern {
    const char *mark, *digits, *tail;
    void (*remove)(int folder, const char *name);
};

static bool matches(const struct pattern *p, const char *name)
{
    size_t size = strlen(p->mark);
    if (strncmp(name, p->mark, size) != 0)
        return false;
    size_t digits = strspn(name + size, p->digits);
    return digits > 0 && strcmp(name + size + digits, p->tail) == 0;
}

static void sweep(const char *path, const struct pattern *p)
{
    char *folder = folder_of(path);
    DIR *names = opendir(folder);
    for (struct dirent *e; names && (e = readdir(names));) {
        if (matches(p, e->d_name))
            p->remove(dirfd(names), e->d_name);
    }
    if (names)
        closedir(names);
    free(folder);
}

/* Removes temporary files that the library has left for this path, as its next
 * write to the path would (lib/os/temporary.h). */
static void sweep_library(const char *path)
{
    const char *name = path + name_begin(path);
    char *mark = memory_allocate(strlen(name) + 3, 1);
    sprintf(mark, ".%s.", name);
    sweep(path,
        &(struct pattern){ mark, "0123456789abcdef", ".tmp", sweep_file });
    free(mark);
}

/* --- Creation ------------------------------------------------------------- */

/* Locks a new entry; returns false if another process has removed it as left
 * over. */
static bool guard_it(const char *path, int descriptor)
{
    return take_lock(descriptor) != 0 && has_name(descriptor, AT_FDCWD, path);
}

/* Returns the path up to the mark, and sets *begin to the position of the
 * name. */
static char *file_start(const char *path, size_t *begin)
{
    *begin = name_begin(path);
    size_t size = strlen(path) + sizeof FILE_MARK + 2;
    char *start = memory_allocate(size, 1);
    snprintf(start, size, "%.*s.%.*s" FILE_MARK, (int)*begin, path,
        (int)MOST_OF_NAME, path + *begin);
    return start;
}

char *temporary_output_make_file(
    const char *path, mode_t mode, int *file, int *guard)
{
    size_t begin;
    char *start = file_start(path, &begin);
    size_t size = strlen(start) + 48;
    char *made = memory_allocate(size, 1);
    sweep(
        path, &(struct pattern){ start + begin, "0123456789", "", sweep_file });
    *file = -1;
    for (int i = 0; i < MOST_TRIES && *file < 0; i++) {
        snprintf(made, size, "%s%ld%02d", start, (long)getpid(), i);
        interruption_removes(made);
        *file = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (*file < 0 && errno != EEXIST)
            break;
        if (*file >= 0 && !guard_it(made, *file)) {
            close(*file);
            *file = -1;
        }
    }
    free(start);
    *guard = *file < 0 ? -1 : fcntl(*file, F_DUPFD_CLOEXEC, 3);
    if (*file >= 0)
        return made;
    interruption_removes(NULL);
    free(made);
    return NULL;
}

static char *make_folder(const char *path, int *guard)
{
    size_t begin = name_begin(path);
    char *made = memory_allocate(begin + TEMPORARY_OUTPUT_FOLDER_SIZE + 1, 1);
    memcpy(made, path, begin);
    strcpy(made + begin, TEMPORARY_OUTPUT_FOLDER "XXXXXX");
    *guard =
        mkdtemp(made) ? open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (*guard >= 0)
        return made;
    free(made);
    return NULL;
}

char *temporary_output_make_folder(const char *path, int *guard)
{
    sweep(path, &(struct pattern){
                    TEMPORARY_OUTPUT_FOLDER, letters, "", sweep_folder });
    sweep_library(path);
    for (int i = 0; i < MOST_TRIES; i++) {
        char *made = make_folder(path, guard);
        if (!made || guard_it(made, *guard))
            return made;
        close(*guard);
        free(made);
    }
    return NULL;
}

void temporary_output_remove_folder(const char *folder, int guard)
{
    remove_files(guard);
    rmdir(folder);
    close(guard);
}
