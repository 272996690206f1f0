/* formats.h - Reads and writes checkpoints in the formats of other programs:
 * everything of lib/foreign that the rest of the library uses.
 *
 * The test `layers` verifies that the rest of the library includes no other
 * header of lib/foreign and calls no function that is not declared here.
 *
 * A build without the option `formats` has these functions too, but only
 * recognizes files in other formats. There opening or writing such a file
 * returns VARVE_TOO_NEW, and the message names the format and the option.
 *
 * Functions that return a status set *error on failure, unless it is NULL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FORMATS_H
#define VV_FORMATS_H

#include <varve/checkpoint.h>
#include <varve/error.h>
#include <varve/format.h>

#include "buffer.h"
#include "context.h"
#include "index.h"
#include "opened.h"
#include "publish.h"
#include "saved_path.h"
#include "source.h"

/* --- Finding a file ------------------------------------------------------- */

/* Returns true if a path ends in VARVE_SUFFIX; for a path of a store, before
 * its query. Such a path always refers to a file of Varve's own format. */
bool vv_has_our_ending(const char *path);

/* Sets `found` to the file to open for a path that is not an existing file: the
 * prefix of a TensorFlow checkpoint, or a directory that contains numbered
 * Varve files, a `checkpoint` record, a SavedModel, a Hugging Face model or
 * torch.distributed metadata. Of numbered files it is that with the highest
 * number; find_in_directory in save.c replaces it by the newest.
 *
 * Returns VARVE_NOT_FOUND if there is nothing of this kind, VARVE_IS_DIRECTORY
 * for a directory without a checkpoint, and VARVE_NOT_A_CHECKPOINT if the
 * directory has a known format that cannot be read. */
varve_status vv_checkpoint_find(const struct vv_context *context,
    const char *path, struct vv_buffer *found, varve_error *error);

/* Replaces an existing file that is only a part of a checkpoint: a data shard
 * by its index, a `checkpoint` record by the latest checkpoint that it
 * lists. */
varve_status vv_checkpoint_settle(const struct vv_context *context,
    struct vv_buffer *found, varve_error *error);

/* --- Reading -------------------------------------------------------------- */

/* Opens a file of any format. `path` must be a result of vv_checkpoint_find. On
 * failure nothing stays open. Call vv_opened_close to close it. The result is
 * the same for all formats: an index that has been validated by the same rules,
 * and values that are read, checked and mapped by the same functions. */
varve_status vv_checkpoint_open(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* As vv_checkpoint_open. If the file is in Varve's format and its index is
 * large, columns of the index stay in the file (vv_data_in_open_far). */
varve_status vv_checkpoint_open_far(struct vv_opened *opened,
    const struct vv_context *context, const char *path, uint64_t most,
    varve_error *error);

/* Returns the format of an opened file. */
varve_format vv_checkpoint_format(const struct vv_opened *opened);

/* --- Properties of nodes that a graph cannot represent -------------------- */

/* Properties of nodes that a format has but a graph cannot represent, as bytes
 * that the format defines. With them a graph built from a file can be written
 * in the same format again without loss. */
struct vv_kept {
    /* to fill in */
    varve_format format; /* the format of the file */
    /* to read */
    struct vv_buffer items; /* struct vv_kept_item */
    struct vv_buffer bytes; /* the bytes of all items */
};

/* Returns the properties that the format keeps about nodes of an opened file,
 * which the caller may move; NULL for a Varve file. */
struct vv_kept *vv_checkpoint_kept(const struct vv_opened *opened);

void vv_kept_init(struct vv_kept *kept, const varve_allocator *allocator);
void vv_kept_clear(struct vv_kept *kept);

/* Moves everything to `to`, whose allocator must be equivalent but may live
 * longer. */
void vv_kept_move(
    struct vv_kept *to, struct vv_kept *from, const varve_allocator *allocator);

/* Returns the data of a node, by its number in the index, or NULL if there is
 * none. */
const unsigned char *vv_kept_find(
    const struct vv_kept *kept, uint32_t node, size_t *size);

/* Returns true if the data applies to files of this format. npy and npz have
 * the same data. */
static inline bool vv_kept_is_for(
    const struct vv_kept *kept, varve_format format)
{
    varve_format from = kept->format;
    bool is_array = from == VARVE_FORMAT_NPY || from == VARVE_FORMAT_NPZ;
    return from == format ||
           (from == VARVE_FORMAT_TENSORFLOW &&
               format == VARVE_FORMAT_TENSORFLOW_NAMES) ||
           (is_array &&
               (format == VARVE_FORMAT_NPY || format == VARVE_FORMAT_NPZ));
}

/* --- Writing -------------------------------------------------------------- */

/* A graph to write in another format. */
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
     * (struct vv_kept), or NULL. Can be NULL itself. */
    const unsigned char *(*kept)(const void *user, uint32_t node, size_t *size);
    bool global_names; /* for formats that store names only */
    varve_loss *loss;  /* can be NULL */
    void *loss_user;
};

/* Writes a checkpoint in a format other than Varve's. Returns VARVE_MISUSE if
 * the format cannot be written. */
varve_status vv_target_write(
    const struct vv_target *target, varve_format format, varve_error *error);

#endif
