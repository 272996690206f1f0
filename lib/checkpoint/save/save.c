/* save.c - Chooses the numbers of numbered checkpoints, and finds checkpoints.
 *
 * The directory is authoritative; the file PREFIX.latest is only informative.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save.h"

#include <string.h>

#include "allocator.h"
#include "background.h"
#include "default_allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "formats.h"
#include "graph.h"
#include "name.h"
#include "node.h"
#include "numbered.h"
#include "opened.h"
#include "path_text.h"
#include "publish.h"
#include "store.h"
#include "try.h"

/* --- Numbers in a directory --------------------------------------------- */

/* The highest number of the checkpoints of a prefix. */
struct highest_number {
    uint64_t number;
    bool is_padded;
    bool found;
};

static varve_status save_find_highest(const struct vv_context *context,
    const char *prefix, struct highest_number *highest, varve_error *error)
{
    struct vv_numbered_list list;
    vv_numbered_list_begin(&list, &context->allocator);
    varve_status status = vv_numbered_list(context, prefix, &list, error);
    size_t count = status ? 0 : vv_numbered_count(&list);
    *highest = (struct highest_number){ .found = count > 0 };
    if (count > 0) {
        const struct vv_numbered *last = vv_numbered_at(&list, count - 1);
        highest->number = last->number;
        highest->is_padded = last->is_padded;
    }
    vv_numbered_list_clear(&list);
    return status;
}

/* Sets `path`, NUL-terminated, to the path of a numbered checkpoint. */
static void save_set_path(
    struct vv_buffer *path, const char *prefix, uint64_t number, bool is_padded)
{
    path->size = 0;
    vv_buffer_add_string(path, prefix);
    vv_numbered_add(path, number, is_padded, VARVE_SUFFIX);
    vv_buffer_string(path);
}

void vv_find_numbered_base(const struct vv_context *context, const char *prefix,
    struct vv_buffer *path)
{
    struct highest_number highest;
    path->size = 0;
    if (!save_find_highest(context, prefix, &highest, NULL) && highest.found)
        save_set_path(path, prefix, highest.number, highest.is_padded);
    if (path->failed)
        path->size = 0;
}

/* --- Saving ------------------------------------------------------------- */

enum {
    MOST_OF_NOTE = 512, /* longer than any name, which has at most 255 bytes */
    MOST_RACES = 1000,  /* numbers lost to other processes that save under
                           this prefix */
};

struct save_counter {
    struct vv_attachment attachment;
    uint64_t counter;
};

static const struct vv_attachment_kind counter_kind = {
    .size = sizeof(struct save_counter),
};

bool vv_reserve_save_counter(varve_node *root)
{
    return vv_attachment_make(root, &counter_kind);
}

bool vv_set_save_counter(varve_node *root, uint64_t counter)
{
    struct save_counter *kept = vv_attachment_make(root, &counter_kind);
    if (kept)
        kept->counter = counter;
    return kept != NULL;
}

uint64_t vv_save_counter(const varve_node *root)
{
    const struct save_counter *kept = vv_attachment_find(root, &counter_kind);
    return kept ? kept->counter : 0;
}

uint64_t varve_save_counter(const varve_node *root)
{
    if (!root || vv_is_nil(root))
        return 0;
    vv_background_update_counters(root->graph);
    return vv_save_counter(root);
}

/* Returns true if these bytes are such a note, or zeros only: a crash may leave
 * zeros in a file that was not synced. */
static bool is_note(const char *bytes, size_t size, const char *prefix)
{
    char name[MOST_OF_NOTE + 1];
    struct vv_numbered number;
    size_t zeros = 0;
    while (zeros < size && bytes[zeros] == '\0')
        zeros++;
    if (zeros == size)
        return true;
    size -= bytes[size - 1] == '\n';
    memcpy(name, bytes, size);
    name[size] = '\0';
    return vv_numbered_parse(name, vv_path_name(prefix), VARVE_SUFFIX, &number);
}

/* Checks the file that the note replaces. Called last before the rename, as no
 * system can replace a file only if it has a certain content. */
static varve_status check_note(
    struct vv_publication *p, const char *path, const char *prefix)
{
    char bytes[MOST_OF_NOTE];
    size_t size = sizeof bytes;
    varve_status status = vv_file_head(p->context, path, bytes, &size, NULL);
    if (status == VARVE_NOT_FOUND) {
        vv_publish_keep_existing(p);
        return VARVE_OK;
    }
    return status || is_note(bytes, size, prefix) ? status : VARVE_EXISTS;
}

/* Writes the name of the newest file to PREFIX.latest. The note may be missing
 * or old, so a failure to write it does not fail the save. A file of that name
 * that is not such a note is not replaced. */
static void note_latest(const struct vv_context *context, const char *prefix,
    const char *path, struct vv_buffer *note)
{
    struct vv_publication p;
    note->size = 0;
    vv_buffer_add_string(note, prefix);
    vv_buffer_add_string(note, ".latest");
    const char *note_path = vv_buffer_string(note);
    if (note->failed ||
        vv_publish_begin(&p, context, note_path, VV_PUBLISH_NO_SYNC, NULL))
        return;
    const char *name = vv_path_name(path);
    size_t size = strlen(name);
    varve_status status =
        vv_file_write(context, p.file, note_path, name, size, 0, NULL);
    if (!status)
        status = vv_file_write(context, p.file, note_path, "\n", 1, size, NULL);
    if (!status)
        status = check_note(&p, note_path, prefix);
    vv_publish_end(&p, status, NULL);
}

/* A numbered save. */
struct numbering {
    const struct vv_saving *saving;
    const char *base; /* set by the program; or NULL */
    struct vv_buffer *path;
    struct vv_buffer own;   /* used as `path` if the caller needs none */
    struct vv_buffer other; /* path of the base, later of the note */
};

/* Sets the base of an incremental save: that of the program, or the checkpoint
 * with the highest number. */
static varve_status find_base(struct numbering *n,
    const struct highest_number *highest, varve_error *error)
{
    varve_write_options *options = &n->saving->save_plan->options;
    options->increment.base = n->base;
    if (n->base || !options->incremental || !highest->found)
        return VARVE_OK;
    save_set_path(
        &n->other, n->saving->target, highest->number, highest->is_padded);
    if (n->other.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    options->increment.base = (char *)n->other.data;
    return VARVE_OK;
}

/* Raises the counter, also above a number that was lost, as listings may be
 * stale. */
static varve_status save_find_next(struct numbering *n, varve_error *error)
{
    struct highest_number highest;
    struct vv_save_plan *save_plan = n->saving->save_plan;
    const char *prefix = n->saving->target;
    VV_TRY(save_find_highest(&save_plan->context, prefix, &highest, error));
    if (save_plan->counter < highest.number)
        save_plan->counter = highest.number;
    if (save_plan->counter == UINT64_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%s: checkpoint numbers must be less than 2^64 - 1", prefix);
    save_plan->counter++;
    return find_base(n, &highest, error);
}

/* Chooses the number on rank 0, as a network file system may show different
 * files on different machines for a while. */
static varve_status choose_number(
    struct numbering *n, varve_status status, varve_error *error)
{
    const struct vv_saving *s = n->saving;
    if (!status && !s->is_follower)
        status = save_find_next(n, error);
    return s->way
               ? s->way->agree(s->user, status, &s->save_plan->counter, error)
               : status;
}

/* If another process takes the number first, tries the next one. */
static varve_status save_under_next(
    struct numbering *n, varve_status status, varve_error *error)
{
    const struct vv_saving *s = n->saving;
    for (int i = 0; i < MOST_RACES; i++) {
        VV_TRY(choose_number(n, status, error));
        save_set_path(n->path, s->target, s->save_plan->counter, false);
        if (n->path->failed)
            status = vv_fail_memory(error, "the name of a checkpoint");
        status =
            vv_saving_write_to(s, status, vv_buffer_string(n->path), error);
        if (status != VARVE_EXISTS)
            return status;
        status = VARVE_OK;
    }
    return vv_fail(error, VARVE_EXISTS,
        "%s: no free number: another job took each one", s->target);
}

/* Returns true for files that have the name but are not checkpoints:
 * directories, dangling links and devices. */
static bool save_is_no_file(varve_status status)
{
    return status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY ||
           status == VARVE_NOT_A_CHECKPOINT;
}

varve_status vv_check_prefix_name(const char *prefix, varve_error *error)
{
    return *vv_path_name(prefix)
               ? VARVE_OK
               : vv_fail(error, VARVE_MISUSE,
                     "%s: a prefix must end with the beginning of a file name, "
                     "such as %sckpt",
                     prefix, prefix);
}

/* A restore of the prefix would read the new file, and one of the directory, by
 * a manager or another program, its own. */
static varve_status check_directory(
    const struct vv_context *context, const char *directory, varve_error *error)
{
    struct vv_buffer found;
    varve_status status = VARVE_OK;
    vv_buffer_init(&found, &context->allocator);
    if (!vv_checkpoint_find(context, directory, &found, NULL) &&
        vv_has_our_ending(vv_buffer_string(&found)))
        status = vv_fail(error, VARVE_EXISTS,
            "%s: a directory has this name and contains checkpoints, such as "
            "%s: choose another prefix, or one in the directory, such as "
            "%s/ckpt",
            directory, vv_path_name((char *)found.data), directory);
    vv_buffer_clear(&found);
    return status;
}

static varve_status save_check_prefix(
    const struct vv_context *context, const char *prefix, varve_error *error)
{
    varve_error reason = { 0 };
    VV_TRY(vv_check_prefix_name(prefix, error));
    varve_status found = vv_file_look(context, prefix, NULL, &reason);
    if (found == VARVE_IS_DIRECTORY)
        VV_TRY(check_directory(context, prefix, error));
    if (found && !save_is_no_file(found)) {
        if (error)
            *error = reason;
        return found;
    }
    if (!found)
        return vv_fail(error, VARVE_EXISTS,
            "%s: a file has this name, and a restore would find it instead: "
            "choose another prefix, or remove the file",
            prefix);
    if (vv_has_our_ending(prefix))
        return vv_fail(error, VARVE_MISUSE,
            "%s: a prefix must not end with %s: each save adds -N%s", prefix,
            VARVE_SUFFIX, VARVE_SUFFIX);
    return VARVE_OK;
}

varve_status vv_save_numbered(
    const struct vv_saving *s, varve_status status, varve_error *error)
{
    struct vv_save_plan *save_plan = s->save_plan;
    struct numbering n = { .saving = s,
        .base = save_plan->options.increment.base,
        .path = s->path ? s->path : &n.own };
    if (!status && !s->is_follower)
        status = save_check_prefix(&save_plan->context, s->target, error);
    vv_buffer_init(&n.own, &save_plan->context.allocator);
    vv_buffer_init(&n.other, &save_plan->context.allocator);
    status = save_under_next(&n, status, error);
    if (!status && !s->is_follower)
        note_latest(
            &save_plan->context, s->target, (char *)n.path->data, &n.other);
    save_plan->options.increment.base = n.base;
    vv_buffer_clear(&n.own);
    vv_buffer_clear(&n.other);
    return status;
}

/* --- Finding ------------------------------------------------------------ */

static varve_status find_suffixed(const struct vv_context *context,
    const char *path, struct vv_buffer *found, varve_error *error)
{
    found->size = 0;
    vv_buffer_add_string(found, path);
    vv_buffer_add_string(found, VARVE_SUFFIX);
    const char *suffixed = vv_buffer_string(found);
    return found->failed ? vv_fail_memory(error, "a path")
                         : vv_file_look(context, suffixed, NULL, error);
}

/* Finds a file with the exact path, then the newest numbered one, then one with
 * the suffix. So the newest save of a prefix takes precedence over a file that
 * was written once. */
static varve_status find_ours(const struct vv_context *context,
    const char *path, bool numbered, struct vv_buffer *found,
    varve_error *error)
{
    found->size = 0;
    vv_buffer_add_string(found, path);
    const char *exact = vv_buffer_string(found);
    if (found->failed)
        return vv_fail_memory(error, "a path");
    varve_status status = vv_file_look(context, exact, NULL, error);
    bool is_directory = status == VARVE_IS_DIRECTORY;
    bool may_be_other = status == VARVE_NOT_FOUND || (numbered && is_directory);
    if (!may_be_other || vv_has_our_ending(path))
        return status;
    varve_error other = { 0 };
    if (numbered) {
        status = vv_numbered_newest(context, path, found, error);
        if (status != VARVE_NOT_FOUND)
            return status;
    }
    varve_status suffixed = find_suffixed(context, path, found, &other);
    if (suffixed == VARVE_NOT_FOUND)
        return is_directory ? VARVE_IS_DIRECTORY : status;
    if (error)
        *error = other;
    return suffixed;
}

/* Sets *reason to a message that describes the numbered checkpoints of the path
 * without VARVE_SUFFIX, if there are any. */
static void explain_numbered(
    const struct vv_context *context, const char *path, varve_error *reason)
{
    struct vv_buffer prefix;
    size_t size = strlen(path);
    vv_buffer_init(&prefix, &context->allocator);
    if (vv_has_our_ending(path))
        size -= strlen(VARVE_SUFFIX);
    vv_buffer_add(&prefix, path, size);
    const char *text = vv_buffer_string(&prefix);
    if (!prefix.failed && vv_numbered_has_any(context, text))
        vv_fail(reason, VARVE_NOT_FOUND,
            "%s: no such file: the checkpoints of this name are numbered: pass "
            "\"%s\" to varve_restore, which reads the newest, or to "
            "varve_latest, which returns its path",
            path, text);
    vv_buffer_clear(&prefix);
}

/* Finds the checkpoint that a directory stands for. If its files are numbered
 * checkpoints of one prefix, this is the newest of the prefix, which need not
 * have the highest number. */
static varve_status find_in_directory(const struct vv_context *context,
    const char *directory, struct vv_buffer *found, varve_error *error)
{
    struct vv_numbered_name parsed;
    VV_TRY(vv_checkpoint_find(context, directory, found, error));
    const char *path = vv_buffer_string(found);
    if (found->failed)
        return VARVE_OK;
    const char *name = vv_path_name(path);
    if (!vv_numbered_name_parse(name, '-', VARVE_SUFFIX, &parsed) ||
        parsed.stem_size == 0)
        return VARVE_OK;
    struct vv_buffer prefix;
    vv_buffer_init(&prefix, &context->allocator);
    vv_buffer_add(&prefix, path, (size_t)(name - path) + parsed.stem_size);
    const char *text = vv_buffer_string(&prefix);
    varve_status status = prefix.failed
                              ? vv_fail_memory(error, "a path")
                              : vv_numbered_newest(context, text, found, error);
    vv_buffer_clear(&prefix);
    return status;
}

varve_status vv_find_checkpoint(const struct vv_context *context,
    const char *path, bool numbered, struct vv_buffer *found,
    varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status = find_ours(context, path, numbered, found, &reason);
    if (vv_has_our_ending(path)) {
        /* No other format has such a name. */
    } else if (!status) {
        status = vv_checkpoint_settle(context, found, &reason);
    } else if (status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY) {
        varve_error other = { 0 };
        varve_status theirs = find_in_directory(context, path, found, &other);
        /* For a directory, this error describes what it contains. */
        if (theirs != VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY ||
            vv_file_look(context, path, NULL, NULL) == VARVE_IS_DIRECTORY) {
            status = theirs;
            reason = other;
        }
    }
    if (found->failed)
        return vv_fail_memory(error, "a path");
    if (status == VARVE_NOT_FOUND && error)
        explain_numbered(context, path, &reason);
    if (status && error)
        *error = reason;
    return status;
}

varve_status vv_open_found(const struct vv_context *context, const char *path,
    bool numbered, vv_open_function *open, struct vv_opened *opened,
    varve_error *error)
{
    struct vv_buffer found;
    unsigned tries = 0;
    varve_status status;
    vv_buffer_init(&found, &context->allocator);
    for (;;) {
        varve_error reason = { 0 };
        status = vv_find_checkpoint(context, path, numbered, &found, &reason);
        bool is_found = !status;
        if (is_found)
            status = open(opened, context, (const char *)found.data, &reason);
        bool is_gone = is_found && status == VARVE_NOT_FOUND;
        if (is_gone &&
            vv_numbered_try_again(path, (const char *)found.data, &tries)) {
            vv_opened_close(opened);
            continue;
        }
        if (status && error)
            *error = reason;
        break;
    }
    vv_buffer_clear(&found);
    return status;
}

varve_status vv_find_latest(const struct vv_context *context,
    const char *prefix, char *path, size_t size, varve_error *error)
{
    struct vv_buffer found;
    vv_buffer_init(&found, &context->allocator);
    varve_error reason = { 0 };
    varve_status status = vv_numbered_newest(context, prefix, &found, &reason);
    if (status == VARVE_NOT_FOUND &&
        vv_file_look(context, prefix, NULL, NULL) == VARVE_IS_DIRECTORY)
        status = find_in_directory(context, prefix, &found, &reason);
    if (status)
        vv_pass_failure(error, &reason);
    else if (found.failed)
        status = vv_fail_memory(error, "a path");
    else if (found.size >= size)
        status = vv_fail(error, VARVE_LIMIT,
            "%s: the buffer is too small: the path needs %zu bytes, found %zu",
            prefix, found.size + 1, size);
    else
        memcpy(path, found.data, found.size + 1);
    vv_buffer_clear(&found);
    return status;
}

varve_status varve_latest(
    const char *prefix, char *path, size_t size, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL),
        .system = vv_default_system(),
    };
    if (!prefix || !path)
        return vv_fail(error, VARVE_MISUSE, "prefix or path is NULL");
    return vv_find_latest(&context, prefix, path, size, error);
}
