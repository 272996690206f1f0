/* watch.c - Lists a directory, with increasing delays, until a new number
 * appears.
 *
 * SPDX-License-Identifier: MIT
 */
#include "watch.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "default_allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "lease.h"
#include "numbered.h"
#include "save.h"
#include "store.h"
#include "try.h"

#define A_MILLISECOND ((int64_t)1000000)
#define FIRST_PAUSE (10 * A_MILLISECOND)

enum { USUAL_MAX_PAUSE_MS = 1000 };

struct varve_watch {
    struct vv_context context;
    char *prefix;
    varve_watch_options options;
    struct vv_buffer path;      /* of the last one returned */
    struct vv_held_lease lease; /* of this checkpoint */
    bool has_number;
    uint64_t number;  /* the last one returned, or that of `after` */
    int64_t earliest; /* uptime at which the next can be returned */
    bool is_name;     /* the directory contains the prefix as a name */
};

/* --- Beginning and end -------------------------------------------------- */

static varve_status watch_check_arguments(
    const char *prefix, const varve_watch_options *options, varve_error *error)
{
    if (!prefix)
        return vv_fail(error, VARVE_MISUSE, "prefix is NULL");
    if (!*vv_path_name(prefix))
        return vv_fail(error, VARVE_BAD_NAME,
            "%s: not a directory and a prefix, such as run/ckpt", prefix);
    if (options->min_interval_ms < 0 || options->max_pause_ms < 0)
        return vv_fail(error, VARVE_MISUSE,
            "%s: min_interval_ms and max_pause_ms must not be negative",
            prefix);
    return VARVE_OK;
}

varve_watch *vv_watch_new_in(const struct vv_context *context,
    const char *prefix, const varve_watch_options *options, varve_error *error)
{
    static const varve_watch_options usual;
    options = options ? options : &usual;
    if (VV_CHECK_OPTIONS(options, error) ||
        watch_check_arguments(prefix, options, error))
        return NULL;
    varve_watch *watch = vv_allocate_zeroed(&context->allocator, sizeof *watch);
    if (watch) {
        watch->context = *context;
        watch->options = *options;
        if (!options->max_pause_ms)
            watch->options.max_pause_ms = USUAL_MAX_PAUSE_MS;
        watch->has_number = options->after != 0;
        watch->number = options->after;
        watch->earliest = INT64_MIN;
        watch->lease.file = -1;
        vv_buffer_init(&watch->path, &watch->context.allocator);
        watch->prefix = vv_copy_string(&context->allocator, prefix);
    }
    if (watch && watch->prefix)
        return watch;
    varve_watch_free(watch);
    vv_fail_memory(error, "a watch");
    return NULL;
}

varve_watch *varve_watch_new(
    const char *prefix, const varve_watch_options *options, varve_error *error)
{
    const struct vv_context context = {
        .allocator =
            vv_allocator_or_default(options ? options->allocator : NULL),
        .system = vv_default_system(),
    };
    return vv_watch_new_in(&context, prefix, options, error);
}

static void end_lease(varve_watch *watch)
{
    vv_lease_end(&watch->context, &watch->lease);
}

void varve_watch_free(varve_watch *watch)
{
    if (!watch)
        return;
    const varve_allocator a = watch->context.allocator;
    end_lease(watch);
    vv_buffer_clear(&watch->path);
    vv_release_string(&a, watch->prefix);
    vv_release(&a, watch, sizeof *watch);
}

uint64_t varve_watch_number(const varve_watch *watch)
{
    return watch ? watch->number : 0;
}

/* --- One look ----------------------------------------------------------- */

/* Returns the lowest or the highest number between two others. */
struct search {
    const char *prefix;
    bool wants_lowest;
    bool has_low, has_high;
    uint64_t low, high; /* exclusive limits of the search */
    bool found;
    uint64_t number;
    bool is_padded;
    bool is_name; /* found a name equal to the prefix */
};

static int watch_look_at_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct search *s = user;
    struct vv_numbered file = { 0 };
    s->is_name |= strcmp(name, s->prefix) == 0;
    if (!vv_numbered_parse(name, s->prefix, VARVE_SUFFIX, &file))
        return 0;
    uint64_t number = file.number;
    if ((s->has_low && number <= s->low) || (s->has_high && number >= s->high))
        return 0;
    bool is_better = s->wants_lowest ? number < s->number : number > s->number;
    if (!s->found || is_better) {
        s->number = number;
        s->is_padded = file.is_padded;
    }
    s->found = true;
    return 0;
}

/* Sets the path of the checkpoint found, and takes a lease. */
static varve_status watch_take(
    varve_watch *watch, const struct search *search, varve_error *error)
{
    watch->path.size = 0;
    vv_buffer_add_string(&watch->path, watch->prefix);
    vv_numbered_add(
        &watch->path, search->number, search->is_padded, VARVE_SUFFIX);
    vv_buffer_string(&watch->path);
    if (watch->path.failed) {
        vv_buffer_clear(&watch->path);
        return vv_fail_memory(error, "a path");
    }
    if (watch->options.no_lease)
        return VARVE_OK;
    return vv_lease_take(
        &watch->context, (const char *)watch->path.data, &watch->lease, error);
}

/* Continues after a number that is not available: with the next higher one if
 * each is requested, otherwise with the next lower one. */
static void pass_over(struct search *s)
{
    if (s->wants_lowest) {
        s->has_low = true;
        s->low = s->number;
    } else {
        s->has_high = true;
        s->high = s->number;
    }
}

/* Returns true if no checkpoint has the name. */
static bool watch_is_nothing(varve_status status)
{
    return status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY ||
           status == VARVE_NOT_A_CHECKPOINT;
}

/* Takes the best available checkpoint. Returns VARVE_TIMEOUT if there is none,
 * or if its writer has locked it. */
static varve_status watch_look(varve_watch *watch, varve_error *error)
{
    struct search search = {
        .prefix = vv_path_name(watch->prefix),
        .wants_lowest = watch->options.every,
        .has_low = watch->has_number,
        .low = watch->number,
    };
    for (;;) {
        search.found = false;
        varve_status status = vv_directory_each(
            &watch->context, watch->prefix, watch_look_at_name, &search, error);
        watch->is_name = search.is_name;
        if (status == VARVE_NOT_FOUND || (!status && !search.found))
            return VARVE_TIMEOUT;
        if (!status)
            status = watch_take(watch, &search, error);
        if (!status) {
            watch->has_number = true;
            watch->number = search.number;
        }
        if (!watch_is_nothing(status))
            return status;
        pass_over(&search);
    }
}

/* --- Waiting ------------------------------------------------------------ */

static int64_t watch_uptime(const varve_watch *watch)
{
    return watch->context.system->uptime(watch->context.system->state);
}

/* A negative or too large number of milliseconds means no limit. */
static int64_t later(int64_t time, int64_t milliseconds)
{
    if (milliseconds < 0 || milliseconds > (INT64_MAX - time) / A_MILLISECOND)
        return INT64_MAX;
    return time + milliseconds * A_MILLISECOND;
}

static int64_t watch_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The time limits of a wait, and the delay between two listings. */
struct patience {
    int64_t timeout_ms;
    int64_t deadline;
    int64_t pause;
};

static varve_status watch_give_up(const varve_watch *watch,
    const struct patience *patience, bool is_done, varve_error *error)
{
    if (is_done)
        return vv_fail(error, VARVE_CANCELLED,
            "%s: the `done` callback ended the wait", watch->prefix);
    return vv_fail(error, VARVE_TIMEOUT,
        "%s: no checkpoint with a number above %" PRIu64
        " appeared within %" PRId64 " ms%s",
        watch->prefix, watch->number, patience->timeout_ms,
        watch->is_name ? "; a file or directory has this name: the prefix of "
                         "a manager is DIRECTORY/ckpt"
                       : "");
}

/* Sleeps until the next listing, at most until the deadline, at which the
 * directory is listed a last time. */
static void wait_a_little(
    const varve_watch *watch, struct patience *patience, int64_t now)
{
    const struct vv_system *system = watch->context.system;
    int64_t longest = later(0, watch->options.max_pause_ms);
    int64_t pause = watch_least(patience->pause, longest);
    pause = watch_least(pause, patience->deadline - now);
    if (watch->earliest > now)
        pause = watch_least(pause, watch->earliest - now);
    system->sleep(system->state, pause);
    patience->pause =
        patience->pause < longest / 2 ? 2 * patience->pause : longest;
}

/* `done` is called before the listing and ends the wait after it, so that all
 * checkpoints present by then are found. */
static varve_status wait_for_next(
    varve_watch *watch, struct patience *patience, varve_error *error)
{
    const varve_watch_options *options = &watch->options;
    for (;;) {
        varve_error reason = { 0 };
        varve_status status = VARVE_TIMEOUT;
        bool is_done = options->done && options->done(options->done_user);
        int64_t now = watch_uptime(watch);
        if (is_done || now >= watch->earliest)
            status = watch_look(watch, &reason);
        if (status && status != VARVE_TIMEOUT && error)
            *error = reason;
        if (status != VARVE_TIMEOUT)
            return status;
        if (is_done || now >= patience->deadline)
            return watch_give_up(watch, patience, is_done, error);
        wait_a_little(watch, patience, now);
    }
}

varve_status varve_watch_next(varve_watch *watch, int64_t timeout_ms,
    const char **path, varve_error *error)
{
    if (!watch || !path)
        return vv_fail(
            error, VARVE_MISUSE, "watch or the buffer for a path is NULL");
    varve_status kept =
        vv_lease_check(&watch->lease, (const char *)watch->path.data, error);
    end_lease(watch);
    if (kept)
        return kept;
    struct patience patience = {
        .timeout_ms = timeout_ms,
        .deadline = later(watch_uptime(watch), timeout_ms),
        .pause = FIRST_PAUSE,
    };
    VV_TRY(wait_for_next(watch, &patience, error));
    watch->earliest =
        later(watch_uptime(watch), watch->options.min_interval_ms);
    *path = (const char *)watch->path.data;
    return VARVE_OK;
}
