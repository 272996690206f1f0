/* write_rows.c - Defines each write option: how it is set, and how its effect
 * is observed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "writes.h"

#include <time.h>

/* --- What callbacks note -------------------------------------------------- */

int on_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    struct trial *t = user;
    (void)done;
    (void)total;
    (void)what;
    atomic_fetch_add(&t->progress_calls, 1);
    return atomic_load(&t->cancels);
}

void on_loss(void *user, const char *path, const char *what)
{
    struct trial *t = user;
    (void)path;
    (void)what;
    atomic_fetch_add(&t->loss_calls, 1);
}

/* --- What a file has ------------------------------------------------------ */

static void see_big(
    const struct session *s, char file[256], uint64_t *offset, float *first)
{
    varve_saved_node node;
    varve_error error = { 0 };
    varve_reader *reader = open_newest(s);
    file[0] = '\0';
    bool is_there = reader && varve_reader_find(reader, "big", &node);
    if (is_there && node.file)
        snprintf(file, 256, "%s", node.file);
    if (is_there && first) {
        float *values = malloc((size_t)node.size);
        if (varve_reader_read(
                reader, node.id, values, (size_t)node.size, &error))
            is_there = false;
        *first = is_there ? values[0] : -1;
        free(values);
    }
    *offset = is_there ? node.offset : 0;
    varve_reader_free(reader);
}

/* --- The options themselves ----------------------------------------------- */

static void set_metadata(varve_write_options *o, struct trial *t)
{
    static const varve_metadata own = { .name = "own",
        .kind = VARVE_METADATA_INTEGER,
        .integer = 7 };
    (void)t;
    o->metadata = &own;
    o->metadata_count = 1;
}

static bool has_metadata(struct session *s, varve_status status)
{
    bool is_there = false;
    const varve_metadata *m;
    varve_reader *reader = status ? NULL : open_newest(s);
    for (size_t i = 0; reader && (m = varve_reader_metadata_at(reader, i)); i++)
        is_there |= strcmp(m->name, "own") == 0 &&
                    (m->integer == 7 || (m->string && *m->string == '7'));
    varve_reader_free(reader);
    return is_there;
}

static void set_progress(varve_write_options *o, struct trial *t)
{
    o->progress = on_progress;
    o->progress_user = t;
}

static void set_cancelling(varve_write_options *o, struct trial *t)
{
    set_progress(o, t);
    atomic_store(&t->cancels, true);
}

static bool has_progressed(struct session *s, varve_status status)
{
    return !status && atomic_load(&s->trial->progress_calls) > 0;
}

static bool is_cancelled(struct session *s, varve_status status)
{
    return status == VARVE_CANCELLED &&
           atomic_load(&s->trial->progress_calls) > 0;
}

static void set_no_replace(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->no_replace = true;
}

/* Saves under the step of the previous save. */
static void stay_at_step(struct session *s)
{
    change(s);
    s->step--;
}

static bool has_not_replaced(struct session *s, varve_status status)
{
    return status == VARVE_EXISTS ||
           (!status && strcmp(s->path, s->first_path) != 0);
}

static void set_no_sync(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->no_sync = true;
}

static bool has_no_sync(struct session *s, varve_status status)
{
    return !status && disk_calls(&s->trial->disk,
                          FAULTY_SYNC | FAULTY_SYNC_DIRECTORY,
                          s->trial->log_begin) == 0;
}

static void set_keep_counter(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->keep_counter = true;
}

static bool has_counter(struct session *s, varve_status status)
{
    varve_reader *reader = status ? NULL : open_newest(s);
    bool is_there =
        reader && varve_reader_counter(reader) >= varve_save_counter(s->root) &&
        varve_reader_counter(reader) >= FIRST_COUNTER;
    varve_reader_free(reader);
    return is_there;
}

/* --- Other files ---------------------------------------------------------- */

static void make_incremental(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->incremental = true;
}

/* A full checkpoint has no data file to share. */
static void make_first_incremental(varve_write_options *o, struct trial *t)
{
    if (o == &t->before)
        o->incremental = true;
}

static void set_incremental(varve_write_options *o, struct trial *t)
{
    make_incremental(o, t);
}

/* Returns true if the unchanged value is at the same place as before. */
static bool is_shared(struct session *s, varve_status status)
{
    char file[256] = "";
    uint64_t offset = 0;
    size_t size;
    if (status || !*s->file || strcmp(s->file, s->path) == 0)
        return false;
    see_big(s, file, &offset, NULL);
    if (*file || !s->is_packed)
        return strcmp(file, s->file) == 0 && offset == s->offset;
    return memory_bytes(s->trial->disk.memory, s->file, &size) &&
           size_of_run(s->trial) < s->trial->size_begin + BIG / 2;
}

static void set_format(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->format = VARVE_FORMAT_SAFETENSORS;
}

static void make_foreign(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->format = VARVE_FORMAT_SAFETENSORS;
}

static bool is_foreign(struct session *s, varve_status status)
{
    varve_reader *reader = status ? NULL : open_newest(s);
    bool is = reader && varve_reader_format(reader) == VARVE_FORMAT_SAFETENSORS;
    varve_reader_free(reader);
    return is;
}

static void change_all(struct session *s)
{
    change(s);
    for (int i = 0; i < BIG; i++)
        s->values[i] += 1;
    varve_mark_dirty(s->big);
}

static void set_compress(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->compress = 1;
}

static void omit_pending(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->pending = VARVE_PENDING_OMIT;
}

static bool has_omitted(struct session *s, varve_status status)
{
    varve_saved_node node;
    varve_reader *reader = status ? NULL : open_newest(s);
    bool has = reader && varve_reader_find(reader, "waits/now", &node) &&
               !varve_reader_find(reader, "waits/late", &node);
    varve_reader_free(reader);
    return has;
}

/* Returns true if no file contains the uncompressed bytes of the value. */
static bool is_packed(struct session *s, varve_status status)
{
    char file[256];
    uint64_t offset;
    if (status)
        return false;
    see_big(s, file, &offset, NULL);
    return !*file;
}

/* --- Of layers ------------------------------------------------------------ */

static const char other_base[] = "run/other.varve";

static void set_base(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->increment.base = other_base;
}

/* Writes another checkpoint; only that one has the current value. */
static void write_other(struct session *s)
{
    varve_write_options o = { .incremental = true };
    varve_error error = { 0 };
    char kept[sizeof s->path];
    for (int i = 0; i < BIG; i++)
        s->values[i] += 1;
    varve_mark_dirty(s->big);
    varve_status status =
        s->comm ? varve_write_all(s->comm, s->root, other_base, &o, &error)
                : varve_write(s->root, other_base, &o, &error);
    s->trial->fails_first |= status != VARVE_OK;
    memcpy(kept, s->path, sizeof kept);
    snprintf(s->path, sizeof s->path, "%s", other_base);
    note_place(s);
    memcpy(s->path, kept, sizeof kept);
    change(s);
}

static void set_only_touched(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->increment.only_dirty = true;
}

/* The first save computes the digests that the second one uses. */
static void make_first_touched(varve_write_options *o, struct trial *t)
{
    o->incremental = true;
    o->increment.only_dirty = o == &t->before;
}

static void make_only_touched(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->incremental = true;
    o->increment.only_dirty = true;
}

/* Changes a value without marking it as dirty. */
static void change_untouched(struct session *s)
{
    change(s);
    for (int i = 0; i < 4; i++)
        s->values[i] = -7;
}

static bool has_old_value(struct session *s, varve_status status)
{
    char file[256];
    uint64_t offset;
    float first = -1;
    if (status)
        return false;
    see_big(s, file, &offset, &first);
    return first != -7 && first != -1;
}

static void set_verify(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->increment.verify_clean = true;
}

static bool has_found_untouched(struct session *s, varve_status status)
{
    return status == VARVE_MISUSE && strstr(s->error.message, "big: ");
}

static void set_track(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->increment.track = true;
}

static bool has_tracked(struct session *s, varve_status status)
{
    return !status && disk_calls(&s->trial->disk,
                          FAULTY_OPEN_TRACKER | FAULTY_TRACK, 0) > 0;
}

/* --- Of other formats ----------------------------------------------------- */

static void set_shard_size(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->foreign.shard_size = 1000;
}

static bool has_shards(struct session *s, varve_status status)
{
    size_t count = 0;
    for (size_t i = 0; !status && i < memory_file_count(s->trial->disk.memory);
         i++)
        count += strstr(memory_file_path(s->trial->disk.memory, i), "-of-") !=
                 NULL;
    return count >= 2;
}

static void set_global_names(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->foreign.global_names = true;
}

static bool has_global_name(struct session *s, varve_status status)
{
    varve_saved_node node;
    varve_reader *reader = status ? NULL : open_newest(s);
    bool is = reader && varve_reader_find(reader, "the.big", &node);
    varve_reader_free(reader);
    return is;
}

static void set_loss(varve_write_options *o, struct trial *t)
{
    o->foreign.loss = on_loss;
    o->foreign.loss_user = t;
}

static bool has_lost(struct session *s, varve_status status)
{
    return !status && atomic_load(&s->trial->loss_calls) > 0;
}

/* --- Of the background ---------------------------------------------------- */

static void set_at_rest(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->async.zero_copy = true;
}

/* Waits in the first call until the function that starts the next save has
 * returned, or for a limited time if that may wait for this save. */
static int on_slow_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    struct trial *t = user;
    const struct timespec moment = { .tv_nsec = 1000000 };
    int most = t->tested.async.in_flight == 1 ? 20 : 10000;
    (void)done;
    (void)total;
    (void)what;
    if (atomic_exchange(&t->has_waited, true))
        return 0;
    for (int i = 0; i < most && !atomic_load(&t->is_returned); i++)
        nanosleep(&moment, NULL);
    return 0;
}

static void make_slow(varve_write_options *o, struct trial *t)
{
    if (!t->call->start || o != &t->tested)
        return;
    o->progress = on_slow_progress;
    o->progress_user = t;
}

static void set_in_flight(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->async.in_flight = 1;
}

/* Saves once and returns true if the call does not return a job, because then
 * saves do not overlap. */
static bool save_one(struct session *s)
{
    struct trial *t = s->trial;
    if (t->call->start)
        return false;
    t->statuses[rank_of(s)] = t->call->save(t->call, s, &t->tested);
    return true;
}

/* Ends both jobs; the second may be NULL. */
static void end_two(struct session *s, varve_job *one, varve_job *two)
{
    struct trial *t = s->trial;
    varve_status status = two ? VARVE_OK : s->error.status;
    varve_error error = { 0 };
    if (one && varve_job_wait(one, &error))
        t->fails_first = true;
    if (two)
        status = varve_job_wait(two, &s->error);
    snprintf(s->path, sizeof s->path, "%s",
        two && varve_job_path(two) ? varve_job_path(two) : "");
    varve_job_free(two);
    varve_job_free(one);
    t->statuses[rank_of(s)] = status;
}

/* Starts two saves. The first waits in its callback until the second call has
 * returned, which itself waits for the first if only one may be pending. */
static void save_two(struct session *s)
{
    struct trial *t = s->trial;
    if (save_one(s))
        return;
    varve_job *one = t->call->start(s, &t->tested, &s->error);
    varve_job *two = one ? t->call->start(s, &t->tested, &s->error) : NULL;
    bool was_done = one && varve_job_is_done(one);
    come_together(s);
    if (rank_of(s) == 0)
        atomic_store(&t->was_one_done, was_done);
    atomic_store(&t->is_returned, true);
    end_two(s, one, two);
}

static bool was_one_done(struct session *s, varve_status status)
{
    return !status && atomic_load(&s->trial->was_one_done);
}

/* The first save delays the background thread, so changes made after the second
 * call are in its file only if values are not copied at the call. */
static void save_at_rest(struct session *s)
{
    struct trial *t = s->trial;
    if (save_one(s))
        return;
    varve_write_options o = t->before;
    o.progress = on_slow_progress;
    o.progress_user = t;
    varve_job *one = t->call->start(s, &o, &s->error);
    o = t->tested;
    varve_job *two = one ? t->call->start(s, &o, &s->error) : NULL;
    come_together(s);
    for (int i = 0; i < 4; i++)
        s->values[i] = -7;
    come_together(s);
    atomic_store(&t->is_returned, true);
    end_two(s, one, two);
}

static bool has_new_value(struct session *s, varve_status status)
{
    char file[256];
    uint64_t offset;
    float first = -1;
    if (!status)
        see_big(s, file, &offset, &first);
    return first == -7;
}

/* --- Of many processes ---------------------------------------------------- */

static void set_files(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->collective.files = 2;
}

/* Returns true if the checkpoint has two data files. Those of a replaced
 * checkpoint are removed. */
static bool has_files(struct session *s, varve_status status)
{
    struct trial *t = s->trial;
    size_t older = t->call->is_numbered ? t->layers_begin : 0;
    return !status && count_layers(t) >= older + 2;
}

/* --- Of later versions ---------------------------------------------------- */

static int something;

#define ROOM(function, member)                                                 \
    static void function(varve_write_options *o, struct trial *t)              \
    {                                                                          \
        (void)t;                                                               \
        o->member.words[3] = &something;                                       \
    }

ROOM(fill_room, reserved)
ROOM(fill_layers_room, increment.reserved)
ROOM(fill_foreign_room, foreign.reserved)
ROOM(fill_background_room, async.reserved)
ROOM(fill_many_room, collective.reserved)

static bool is_never_seen(struct session *s, varve_status status)
{
    (void)s;
    (void)status;
    return false;
}

/* --- All of them ---------------------------------------------------------- */

#define ROOM_ROW(name, set)                                                    \
    { name, "", "", set, .is_seen = is_never_seen, .is_too_new = true }

const struct write_row write_rows[] = {
    { "metadata", "metadata_count", "", set_metadata, .is_seen = has_metadata },
    { "progress", "progress_user", "", set_progress,
        .is_seen = has_progressed },
    { "progress", "progress_user", "", set_cancelling,
        .is_seen = is_cancelled },
    { "no_replace", "", "", set_no_replace, .between = stay_at_step,
        .is_seen = has_not_replaced },
    { "no_sync", "", "", set_no_sync, .is_seen = has_no_sync },
    { "keep_counter", "", "", set_keep_counter, .is_seen = has_counter },
    { "incremental", "", "", set_incremental, make_first_incremental,
        .is_seen = is_shared },
    { "format", "", "", set_format, .is_seen = is_foreign },
    { "compress", "", "", set_compress, .between = change_all,
        .is_seen = is_packed },
    { "pending", "", "", omit_pending, .between = let_wait,
        .is_seen = has_omitted },
    { "increment.base", "", "incremental", set_base, make_incremental,
        write_other, .is_seen = is_shared },
    { "increment.only_dirty", "", "incremental", set_only_touched,
        make_first_touched, change_untouched, .is_seen = has_old_value },
    { "increment.track", "", "incremental", set_track, make_incremental,
        .is_seen = has_tracked },
    { "increment.verify_clean", "", "incremental|increment.only_dirty",
        set_verify, make_only_touched, change_untouched,
        .is_seen = has_found_untouched },
    { "foreign.shard_size", "", "format", set_shard_size, make_foreign,
        .is_seen = has_shards },
    { "foreign.global_names", "", "format", set_global_names, make_foreign,
        .is_seen = has_global_name },
    { "foreign.loss", "foreign.loss_user", "format", set_loss, make_foreign,
        .is_seen = has_lost },
    { "async.zero_copy", "", "", set_at_rest, .act = save_at_rest,
        .is_seen = has_new_value },
    { "async.in_flight", "", "", set_in_flight, make_slow, .act = save_two,
        .is_seen = was_one_done },
    { "collective.files", "", "", set_files, .between = change_all,
        .is_seen = has_files },
    ROOM_ROW("reserved", fill_room),
    ROOM_ROW("increment.reserved", fill_layers_room),
    ROOM_ROW("foreign.reserved", fill_foreign_room),
    ROOM_ROW("async.reserved", fill_background_room),
    ROOM_ROW("collective.reserved", fill_many_room),
};
const size_t write_row_count = sizeof write_rows / sizeof *write_rows;
