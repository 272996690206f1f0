/* numbered.h - Finds the numbered checkpoints of a prefix, PREFIX-N.varve:
 * parses their names, lists their directory and chooses the newest.
 *
 * No other file parses these names. N is a decimal number without leading
 * zeros, or padded with zeros to 8 digits.
 *
 * The newest checkpoint is the one with the highest save counter. The counter
 * is the number, except if a manager numbers by step. In a directory that a
 * manager has used the counters are read from its ledger, or from the files
 * that the ledger does not have.
 *
 * A listing can be stale (a cache of a network file system, a listing of an
 * object store) or inconsistent (files are renamed while it is read). So the
 * directory is listed until two listings agree on the newest. An empty listing
 * of a manager's directory is accepted only after several tries. A checkpoint
 * that is in the ledger is looked up by its name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NUMBERED_H
#define VV_NUMBERED_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "context.h"
#include "system.h"

/* A numbered file. */
struct vv_numbered {
    /* to fill in */
    uint64_t number;
    bool is_padded;
    bool has_info; /* the listing has returned `info` */
    struct vv_file_info info;
};

struct vv_numbered_list {
    /* to fill in */
    bool by_all; /* listings must agree on all numbers, not only on the
                    highest */
    /* to read */
    struct vv_buffer files;  /* struct vv_numbered, sorted by number */
    struct vv_buffer others; /* names that begin with the prefix, or with "."
                                and the prefix; each ends with a NUL */
    bool is_unconfirmed;     /* no two listings agreed */
    bool is_managed;         /* there is a ledger or a lock of a manager */
    bool has_ledger;
};

/* Returns true if a bare name is `prefix-N` followed by `ending`. `prefix` is a
 * bare name as well. Sets `number` and `is_padded` of the file. */
bool vv_numbered_parse(const char *name, const char *prefix, const char *ending,
    struct vv_numbered *file);

/* Compares by number; of equal numbers the padded name is later. For qsort. */
int vv_numbered_compare(const void *left, const void *right);

/* Appends "-N" and an ending. */
void vv_numbered_add(struct vv_buffer *path, uint64_t number, bool is_padded,
    const char *ending);

/* Initializes an empty list. vv_numbered_list_clear must be called also after a
 * failure. */
void vv_numbered_list_begin(
    struct vv_numbered_list *list, const varve_allocator *allocator);
void vv_numbered_list_clear(struct vv_numbered_list *list);

static inline size_t vv_numbered_count(const struct vv_numbered_list *list)
{
    return list->files.size / sizeof(struct vv_numbered);
}

const struct vv_numbered *vv_numbered_at(
    const struct vv_numbered_list *list, size_t i);

/* Lists the directory of the path `prefix` once. If the directory is missing
 * the list is empty. */
varve_status vv_numbered_list(const struct vv_context *context,
    const char *prefix, struct vv_numbered_list *list, varve_error *error);

/* Like vv_numbered_list, in an open directory. */
varve_status vv_numbered_list_in(const struct vv_context *context,
    int directory, const char *prefix, struct vv_numbered_list *list,
    varve_error *error);

/* Returns true if the prefix has at least one numbered checkpoint. */
bool vv_numbered_has_any(const struct vv_context *context, const char *prefix);

/* Lists the directory until two listings agree. If other processes save all the
 * time they may never agree: then the last one is used, and `is_unconfirmed` is
 * set. */
varve_status vv_numbered_list_again(const struct vv_context *context,
    const char *prefix, struct vv_numbered_list *list, varve_error *error);

/* Sets `path` to that of the newest checkpoint. The file may be deleted at any
 * time. Returns VARVE_NOT_FOUND if the prefix has none. */
varve_status vv_numbered_newest(const struct vv_context *context,
    const char *prefix, struct vv_buffer *path, varve_error *error);

/* Called after VARVE_NOT_FOUND for a path that was found by its prefix: the
 * file may have been deleted before it was opened. Returns true if the path
 * should be found again. Counts the tries in *tries, which must be 0 at
 * first. */
bool vv_numbered_try_again(
    const char *prefix, const char *path, unsigned *tries);

#endif
