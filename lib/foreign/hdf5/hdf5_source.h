/* hdf5_source.h - an HDF5 file that is read: as it is, or whole in an archive
 * of Keras.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_SOURCE_H
#define VV_HDF5_SOURCE_H

#include "arena.h"
#include "hdf5_module.h"
#include "zip_in.h"

/* A value that is made when it is asked for. */
struct vv_hdf5_made {
    /* to fill in */
    uint64_t object;
    uint64_t count; /* of texts */
    bool is_text;
    const char *name; /* for messages, in the arena */
};

struct vv_hdf5_source {
    /* to read */
    const struct vv_foreign *foreign;
    const struct vv_hdf5_calls *calls;
    struct vv_hdf5_file *file;
    uint64_t root;                     /* the object */
    struct vv_zip zip;                 /* no entries: it is the file itself */
    uint64_t base, size;               /* of it in the first file */
    const struct vv_zip_entry *config; /* of an archive, or NULL */
    /* to fill in */
    struct vv_arena names;
    struct vv_buffer made; /* struct vv_hdf5_made */
};

/* Whether a file that begins so is an archive. */
bool vv_hdf5_is_archive(const unsigned char *head, size_t size);

/* Opens the first file of `foreign`, whose state it becomes. */
varve_status vv_hdf5_open(struct vv_foreign *foreign,
    struct vv_hdf5_source **source, varve_error *error);

/* Makes of what a call said one line that begins with the file and, unless
 * that is NULL, the name of what was read. Gives the status. */
varve_status vv_hdf5_tell(const struct vv_hdf5_source *source, const char *name,
    const varve_error *said, varve_error *error);

/* `decode` of struct vv_foreign: of what is in `made`. */
varve_status vv_hdf5_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error);

/* How many bytes the texts of a dataset may take, before they are known. */
uint64_t vv_hdf5_most_text(const struct vv_hdf5_source *source);

#endif
