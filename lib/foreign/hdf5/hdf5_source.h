/* hdf5_source.h - Opens an HDF5 file for reading, either a file by itself or a
 * stored entry of a Keras archive.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_SOURCE_H
#define VV_HDF5_SOURCE_H

#include <varve/error.h>

#include "allocator.h"
#include "context.h"
#include "hdf5_module.h"
#include "zip_in.h"

/* --- The module ----------------------------------------------------------- */

/* Loads the module varve-hdf5 when a file needs it. */

/* Sets *calls to the functions of the module. Returns VARVE_TOO_NEW, with a
 * message that describes the remedy, if the module does not exist or has
 * another version. `path` is the file that needs it. */
varve_status vv_hdf5_load(const struct vv_context *context, const char *path,
    const struct vv_hdf5_calls **calls, varve_error *error);

/* --- The file ------------------------------------------------------------- */

/* A value that is decoded when it is read. */
struct vv_hdf5_made {
    /* to fill in */
    uint64_t object;
    uint64_t count; /* number of strings */
    bool is_text;
    const char *name; /* for error messages; allocated in the arena */
};

struct vv_hdf5_source {
    /* to read */
    const struct vv_foreign *foreign;
    const struct vv_hdf5_calls *calls;
    struct vv_hdf5_file *file;
    uint64_t root;                     /* address of the root group */
    struct vv_zip zip;                 /* has no entries if the file is not an
                                          archive */
    uint64_t base, size;               /* range of the HDF5 file in the first
                                          file */
    const struct vv_zip_entry *config; /* configuration of the model in an
                                          archive, or NULL */
    /* to fill in */
    struct vv_arena names;
    struct vv_buffer made; /* struct vv_hdf5_made */
};

/* Returns true if these are the first bytes of an archive. */
bool vv_hdf5_is_archive(const unsigned char *head, size_t size);

/* Opens the first file of `foreign`. The result becomes the state of
 * `foreign`. */
varve_status vv_hdf5_open(struct vv_foreign *foreign,
    struct vv_hdf5_source **source, varve_error *error);

/* Fails with the status of `said`. The message begins with the file and, unless
 * it is NULL, `name`. */
varve_status vv_hdf5_fail_at(const struct vv_hdf5_source *source,
    const char *name, const varve_error *said, varve_error *error);

/* Returns the limit on the total size of the strings of a dataset. */
uint64_t vv_hdf5_most_text(const struct vv_hdf5_source *source);

#endif
