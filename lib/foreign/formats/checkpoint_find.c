/* checkpoint_find.c - Finds the file of a checkpoint and opens it, as a Varve
 * file or else in another format.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/checkpoint.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "data_in.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "format_choice.h"
#include "formats.h"
#include "magic_bytes.h"
#include "name.h"
#include "signature.h"
#include "state_file_in.h"
#include "store.h"
#include "try.h"
#include "unreadable_format.h"

/* --- Paths ---------------------------------------------------------------- */

/* Resolves prefixes, directories and files that belong to a larger checkpoint.
 */

#define INDEX_ENDING ".index"
#define RECORD "checkpoint"
#define DCP_METADATA ".metadata" /* of torch.distributed */

bool vv_has_our_ending(const char *path)
{
    size_t size = vv_is_of_store(path) ? strcspn(path, "?#") : strlen(path);
    return size >= sizeof VARVE_SUFFIX &&
           vv_text_ends_in(path, size, VARVE_SUFFIX);
}

static void set_joined(
    struct vv_buffer *to, const char *directory, const char *name)
{
    size_t size = strlen(directory);
    to->size = 0;
    vv_buffer_add(to, directory, size);
    if (size > 0 && directory[size - 1] != '/')
        vv_buffer_add8(to, '/');
    vv_buffer_add_string(to, name);
    vv_buffer_string(to);
}

static varve_status probe(const struct vv_context *context,
    struct vv_buffer *path, varve_error *error)
{
    const char *text = vv_buffer_string(path);
    return path->failed ? vv_fail_memory(error, "a path")
                        : vv_file_look(context, text, NULL, error);
}

/* --- The latest, in a directory ------------------------------------------- */

/* A search for files with numbers before their extension. */
struct search {
    const char *ending;
    const char *stem;       /* the part before the number; NULL: any */
    char before;            /* the character between stem and number; 0: '-' */
    struct vv_buffer *best; /* name with the highest number so far */
    struct vv_buffer *file; /* first name of a file without a number */
    uint64_t number;
    uint64_t below;    /* only numbers below this; 0: all */
    bool is_ambiguous; /* there are files with different stems */
};

/* Returns true if the name matches the search. If the search has no stem, any
 * stem matches. */
static bool is_numbered(
    const struct search *s, const char *name, struct vv_numbered_name *n)
{
    return vv_numbered_name_parse(
               name, s->before ? s->before : '-', s->ending, n) &&
           n->stem_size > 0 && name[0] != '.' &&
           (!s->stem || (strlen(s->stem) == n->stem_size &&
                            memcmp(name, s->stem, n->stem_size) == 0));
}

/* Notes the file for an error message if its name is that of a checkpoint in a
 * single file. */
static void note_single_file(const struct search *s, const char *name)
{
    static const char *const endings[] = { VARVE_SUFFIX, ".safetensors", ".npz",
        ".npy", ".pt", ".pth", ".gguf", ".h5", ".hdf5", ".keras", ".onnx",
        ".msgpack", ".index" };
    if (*name == '.' ||
        (s->file->size > 0 && strcmp(name, vv_buffer_string(s->file)) >= 0))
        return;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (!vv_text_ends_in(name, strlen(name), endings[i]))
            continue;
        s->file->size = 0;
        vv_buffer_add_string(s->file, name);
    }
}

/* Fails because no file has a number. Overwrites `path`. */
static varve_status fail_unnumbered(const struct vv_context *context,
    const struct search *s, const char *directory, struct vv_buffer *path,
    varve_error *error)
{
    if (s->file->size)
        set_joined(path, directory, vv_buffer_string(s->file));
    if (s->file->size == 0 || probe(context, path, NULL))
        return vv_fail(error, VARVE_IS_DIRECTORY,
            "%s: the directory contains no checkpoint", directory);
    return vv_fail(error, VARVE_IS_DIRECTORY,
        "%s: the directory contains no numbered checkpoint, only single files "
        "such as \"%.200s\": append the name of a file to the path",
        directory, vv_buffer_string(s->file));
}

/* If two files have the same number, the padded one is preferred, as for a
 * prefix. */
static int checkpoint_find_look_at_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct search *s = user;
    struct vv_numbered_name n, other;
    if (!is_numbered(s, name, &n)) {
        note_single_file(s, name);
        return 0;
    }
    if (s->below && n.number >= s->below)
        return 0;
    if (s->best->size > 0) {
        const char *best = vv_buffer_string(s->best);
        s->is_ambiguous |= !is_numbered(s, best, &other) ||
                           other.stem_size != n.stem_size ||
                           memcmp(best, name, n.stem_size) != 0;
        if (n.number < s->number || (n.number == s->number && !n.is_padded))
            return 0;
    }
    s->number = n.number;
    s->best->size = 0;
    vv_buffer_add_string(s->best, name);
    return 0;
}

/* Finds the file with the highest number below *below in a directory, and sets
 * *below to its number. */
static varve_status find_below(const struct vv_context *context,
    const char *directory, struct search search, uint64_t *below,
    struct vv_buffer *found, varve_error *error)
{
    struct vv_buffer best, file, any;
    vv_buffer_init(&best, &context->allocator);
    vv_buffer_init(&file, &context->allocator);
    vv_buffer_init(&any, &context->allocator);
    search.best = &best;
    search.file = &file;
    search.below = *below;
    set_joined(&any, directory, "x");
    varve_status status = vv_directory_each(context, vv_buffer_string(&any),
        checkpoint_find_look_at_name, &search, error);
    if (!status && (best.failed || file.failed || any.failed))
        status = vv_fail_memory(error, "a path");
    else if (!status && search.is_ambiguous)
        status = vv_fail(error, VARVE_NOT_FOUND,
            "%s: the directory contains checkpoints of several names: specify "
            "one of them",
            directory);
    else if (!status && best.size == 0)
        status = fail_unnumbered(context, &search, directory, &any, error);
    else if (!status)
        set_joined(found, directory, vv_buffer_string(&best));
    *below = search.number;
    vv_buffer_clear(&best);
    vv_buffer_clear(&file);
    vv_buffer_clear(&any);
    return status;
}

/* Finds the file with the highest number. Skips directories and broken
 * links. */
static varve_status find_numbered(const struct vv_context *context,
    const char *directory, struct search search, struct vv_buffer *found,
    varve_error *error)
{
    uint64_t below = 0;
    varve_status status;
    do {
        VV_TRY(find_below(context, directory, search, &below, found, error));
        status = probe(context, found, NULL);
    } while (below > 0 &&
             (status == VARVE_IS_DIRECTORY || status == VARVE_NOT_FOUND ||
                 status == VARVE_NOT_A_CHECKPOINT));
    return VARVE_OK;
}

/* Finds the latest TensorFlow checkpoint with a prefix. Returns VARVE_NOT_FOUND
 * if there is none. */
static varve_status find_of_prefix(const struct vv_context *context,
    const char *path, struct vv_buffer *found, varve_error *error)
{
    struct vv_buffer directory;
    const char *stem = vv_path_name(path);
    const struct search search = { .ending = INDEX_ENDING, .stem = stem };
    vv_buffer_init(&directory, &context->allocator);
    vv_buffer_add(&directory, path, (size_t)(stem - path));
    const char *text = vv_buffer_string(&directory);
    varve_status status =
        directory.failed ? vv_fail_memory(error, "a path")
        : *stem          ? find_numbered(context, text, search, found, error)
                         : VARVE_NOT_FOUND;
    vv_buffer_clear(&directory);
    if (status && status != VARVE_NO_MEMORY)
        status =
            vv_fail(error, VARVE_NOT_FOUND, "%s: no checkpoint found", path);
    return status;
}

/* --- Members -------------------------------------------------------------- */

static bool is_digits(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
    }
    return true;
}

/* Returns the size of a path before ".data-SSSSS-of-NNNNN", or 0 if it does not
 * end so. */
static size_t before_shard(const char *path)
{
    static const char pattern[] = ".data-#####-of-#####";
    size_t size = strlen(path), ending = sizeof pattern - 1;
    if (size <= ending)
        return 0;
    const char *at = path + size - ending;
    bool is_one = memcmp(at, ".data-", 6) == 0 && is_digits(at + 6, 5) &&
                  memcmp(at + 11, "-of-", 4) == 0 && is_digits(at + 15, 5);
    return is_one ? size - ending : 0;
}

/* The checkpoints of a directory, for an error message. */
struct present {
    struct vv_buffer names; /* all names, each followed by NUL */
    size_t count;
};

static int note_present(
    void *user, const char *name, const struct vv_file_info *info)
{
    struct present *p = user;
    size_t size = strlen(name), ending = sizeof INDEX_ENDING - 1;
    (void)info;
    if (size <= ending || !vv_text_ends_in(name, size, INDEX_ENDING))
        return 0;
    vv_buffer_add(&p->names, name, size - ending);
    vv_buffer_add8(&p->names, 0);
    p->count++;
    return 0;
}

/* Sorts by number in descending order, then by name. */
static int by_number(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    struct vv_numbered_name m = { 0 }, n = { 0 };
    uint64_t left = vv_numbered_name_parse(*x, '-', "", &m) ? m.number : 0;
    uint64_t right = vv_numbered_name_parse(*y, '-', "", &n) ? n.number : 0;
    return left != right ? (left < right ? 1 : -1) : strcmp(*x, *y);
}

static void add_present(
    const struct present *p, const varve_allocator *a, struct vv_buffer *text)
{
    enum { MOST_SHOWN = 5 };
    const char **names = vv_allocate_array(a, p->count, sizeof *names);
    const char *at = (const char *)p->names.data;
    if (!names)
        return;
    for (size_t i = 0; i < p->count; i++, at += strlen(at) + 1)
        names[i] = at;
    qsort(names, p->count, sizeof *names, by_number);
    for (size_t i = 0; i < p->count && i < MOST_SHOWN; i++) {
        vv_buffer_add_string(text, i ? ", " : "; the directory contains ");
        vv_buffer_add_string(text, names[i]);
    }
    if (p->count > MOST_SHOWN) {
        vv_buffer_add_string(text, " and ");
        vv_buffer_add_decimal(text, p->count - MOST_SHOWN);
        vv_buffer_add_string(text, " more");
    }
    vv_release(a, names, p->count * sizeof *names);
}

/* Fails because the latest checkpoint of a record does not exist. The message
 * lists the other checkpoints in the directory. */
static varve_status fail_latest(const struct vv_context *context,
    const char *found, const char *noted, varve_error *error)
{
    struct present p = { .count = 0 };
    struct vv_buffer text;
    vv_buffer_init(&p.names, &context->allocator);
    vv_buffer_init(&text, &context->allocator);
    bool is_listed =
        !vv_directory_each(context, found, note_present, &p, NULL) &&
        !p.names.failed;
    if (is_listed && p.count > 0)
        add_present(&p, &context->allocator, &text);
    else if (is_listed)
        vv_buffer_add_string(
            &text, "; the directory contains no other checkpoint");
    const char *others = vv_buffer_string(&text);
    varve_status status = vv_fail(error, VARVE_NOT_FOUND,
        "%s: the latest checkpoint of the record `" RECORD
        "` does not exist; the record contains \"%s\"%s",
        found, noted, text.failed ? "" : others);
    vv_buffer_clear(&p.names);
    vv_buffer_clear(&text);
    return status;
}

static varve_status follow_record(const struct vv_context *context,
    struct vv_buffer *found, varve_error *error)
{
    struct vv_buffer prefix, noted, record;
    vv_buffer_init(&record, &context->allocator);
    vv_buffer_init(&prefix, &context->allocator);
    vv_buffer_init(&noted, &context->allocator);
    varve_status status = vv_state_file_latest(
        context, vv_buffer_string(found), &prefix, &noted, error);
    if (!status) {
        status = vv_store_refuse_named(
            vv_buffer_string(found), vv_buffer_string(&prefix), error);
        vv_buffer_add_string(&record, vv_buffer_string(found));
        found->size = 0;
        vv_buffer_add(found, prefix.data, prefix.size);
        vv_buffer_add_string(found, INDEX_ENDING);
        if (prefix.failed || record.failed || found->failed)
            status = vv_fail_memory(error, "a path");
    }
    vv_buffer_clear(&prefix);
    if (!status)
        status = vv_file_check_directory(
            context, vv_buffer_string(&record), vv_buffer_string(found), error);
    vv_buffer_clear(&record);
    if (!status)
        status = probe(context, found, error);
    if (status == VARVE_NOT_FOUND)
        status = fail_latest(
            context, vv_buffer_string(found), vv_buffer_string(&noted), error);
    vv_buffer_clear(&noted);
    return status;
}

/* Replaces a file of a torch.distributed checkpoint by the metadata beside
 * it. */
static varve_status settle_distributed(const struct vv_context *context,
    struct vv_buffer *found, varve_error *error)
{
    size_t size = (size_t)(vv_path_name(vv_buffer_string(found)) -
                           vv_buffer_string(found));
    found->size = size;
    vv_buffer_add_string(found, DCP_METADATA);
    varve_status status = probe(context, found, error);
    if (status == VARVE_NOT_FOUND)
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: the metadata of this torch.distributed checkpoint is missing: "
            "copy it beside the .distcp files",
            vv_buffer_string(found));
    return status;
}

varve_status vv_checkpoint_settle(const struct vv_context *context,
    struct vv_buffer *found, varve_error *error)
{
    const char *path = vv_buffer_string(found);
    size_t before = before_shard(path);
    if (before > 0) {
        found->size = before;
        vv_buffer_add_string(found, INDEX_ENDING);
        varve_status status = probe(context, found, error);
        if (status == VARVE_NOT_FOUND)
            return vv_fail(error, VARVE_NOT_FOUND,
                "%s: the index of this data shard is missing: copy it beside "
                "the shards",
                vv_buffer_string(found));
        return status;
    }
    if (vv_text_ends_in(path, strlen(path), ".distcp"))
        return settle_distributed(context, found, error);
    if (strcmp(vv_path_name(path), RECORD) == 0 &&
        vv_state_file_is_one(context, path))
        return follow_record(context, found, error);
    return VARVE_OK;
}

/* --- Entry points --------------------------------------------------------- */

static varve_status find_member(const struct vv_context *context,
    const char *directory, struct vv_buffer *found, bool *is_there,
    varve_error *error)
{
    static const char *const members[] = {
        RECORD,
        "variables/variables.index", /* of a SavedModel */
        "variables.index",
        "model.safetensors.index.json",
        "model.safetensors",
        "pytorch_model.bin.index.json",
        "pytorch_model.bin",
        "flax_model.msgpack",
        DCP_METADATA,
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        set_joined(found, directory, members[i]);
        varve_status status = probe(context, found, error);
        *is_there = !status;
        if (!status)
            return vv_checkpoint_settle(context, found, error);
        if (status != VARVE_NOT_FOUND && status != VARVE_IS_DIRECTORY)
            return status;
    }
    return vv_fail(
        error, VARVE_NOT_FOUND, "%s: no checkpoint found", directory);
}

varve_status vv_checkpoint_find(const struct vv_context *context,
    const char *path, struct vv_buffer *found, varve_error *error)
{
    static const char *const endings[] = {
        INDEX_ENDING,
        ".index.json", /* an index of several safetensors files */
        ".safetensors.index.json",
    };
    static const struct search numbered[] = {
        { .ending = INDEX_ENDING },
        { .ending = "", .stem = "checkpoint", .before = '_' }, /* of Flax */
    };
    varve_status status = VARVE_NOT_FOUND;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        found->size = 0;
        vv_buffer_add_string(found, path);
        vv_buffer_add_string(found, endings[i]);
        status = probe(context, found, error);
        if (status != VARVE_NOT_FOUND)
            return status;
    }
    found->size = 0;
    vv_buffer_add_string(found, path);
    if (probe(context, found, error) != VARVE_IS_DIRECTORY)
        return find_of_prefix(context, path, found, error);
    varve_error reason = { 0 };
    bool is_there = false;
    status = find_numbered(context, path,
        (struct search){ .ending = VARVE_SUFFIX }, found, &reason);
    if (!status)
        return status;
    status = find_member(context, path, found, &is_there, error);
    if (status != VARVE_NOT_FOUND || is_there)
        return status;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered &&
                       reason.status == VARVE_IS_DIRECTORY;
         i++) {
        status = find_numbered(context, path, numbered[i], found, &reason);
        if (!status)
            return status;
    }
    if (reason.status == VARVE_IS_DIRECTORY)
        VV_TRY(vv_unreadable_format_directory(context, path, error));
    if (error)
        *error = reason;
    return reason.status;
}

/* --- Files ---------------------------------------------------------------- */

/* Opens a file as a Varve file, or else in another format. */

struct look {
    struct vv_candidate candidate;
    unsigned char head[VV_CANDIDATE_HEAD];
    unsigned char tail[64];
};

static varve_status checkpoint_in_look_at(const struct vv_context *context,
    const char *path, struct look *look, varve_error *error)
{
    struct vv_candidate *c = &look->candidate;
    int file;
    *c = (struct vv_candidate){
        .path = path, .head = look->head, .tail = look->tail
    };
    VV_TRY(vv_file_open(context, path, &file, &c->size, error));
    c->head_size =
        c->size < sizeof look->head ? (size_t)c->size : sizeof look->head;
    c->tail_size =
        c->size < sizeof look->tail ? (size_t)c->size : sizeof look->tail;
    varve_status status =
        vv_file_read(context, file, path, look->head, c->head_size, 0, error);
    if (!status)
        status = vv_file_read(context, file, path, look->tail, c->tail_size,
            c->size - c->tail_size, error);
    vv_file_close(context, file);
    return status;
}

/* Names of managers and listings have this extension: a file with such a name
 * is opened only in Varve's own format. */
static varve_status refuse_name(
    const struct vv_candidate *candidate, varve_error *error)
{
    const char *what = vv_format_recognize(candidate);
    if (!what)
        return VARVE_OK;
    return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
        "%s: the name ends with " VARVE_SUFFIX
        ", but the file is %s: rename it to read it",
        candidate->path, what);
}

/* Opens a file that is not in Varve's format, for which opening failed with
 * `reason`. */
static varve_status open_other(struct vv_opened *o,
    const struct vv_context *context, const char *path,
    const varve_error *reason, varve_error *error)
{
    struct look look;
    varve_status status = reason->status;
    bool is_known = false;
    if (status == VARVE_NOT_A_CHECKPOINT) {
        VV_TRY(checkpoint_in_look_at(context, path, &look, error));
        if (vv_is_lfs_pointer(look.head, look.candidate.head_size))
            return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
                "%s: expected a checkpoint, found a Git LFS pointer: run `git "
                "lfs pull` to fetch the file",
                path);
        if (vv_has_our_ending(path))
            VV_TRY(refuse_name(&look.candidate, error));
        else
            VV_TRY(
                vv_format_open(o, context, &look.candidate, &is_known, error));
        if (is_known)
            return VARVE_OK;
        VV_TRY(vv_unreadable_format_file(context, path, error));
    }
    if (error)
        *error = *reason;
    return status;
}

varve_status vv_checkpoint_open_far(struct vv_opened *o,
    const struct vv_context *context, const char *path, uint64_t most,
    varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status = vv_data_in_open_far(o, context, path, most, &reason);
    return status ? open_other(o, context, path, &reason, error) : VARVE_OK;
}

varve_status vv_checkpoint_open(struct vv_opened *o,
    const struct vv_context *context, const char *path, varve_error *error)
{
    return vv_checkpoint_open_far(o, context, path, UINT64_MAX, error);
}
