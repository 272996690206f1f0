/* temporary.c - Makes, releases and cleans up temporary files.
 *
 * The written file is closed before it is renamed, because close can report
 * lost data. So a second descriptor holds the lock until the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "temporary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "file.h"
#include "retry.h"
#include "try.h"

enum {
    MOST_NAMES = 100, /* random names that are tried */
    MOST_REMOVES = 3,
    DIGITS = 16,
    MOST_KEPT = 255 - VV_TEMPORARY_OVERHEAD,
};

/* Returns the size of the part of a name that is in the name of its temporary
 * file. The cut is between characters, because some file systems require
 * UTF-8. */
static size_t kept_size(const char *name)
{
    size_t size = strlen(name);
    if (size <= MOST_KEPT)
        return size;
    size = MOST_KEPT;
    while (size > 0 && ((unsigned char)name[size] & 0xC0) == 0x80)
        size--;
    return size;
}

bool vv_temporary_is_of(const char *name, const char *candidate)
{
    size_t kept = kept_size(name);
    return strlen(candidate) == kept + VV_TEMPORARY_OVERHEAD &&
           candidate[0] == '.' && memcmp(candidate + 1, name, kept) == 0 &&
           candidate[1 + kept] == '.' &&
           strspn(candidate + 2 + kept, "0123456789abcdef") == DIGITS &&
           strcmp(candidate + 2 + kept + DIGITS, ".tmp") == 0;
}

/* --- Creation ------------------------------------------------------------- */

static varve_status choose_name(struct vv_temporary *t, const char *name,
    const char *path, varve_error *error)
{
    uint64_t number = 0;
    VV_TRY(vv_file_random(t->context, &number, sizeof number, path, error));
    snprintf(t->name, sizeof t->name, ".%.*s.%016" PRIx64 ".tmp",
        (int)kept_size(name), name, number);
    return VARVE_OK;
}

static int temporary_create(struct vv_temporary *t, bool is_private)
{
    const struct vv_system *system = t->context->system;
    unsigned tries = 0;
    do
        t->file =
            is_private
                ? system->create_private(system->state, t->directory, t->name)
                : system->create_file(system->state, t->directory, t->name);
    while (vv_try_again(t->file, &tries));
    return t->file < 0 ? t->file : 0;
}

static bool is_swept(const struct vv_temporary *t)
{
    const struct vv_system *system = t->context->system;
    int found = system->open_file(system->state, t->directory, t->name);
    if (found >= 0)
        vv_file_close(t->context, found);
    return found == -ENOENT;
}

/* Returns false if another process removed the file as left over before it was
 * locked. */
static bool take_guard(struct vv_temporary *t)
{
    const struct vv_system *system = t->context->system;
    t->guard = system->open_to_write(system->state, t->directory, t->name);
    if (t->guard < 0)
        return t->guard != -ENOENT;
    int result = system->lock(system->state, t->guard);
    return result == 0 ? !is_swept(t) : result != -EWOULDBLOCK;
}

/* Returns -EEXIST if another name must be tried. */
static int make_one(struct vv_temporary *t, bool is_private)
{
    int result = temporary_create(t, is_private);
    if (result == 0 && !take_guard(t)) {
        vv_file_close(t->context, t->file);
        vv_temporary_remove(t);
        result = -EEXIST;
    }
    return result;
}

varve_status vv_temporary_make(struct vv_temporary *t,
    const struct vv_context *context, int directory, const char *name,
    const char *path, bool is_private, varve_error *error)
{
    *t = (struct vv_temporary){
        .context = context, .directory = directory, .file = -1, .guard = -1
    };
    int result = -EEXIST;
    for (int i = 0; i < MOST_NAMES && result == -EEXIST; i++) {
        VV_TRY(choose_name(t, name, path, error));
        result = make_one(t, is_private);
    }
    if (result == -EEXIST)
        return vv_fail(error, VARVE_IO,
            "%s: no free temporary name: all %d that were tried exist", path,
            MOST_NAMES);
    if (result < 0)
        return vv_fail_system(
            error, -result, "creating a temporary file", path);
    return VARVE_OK;
}

/* --- Release -------------------------------------------------------------- */

void vv_temporary_release(struct vv_temporary *t)
{
    if (t->guard >= 0)
        vv_file_close(t->context, t->guard);
    t->guard = -1;
}

static void temporary_remove_name(
    const struct vv_context *context, int directory, const char *name)
{
    const struct vv_system *system = context->system;
    for (int i = 0; i < MOST_REMOVES; i++) {
        int result = system->remove(system->state, directory, name);
        if (result == 0 || result == -ENOENT)
            return;
    }
}

void vv_temporary_remove(struct vv_temporary *t)
{
    temporary_remove_name(t->context, t->directory, t->name);
    vv_temporary_release(t);
}

/* --- Cleanup -------------------------------------------------------------- */

struct sweep {
    const struct vv_context *context;
    int directory;
    const char *name;
};

/* While this lock is held, a new writer cannot lock the file and makes another
 * one. */
void vv_temporary_sweep_one(
    const struct vv_context *context, int directory, const char *candidate)
{
    const struct vv_system *system = context->system;
    int file = system->open_to_write(system->state, directory, candidate);
    if (file < 0)
        return;
    if (system->lock(system->state, file) == 0)
        temporary_remove_name(context, directory, candidate);
    vv_file_close(context, file);
}

static int temporary_look_at_name(
    void *user, const char *candidate, const struct vv_file_info *info)
{
    (void)info;
    const struct sweep *s = user;
    if (vv_temporary_is_of(s->name, candidate))
        vv_temporary_sweep_one(s->context, s->directory, candidate);
    return 0;
}

void vv_temporary_sweep(
    const struct vv_context *context, int directory, const char *name)
{
    struct sweep s = { context, directory, name };
    context->system->each_name(
        context->system->state, directory, temporary_look_at_name, &s);
}
