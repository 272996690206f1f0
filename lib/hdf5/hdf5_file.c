/* hdf5_file.c - Implements the lock, converts the error stack of libhdf5, and
 * closes ids.
 *
 * If a process forks while another thread is in libhdf5, the state of libhdf5
 * in the child is inconsistent and no thread will complete it. All calls in the
 * child then fail. Delaying the fork is not an option: it could take as long as
 * a read, or forever if the data that is read depends on the forking thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_file.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct line {
    varve_status status;
    char outer[120], inner[240];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Thread-local variables are not used: the leak sanitizer crashes if a module
 * has one. */
static _Atomic(pthread_t) owner; /* set before `is_taken` */
static atomic_bool is_taken;     /* the owner holds the lock */
static atomic_bool is_half;      /* another thread held the lock at the time of
                                    the fork */
/* The first failure of the current call. Every call of libhdf5, including
 * closing, clears its error stack. */
static struct line noted;

static bool has_turn(void)
{
    return is_taken && pthread_equal(owner, pthread_self());
}

/* Runs in the child, whose only thread is a copy of the one that forked. */
static void after_fork(void)
{
    if (has_turn())
        return;
    is_half = is_half || is_taken;
    pthread_mutex_init(&lock, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, after_fork);
}

static bool hdf5_file_take_turn(varve_error *error)
{
    pthread_once(&once, watch_forks);
    const char *why =
        has_turn() ? "the call is nested in another one"
        : is_half  ? "the process was forked during a call in another thread"
                   : NULL;
    if (why) {
        error->status = VARVE_MISUSE;
        error->system_error = 0;
        snprintf(error->message, sizeof error->message,
            "libhdf5 cannot be called: %s", why);
        return false;
    }
    pthread_mutex_lock(&lock);
    owner = pthread_self();
    is_taken = true;
    return true;
}

bool vv_hdf5_begin(
    struct vv_hdf5_turn *turn, struct vv_hdf5_file *file, varve_error *error)
{
    if (!hdf5_file_take_turn(error))
        return false;
    turn->file = file;
    turn->prints = H5Eget_auto2(H5E_DEFAULT, &turn->print, &turn->data) >= 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    file->is_cancelled = false;
    file->is_listing = true;
    file->reason.status = VARVE_OK;
    noted = (struct line){ .status = VARVE_CORRUPT };
    return true;
}

/* Called for each entry of the error stack, from the outermost function to the
 * one that failed. */
static herr_t hdf5_file_look(unsigned number, const H5E_error2_t *e, void *user)
{
    struct line *line = user;
    char minor[80] = "";
    if (number == 0)
        snprintf(line->outer, sizeof line->outer, "%s", e->func_name);
    H5Eget_msg(e->min_num, NULL, minor, sizeof minor);
    snprintf(line->inner, sizeof line->inner, "%s",
        e->desc && *e->desc ? e->desc : minor);
    if (e->min_num == H5E_NOSPACE || e->min_num == H5E_CANTALLOC)
        line->status = VARVE_NO_MEMORY;
    if (e->min_num == H5E_EXISTS)
        line->status = VARVE_DUPLICATE;
    if (e->min_num == H5E_TRUNCATED)
        line->status = VARVE_TRUNCATED;
    if (e->min_num == H5E_NOFILTER || e->min_num == H5E_VERSION ||
        (strstr(line->inner, "version number") &&
            !strstr(line->inner, "object header version")))
        line->status = VARVE_TOO_NEW;
    return 0;
}

void vv_hdf5_note(void)
{
    struct line line = { .status = VARVE_CORRUPT };
    if (H5Eget_num(H5E_DEFAULT) <= 0)
        return;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, hdf5_file_look, &line);
    noted = line;
}

static varve_status hdf5_file_fail(
    const struct vv_hdf5_file *file, varve_error *error)
{
    if (file->is_cancelled)
        return VARVE_CANCELLED;
    if (file->reason.status) {
        *error = file->reason;
        return file->reason.status;
    }
    vv_hdf5_note();
    error->status = noted.status;
    error->system_error = 0;
    snprintf(error->message, sizeof error->message,
        "libhdf5 cannot read the file: %s: %s (%s)",
        noted.status == VARVE_TOO_NEW     ? "it needs a newer libhdf5"
        : noted.status == VARVE_TRUNCATED ? "the file is truncated"
                                          : "damage",
        *noted.inner ? noted.inner : "no reason",
        *noted.outer ? noted.outer : "libhdf5");
    return noted.status;
}

varve_status vv_hdf5_end(
    struct vv_hdf5_turn *turn, bool is_done, varve_error *error)
{
    /* Some failures to read are ignored by libhdf5, for example while it
     * searches for a superblock. They are failures here. */
    if (turn->file->broken.status)
        turn->file->reason = turn->file->broken;
    bool is_good = is_done && !turn->file->reason.status;
    varve_status status =
        is_good ? VARVE_OK : hdf5_file_fail(turn->file, error);
    H5Eclear2(H5E_DEFAULT);
    if (turn->prints)
        H5Eset_auto2(H5E_DEFAULT, turn->print, turn->data);
    is_taken = false;
    pthread_mutex_unlock(&lock);
    return status;
}

bool vv_hdf5_fail(
    struct vv_hdf5_file *file, varve_status status, const char *format, ...)
{
    va_list arguments;
    if (file->reason.status)
        return false;
    va_start(arguments, format);
    file->reason.status = status;
    file->reason.system_error = 0;
    vsnprintf(
        file->reason.message, sizeof file->reason.message, format, arguments);
    va_end(arguments);
    return false;
}

void vv_hdf5_drop(hid_t id)
{
    if (id <= 0)
        return;
    vv_hdf5_note();
    H5Idec_ref(id);
}

hid_t vv_hdf5_open_object(struct vv_hdf5_file *file, uint64_t object)
{
    if (file->opened > 0 && file->opened_at == object)
        return file->opened;
    vv_hdf5_drop(file->opened);
    file->opened = H5Oopen_by_addr(file->file, object);
    file->opened_at = object;
    return file->opened;
}
