/* numbered.h - The numbered checkpoints of a prefix, PREFIX-N.varve: their
 * names, the listing of their directory, and which of them is the newest.
 *
 * This is the only place that knows those names. N is a decimal without leading
 * zeros, or padded with zeros to 8 digits.
 *
 * The newest checkpoint is the one with the highest save counter. The counter
 * is the number, except where a manager numbers by step; so in a directory that
 * a manager has used the counters are those of its ledger, or of the files
 * where the ledger does not have them.
 *
 * A listing can be stale (a cache of a network file system, a list of a store)
 * or torn (files are renamed while it is read). So what is looked for is listed
 * again until two listings agree about the newest; a listing without any
 * checkpoint is believed in a manager's directory only after several tries; and
 * a checkpoint that the ledger names is looked for by its name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NUMBERED_H
#define VV_NUMBERED_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "context.h"
#include "system.h"

/* One name. */
struct vv_numbered {
    /* to fill in */
    uint64_t number;
    bool is_padded;
    bool has_info; /* the listing itself has said what the file is: */
    struct vv_file_info info;
};

struct vv_numbered_list {
    /* to fill in */
    bool by_all; /* listings agree about all numbers, not the highest alone */
    /* to read */
    struct vv_buffer files;  /* struct vv_numbered, by number */
    struct vv_buffer others; /* names that begin with the prefix, or with "."
                                and the prefix: each ends with a NUL */
    bool is_unconfirmed;     /* no two listings agreed */
    bool
        is_managed; /* it has, or had, a manager: there is a ledger or a lock */
    bool has_ledger;
};

/* Returns whether a bare name is `prefix-N` and then `ending`; `prefix` is a
 * bare name as well. Sets `number` and `is_padded` of the file. */
bool vv_numbered_parse(const char *name, const char *prefix, const char *ending,
    struct vv_numbered *file);

/* By number, and a padded name after the other one: for qsort. */
int vv_numbered_compare(const void *left, const void *right);

/* Appends "-N" and an ending. */
void vv_numbered_add(struct vv_buffer *path, uint64_t number, bool is_padded,
    const char *ending);

/* An empty list; clear it also after a failure. */
void vv_numbered_list_begin(
    struct vv_numbered_list *list, const varve_allocator *allocator);
void vv_numbered_list_clear(struct vv_numbered_list *list);

static inline size_t vv_numbered_count(const struct vv_numbered_list *list)
{
    return list->files.size / sizeof(struct vv_numbered);
}

const struct vv_numbered *vv_numbered_at(
    const struct vv_numbered_list *list, size_t i);

/* Lists the directory of a prefix, which is a path, once. A directory that is
 * missing has no checkpoints. */
varve_status vv_numbered_list(const struct vv_context *context,
    const char *prefix, struct vv_numbered_list *list, varve_error *error);

/* Lists it until two listings agree. Where somebody saves all the time they may
 * never agree: the last one counts, and is unconfirmed. */
varve_status vv_numbered_list_again(const struct vv_context *context,
    const char *prefix, struct vv_numbered_list *list, varve_error *error);

/* Sets `path` to that of the newest checkpoint, which was there a moment ago.
 * VARVE_NOT_FOUND where the prefix has none. */
varve_status vv_numbered_newest(const struct vv_context *context,
    const char *prefix, struct vv_buffer *path, varve_error *error);

/* A file whose path was found by its prefix may be deleted before it is opened.
 * After VARVE_NOT_FOUND: whether the path is to be found again; counts the
 * tries in *tries, which begins at 0. */
bool vv_numbered_try_again(
    const char *prefix, const char *path, unsigned *tries);

#endif
