/* target.h - Describes a graph that is written in another format.
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
    const char *path;             /* as passed by the program */
    const struct vv_index *index; /* the graph, with save counter and metadata,
                                     without digests; offset 0 marks a node
                                     without a value */
    const struct vv_value_table *table;
    const struct vv_saved_paths *paths; /* relative to the root */
    int flags;                          /* enum vv_publish_flags */
    uint64_t shard_size; /* start the next file before the values in one exceed
                            this many bytes; 0: no limit */
    /* Sets *source to the bytes of a value as in a Varve file. They are valid
     * until the next call. Can be called for any saved value, in any order.
     * Calls the program's progress callback. The bytes of strings and states
     * are contiguous. */
    varve_status (*value)(void *user, uint32_t value, struct vv_source *source,
        varve_error *error);
    void *user;
    /* Called before the files are published: fails if a value that must be
     * saved was not requested. Can be NULL. */
    varve_status (*finish)(void *user, varve_error *error);
    /* Returns the data kept about a node of a graph that was built from a file
     * (format_extras.h), or NULL. Can be NULL itself. */
    const unsigned char *(*kept)(const void *user, uint32_t node, size_t *size);
    bool global_names; /* for formats that store names only */
    varve_loss *loss;  /* can be NULL */
    void *loss_user;
};

struct vv_target_format {
    /* to fill in */
    varve_format format;
    varve_status (*write)(const struct vv_target *target, varve_error *error);
};

/* Returns the status with which the files must be published: `status` if that
 * is a failure, else that of `finish`. Call it after all values have been
 * requested. */
varve_status vv_target_finish(
    const struct vv_target *target, varve_status status, varve_error *error);

/* Reports that a property of a node is not stored in the files. */
void vv_target_lose(
    const struct vv_target *target, uint32_t node, const char *what);

/* Fails if the path of a value is longer than VV_LONGEST_PATH. Without this
 * limit the names in the file of a deep graph could take space quadratic in its
 * depth. */
varve_status vv_target_check_names(
    const struct vv_target *target, varve_error *error);

/* Sets `name` to that of a value in a format without a graph: the names on the
 * shortest path, unescaped, joined by '/'. For a slot variable it is
 * `<owner>/<slot>(<variable>)`. */
void vv_target_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Sets `name` to the global name of a node, or to vv_target_name if it has
 * none. */
void vv_target_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Calls vv_target_full_name if `global_names` is set, else vv_target_name. */
void vv_target_key(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Returns true if a tag of a node, given by the number of its name, is
 * stored. */
typedef bool vv_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

/* Reports the losses common to all formats without a graph: tags (except those
 * for which `keeps_tag`, which can be NULL, returns true), kinds of lists and
 * dicts, and, unless `keeps_aliases`, edges that are not on the shortest
 * path. */
void vv_target_lose_graph(const struct vv_target *target, bool keeps_aliases,
    vv_keeps_tag *keeps_tag);

/* Reports global names that differ from the keys of their values. */
void vv_target_lose_globals(const struct vv_target *target);

/* Reports the save counter and each metadata entry. */
void vv_target_lose_metadata(const struct vv_target *target);

#endif
