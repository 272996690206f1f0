/* foreign.h - Gives access to the files of a checkpoint in another format, to
 * small parts of them, and to the bytes of values.
 *
 * Functions that read can be called from several threads at once.
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

/* --- Files ---------------------------------------------------------------- */

struct vv_foreign_file {
    /* to read */
    char *path; /* owned */
    int file;   /* -1 while it is not open */
    uint64_t size;
    struct vv_file_info info; /* when the file was added */
};

struct vv_foreign {
    /* to read */
    struct vv_foreign_file *files;
    size_t file_count, file_capacity;
    struct vv_place *places; /* indexed by value */
    size_t place_count;
    struct vv_kept kept; /* indexed by node of the index */

    /* to fill in: by the caller that opens it */
    const struct vv_context *context;
    varve_format format;

    /* to fill in: by the format when it opens the file; NULL if it has no such
     * values. Decodes a value: writes its bytes as they would be in a Varve
     * file, and verifies them. `number` is the offset of its place. */
    varve_status (*decode)(const struct vv_foreign *foreign, uint64_t number,
        unsigned char *bytes, size_t size, varve_error *error);
    /* Writes bytes of a value whose place has parts, beginning at `at`. */
    varve_status (*decode_part)(const struct vv_foreign *foreign,
        uint64_t number, uint64_t at, unsigned char *bytes, size_t size,
        varve_error *error);
    void *state;                              /* of the format */
    void (*free)(struct vv_foreign *foreign); /* frees the state; can be NULL */

    /* own */
    const struct vv_parsed_index *parsed; /* NULL until there is one */
    struct vv_value_tables *tables;       /* see foreign_values.c */
};

/* Adds a file of the checkpoint, opens it and determines its size. Sets *number
 * to its number. The path is used as it is: a format that reads names from a
 * file must join them to the directory of that file and refuse names that leave
 * it (vv_path_stays). This function refuses links that leave the directory
 * (vv_file_check_directory). */
varve_status vv_foreign_add_file(struct vv_foreign *foreign, const char *path,
    uint32_t *number, varve_error *error);

/* Sets *is_replaced to true if the path of the first file now leads to a
 * different file. The other files may then belong to either checkpoint. */
varve_status vv_foreign_is_replaced(
    const struct vv_foreign *foreign, bool *is_replaced, varve_error *error);

/* Reads bytes of one of the files. Returns VARVE_TRUNCATED past its end, and
 * VARVE_CORRUPT if the file is not kept open and was replaced. */
varve_status vv_foreign_read(const struct vv_foreign *foreign, uint32_t file,
    void *bytes, size_t size, uint64_t offset, varve_error *error);

/* Returns VARVE_NOT_A_CHECKPOINT if the file is a Git LFS pointer. `what`
 * describes the expected file in the message. */
varve_status vv_foreign_refuse_pointer(const struct vv_foreign *foreign,
    uint32_t file, const char *what, varve_error *error);

/* Returns a name without leading `./`. */
const char *vv_name_without_dots(const char *name, size_t *size);

/* Returns true if a name from a file is that of a file beside it: not empty,
 * not "." or "..", no '/' and no NUL. */
bool vv_name_stays(const char *name, size_t size);

/* Returns true if all parts of a path from a file are such names, so that it
 * leads to a file of the same directory or below it. */
bool vv_path_stays(const char *path, size_t size);

/* Sets `path` to the path of a file beside `beside`. */
void vv_sibling_path(
    struct vv_buffer *path, const char *beside, const char *name, size_t size);

/* --- Windows -------------------------------------------------------------- */

/* Reads small parts of the first file of a checkpoint through a buffer. Parts
 * that are skipped are not read. */

/* The minimum number of bytes returned, unless the file ends before. */
enum { VV_WINDOW_SIGHT = 16 };

struct vv_window {
    /* to fill in */
    const struct vv_foreign *foreign;
    varve_error *error;
    /* own */
    uint64_t begin;
    size_t size;
    unsigned char bytes[4096];
};

/* Sets *bytes to the bytes at an offset within the file. They are valid until
 * the next call. */
varve_status vv_window_look(struct vv_window *window, uint64_t at,
    const unsigned char **bytes, size_t *size);

#endif
