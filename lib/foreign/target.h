/* target.h - a graph on its way into the files of another format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TARGET_H
#define VV_TARGET_H

#include <varve/checkpoint.h>
#include <varve/error.h>

#include "index.h"
#include "publish.h"
#include "saved_path.h"
#include "source.h"

struct vv_target {
    /* to fill in */
    const struct vv_context *context;
    const char *path;             /* as the program gave it */
    const struct vv_index *index; /* the graph, with save counter and metadata;
                                     no digests; offset 0: no value */
    const struct vv_value_table *table;
    const struct vv_saved_paths *paths; /* from the root */
    int flags;                          /* enum vv_publish_flags */
    uint64_t shard_size; /* begin another file before this many bytes
                            of values are in one; 0: never */
    /* Sets *source to the bytes of a value as they lie in a file of ours, valid
     * until the next call; for any value that is saved, in any order. Calls
     * the program's progress. Those of strings and states lie together. */
    varve_status (*value)(void *user, uint32_t value, struct vv_source *source,
        varve_error *error);
    void *user;
    /* Before the files are published: whether all values were asked for that
     * must not be lost. May be NULL. */
    varve_status (*finish)(void *user, varve_error *error);
    /* What was kept of a node of a graph that was made from a file
     * (format_extras.h), or NULL. May be NULL itself. */
    const unsigned char *(*kept)(const void *user, uint32_t node, size_t *size);
    bool global_names; /* where the format has names alone */
    varve_loss *loss;  /* may be NULL */
    void *loss_user;
};

struct vv_target_format {
    /* to fill in */
    varve_format format;
    varve_status (*write)(const struct vv_target *target, varve_error *error);
};

/* The status with which the files are published, after all values were asked
 * for: that of writing them, or that of `finish`. */
varve_status vv_target_finish(
    const struct vv_target *target, varve_status status, varve_error *error);

/* Says that something of a node is not in the files. */
void vv_target_lose(
    const struct vv_target *target, uint32_t node, const char *what);

/* That the names that the files spell for each value, made of the names of its
 * path, are no longer than a path that is shown: those of a deep graph would
 * together be as long as the square of its depth. */
varve_status vv_target_check_names(
    const struct vv_target *target, varve_error *error);

/* The name of a value in a format without a graph: the names of the shortest
 * path, as they are, joined by '/'; for a slot variable
 * `<owner>/<slot>(<variable>)`. */
void vv_target_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* The global name of a node, or that of its value where it has none. */
void vv_target_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* The one of the two that `global_names` asks for. */
void vv_target_key(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Whether a tag of a node, by the number of its name, will be there again. */
typedef bool vv_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

/* Tells the losses that every format without a graph has: tags (but those that
 * `keeps_tag` says, which may be NULL), objects that are lists or dicts, and
 * (unless `keeps_aliases`) edges beside the shortest path. */
void vv_target_lose_graph(const struct vv_target *target, bool keeps_aliases,
    vv_keeps_tag *keeps_tag);

/* Tells of the global names that are not the keys of their values. */
void vv_target_lose_globals(const struct vv_target *target);

/* Tells of the save counter and of metadata, each by its name. */
void vv_target_lose_metadata(const struct vv_target *target);

#endif
