/* event_file.c - Creates
 * events.out.tfevents.<seconds>.<host>.<process>.<number>
 *
 * TensorBoard reads all files with "tfevents" in their names, in the order of
 * their names. So a clock that was set back must not place a later file before
 * an earlier one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "event_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "name.h"
#include "retry.h"
#include "system.h"
#include "try.h"

#define PREFIX "events.out.tfevents."
#define MOST_SECONDS INT64_C(9999999999)

enum {
    DIGITS = 10,
    LONGEST_NAME = 192,
    MOST_NUMBERS = 10000 /* of files that a process creates within a second */
};

/* A vv_each_name: finds the highest seconds of all event files. */
static int event_file_look_at_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    int64_t *newest = user;
    uint64_t seconds;
    size_t size = strlen(PREFIX);
    if (strncmp(name, PREFIX, size) != 0)
        return 0;
    name += size;
    while (*name == '0')
        name++;
    size = strcspn(name, ".");
    if (size <= DIGITS && vv_parse_decimal(name, size, &seconds) &&
        (int64_t)seconds > *newest)
        *newest = (int64_t)seconds;
    return 0;
}

static int64_t seconds_of(const struct vv_context *context, int directory)
{
    const struct vv_system *system = context->system;
    int64_t newest = -1;
    int64_t now = system->now(system->state) / 1000000000;
    system->each_name(
        system->state, directory, event_file_look_at_name, &newest);
    if (newest >= now && newest < MOST_SECONDS)
        return newest + 1;
    if (now < 0)
        return 0;
    return now < MOST_SECONDS ? now : MOST_SECONDS;
}

/* Replaces characters of a host name that are not safe in a file name. */
static void make_harmless(char *machine)
{
    for (char *c = machine; *c; c++) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '0' && *c <= '9') || *c == '-' || *c == '.';
        if (!is_plain)
            *c = '_';
    }
}

static int event_file_create(
    const struct vv_context *context, int directory, const char *name)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int result;
    do
        result = system->create_file(system->state, directory, name);
    while (vv_try_again(result, &tries));
    return result;
}

/* Makes the file and sets `name` to its name. */
static int create_with_name(
    const struct vv_context *context, int directory, char name[LONGEST_NAME])
{
    const struct vv_system *system = context->system;
    char machine[65] = "";
    int64_t process = system->process(system->state, machine, sizeof machine);
    make_harmless(machine);
    int64_t seconds = seconds_of(context, directory);
    int result = -EEXIST;
    for (int i = 0; result == -EEXIST && i < MOST_NUMBERS; i++) {
        snprintf(name, LONGEST_NAME, PREFIX "%010" PRId64 ".%s.%" PRId64 ".%d",
            seconds, *machine ? machine : "unknown", process, i);
        result = event_file_create(context, directory, name);
    }
    return result;
}

/* Returns the directory with a slash, in memory with room for the name. */
static char *path_in(const struct vv_context *context, const char *directory)
{
    size_t size = strlen(directory);
    char *path = vv_allocate(&context->allocator, size + 1 + LONGEST_NAME);
    if (!path)
        return NULL;
    memcpy(path, directory, size);
    if (path[size - 1] != '/')
        path[size++] = '/';
    path[size] = '\0';
    return path;
}

static varve_status create_in(
    const struct vv_context *context, char *path, int *file, varve_error *error)
{
    int directory;
    VV_TRY(vv_directory_make_parent(context, path, true, &directory, error));
    char *name = path + strlen(path);
    *file = create_with_name(context, directory, name);
    vv_file_close(context, directory);
    if (*file < 0)
        return vv_fail_system(error, -*file, "creating the file", path);
    return VARVE_OK;
}

varve_status vv_event_file_create(const struct vv_context *context,
    const char *directory, int *file, char **path, varve_error *error)
{
    const varve_allocator *a = &context->allocator;
    char *whole = path_in(context, directory);
    if (!whole)
        return vv_fail_memory(error, "the path of an event file");
    size_t room = strlen(directory) + 1 + LONGEST_NAME;
    varve_status status = create_in(context, whole, file, error);
    if (!status) {
        *path = vv_copy_string(a, whole);
        if (!*path) {
            vv_file_close(context, *file);
            context->system->remove(
                context->system->state, VV_WORKING_DIRECTORY, whole);
            status = vv_fail_memory(error, "the path of an event file");
        }
    }
    vv_release(a, whole, room);
    return status;
}
