/* foreign.h - the files of a checkpoint in another format, and the bytes of
 * its values.
 *
 * Functions that read may be called from several threads at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FOREIGN_H
#define VV_FOREIGN_H

#include <varve/error.h>

#include "buffer.h"
#include "format_extras.h"
#include "opened.h"
#include "place.h"
#include "system.h"

struct vv_foreign_file {
    /* to read */
    char *path; /* owned */
    int file;   /* -1 while it is not open */
    uint64_t size;
    struct vv_file_info info; /* as it was added */
};

struct vv_foreign {
    /* to read */
    struct vv_foreign_file *files;
    size_t file_count, file_capacity;
    struct vv_place *places; /* by value */
    size_t place_count;
    struct vv_kept kept; /* of nodes of the index */

    /* to fill in: by who opens it */
    const struct vv_context *context;
    varve_format format;

    /* to fill in: by the format as it opens; NULL where it has no such values.
     * Makes the bytes of a value that is decoded, as they would lie in a file
     * of ours, and verifies them on the way. `number` is the offset of its
     * place. */
    varve_status (*decode)(const struct vv_foreign *foreign, uint64_t number,
        unsigned char *bytes, size_t size, varve_error *error);
    /* Makes bytes of a value whose place has parts, from `at` on. */
    varve_status (*decode_part)(const struct vv_foreign *foreign,
        uint64_t number, uint64_t at, unsigned char *bytes, size_t size,
        varve_error *error);
    void *state;                              /* of the format */
    void (*free)(struct vv_foreign *foreign); /* frees it; may be NULL */

    /* own */
    const struct vv_parsed_index *parsed; /* once there is one */
    struct vv_value_tables *tables;       /* foreign_values.c */
};

/* Adds a file of the checkpoint: that it is there and how large it is is found
 * out now. *number is its number. The path is used as it is: a format that
 * takes names from a file joins them to the directory of that file and refuses
 * any that leave it (vv_path_stays). A link that leaves it is refused here
 * (vv_file_check_beside). */
varve_status vv_foreign_add_file(struct vv_foreign *foreign, const char *path,
    uint32_t *number, varve_error *error);

/* Whether the path of the first file leads to another one by now: then nobody
 * knows of which of the two the further files are. */
varve_status vv_foreign_is_replaced(
    const struct vv_foreign *foreign, bool *is_replaced, varve_error *error);

/* Reads bytes of one of the files. VARVE_TRUNCATED past its end; VARVE_CORRUPT
 * where it is not open, and another one has its name by now. */
varve_status vv_foreign_read(const struct vv_foreign *foreign, uint32_t file,
    void *bytes, size_t size, uint64_t offset, varve_error *error);

/* Whether these are the first bytes of what Git LFS leaves in place of a file
 * until it is fetched. */
bool vv_is_lfs_pointer(const void *head, size_t size);

/* VARVE_NOT_A_CHECKPOINT if one of the files is such; `what` is what should be
 * there. */
varve_status vv_foreign_refuse_pointer(const struct vv_foreign *foreign,
    uint32_t file, const char *what, varve_error *error);

/* A name without each `./` that it begins with. */
const char *vv_name_without_dots(const char *name, size_t *size);

/* Whether a name from a file names a file beside it: no '/', not "..", not
 * empty, no NUL. */
bool vv_name_stays(const char *name, size_t size);

/* Whether a path from a file leads to a file of the same directory, or of one
 * below it: it is made of such names. */
bool vv_path_stays(const char *path, size_t size);

/* Sets `path` to that of a sibling of `beside`. */
void vv_sibling_path(
    struct vv_buffer *path, const char *beside, const char *name, size_t size);

#endif
