/* reader.h - Opens a checkpoint without a program and reads values from it.
 *
 *     varve_saved_node node;
 *     varve_reader *reader = varve_reader_open("a.varve", NULL, &error);
 *     if (reader && varve_reader_find(reader, "model/bias", &node) &&
 *         varve_reader_read(reader, node.id, bias, sizeof bias, &error) == 0)
 *         printf("%g\n", bias[0]);
 *     varve_reader_free(reader);
 *
 * Everything that a reader returns is valid until varve_reader_free. Several
 * threads may use a reader at the same time, except for varve_reader_free.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_READER_H
#define VARVE_READER_H

#include <varve/allocator.h>
#include <varve/checkpoint.h>
#include <varve/slice.h>
#include <varve/tensor.h>

VARVE_BEGIN_DECLS

/* Opens a checkpoint and checks its structure, but not its values.
 *
 * `path` is that of varve_restore: a file, a prefix, or a directory with
 * numbered checkpoints, of which the newest is opened. `allocator` may be NULL.
 * The structure of a file is its header, footer and index.
 *
 * Returns a reader. Free it with varve_reader_free. Returns NULL on failure.
 *
 * - Fails with VARVE_NOT_FOUND if there is no such file.
 * - Fails with VARVE_IS_DIRECTORY if `path` is a directory without numbered
 *   checkpoints.
 * - Fails with VARVE_EMPTY_FILE if the file is empty.
 * - Fails with VARVE_NOT_A_CHECKPOINT if its format is not supported.
 * - Fails with VARVE_TOO_NEW if a later version of Varve is needed.
 * - Fails with VARVE_TRUNCATED if the end of the file is missing.
 * - Fails with VARVE_CORRUPT if the structure is damaged. */
VARVE_API varve_reader *varve_reader_open(const char *path,
    const varve_allocator *allocator, varve_error *error) VARVE_MUST_CHECK;

/* Opens a damaged checkpoint, as far as its index can be read.
 *
 * The file must have Varve's own format (docs/damaged.md). Either the header or
 * the footer may be lost, and so may data files. If the footer is lost, the
 * whole file is searched for the index.
 *
 * The index is verified by its checksum. Values that are lost fail with
 * VARVE_CORRUPT, VARVE_TRUNCATED or VARVE_IO when they are read. If the index
 * cannot be read, the function fails as varve_reader_open does. */
VARVE_API varve_reader *varve_reader_salvage(const char *path,
    const varve_allocator *allocator, varve_error *error) VARVE_MUST_CHECK;

/* Options of varve_reader_open_with. All zero is the behavior of
 * varve_reader_open, and NULL is the same. */
typedef struct varve_reader_options {
    const varve_allocator *allocator;   /* NULL: the default allocator */
    bool salvage;                       /* open as varve_reader_salvage does */
    varve_foreign_read_options foreign; /* other formats; with `dots` names in
                                           such a file are split at dots */
    varve_reserved reserved;
} varve_reader_options;

/* Opens a checkpoint with options. Otherwise it is like varve_reader_open. */
VARVE_API varve_reader *varve_reader_open_with(const char *path,
    const varve_reader_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Closes a reader and frees everything that it has returned. Takes NULL. */
VARVE_API void varve_reader_free(varve_reader *reader);

/* Returns the format of the checkpoint. Formats other than Varve's have no
 * digests of values; their `digest` is zero. */
VARVE_API varve_format varve_reader_format(const varve_reader *reader);

/* Returns true if the format has checksums for its values.
 *
 * The formats safetensors, npy, GGUF, ONNX, Flax and HDF5 have none, so that
 * varve_reader_verify finds only structural errors in them. In a PyTorch file
 * a tensor that is a part of a storage has none. */
VARVE_API bool varve_reader_has_checksums(const varve_reader *reader);

/* Returns the path of the file that was opened. */
VARVE_API const char *varve_reader_path(const varve_reader *reader);

/* Returns the size of the checkpoint in bytes: the sum of all its files. */
VARVE_API uint64_t varve_reader_size(const varve_reader *reader);

/* Returns the save counter in the file, or 0 for a file of varve_write. */
VARVE_API uint64_t varve_reader_counter(const varve_reader *reader);

/* Returns a metadata value by index, or NULL if `index` is past the end.
 * Shorter names are first; names of equal size are in byte order. */
VARVE_API const varve_metadata *varve_reader_metadata_at(
    const varve_reader *reader, size_t index);

/* --- The graph ---------------------------------------------------------- */

/* A node of the saved graph. Node 0 is the root. */
typedef struct varve_saved_node {
    uint32_t id;             /* number of the node */
    varve_kind kind;         /* object, variable, list, dict or state */
    const char *path;        /* shortest path from the root; "" for the root;
                                `<owner>/<slot>(<variable>)` for a slot
                                variable. A path of more than 4095 bytes is
                                shortened to "..." and its end. "?" if memory is
                                exhausted */
    size_t edge_count;       /* number of edges to children */
    size_t slot_count;       /* number of slots that this node owns */
    size_t tag_count;        /* number of tags */
    const char *global_name; /* name set by varve_set_global_name; NULL: none */
    bool has_value;          /* the file contains the value of this node */
    varve_tensor value;      /* type and shape; uint8 of rank 1 for a state;
                                dtype 0 for other nodes. `data` is NULL */
    uint64_t size;           /* bytes of the value */
    const char *file;        /* file that contains the value contiguously, with
                                the bytes that varve_reader_read returns; NULL:
                                none, for example for a compressed value */
    uint64_t offset;         /* offset of the value in `file`, in bytes */
    uint8_t digest[16];      /* XXH3-128 of the value in big-endian (canonical)
                                order. A value of several chunks of 1 MiB has
                                the digest of their concatenated digests. Zero
                                if the file has none: other formats, values in
                                several pieces, and values that incremental
                                saves checksum by pages */
    const varve_slice *part; /* position of `value` in a larger value, of which
                                the file contains only this part, as with
                                per-node directories (redundancy.h); NULL: the
                                value is complete */
    void *reserved[7];
} varve_saved_node;

/* Returns the number of nodes. Their ids count from 0. */
VARVE_API size_t varve_reader_node_count(const varve_reader *reader);

/* Copies the description of a node to `*node`. Returns false if `id` is past
 * the end. */
VARVE_API bool varve_reader_node_at(
    const varve_reader *reader, size_t id, varve_saved_node *node);

/* Finds the node at a path and copies its description to `*node`.
 *
 * The path may use any edges; its syntax is that of varve_find_path. Returns
 * false if there is no such node. */
VARVE_API bool varve_reader_find(
    const varve_reader *reader, const char *path, varve_saved_node *node);

/* Gets the name of an edge of node `id` and the id of the child. Returns false
 * if `index` is past the end. */
VARVE_API bool varve_reader_edge_at(const varve_reader *reader, size_t id,
    size_t index, const char **name, uint32_t *child);

/* Gets the name of a slot that node `id` owns, the id of the variable that the
 * slot belongs to, and the id of the slot variable. Returns false if `index` is
 * past the end. */
VARVE_API bool varve_reader_slot_at(const varve_reader *reader, size_t id,
    size_t index, const char **name, uint32_t *variable, uint32_t *slot);

/* Returns a tag of node `id`, or NULL if `index` is past the end. */
VARVE_API const char *varve_reader_tag_at(
    const varve_reader *reader, size_t id, size_t index);

/* Gets a part of a file of another format that is in no node, value, slot or
 * metadata (docs/foreign.md).
 *
 * An example is an HDF5 attribute of an unsupported type. `*path` is set to the
 * path of the part, such as `group@attribute`, and `*what` to a description.
 * The moments of a PyTorch optimizer are listed with the path of the optimizer
 * if the file does not determine the variables that they belong to; their
 * values are in the graph. Returns false if `index` is past the end. */
VARVE_API bool varve_reader_left_out_at(const varve_reader *reader,
    size_t index, const char **path, const char **what);

/* --- The values --------------------------------------------------------- */

/* Reads the value of a node into `buffer` and verifies its checksums.
 *
 * `size` is the size of the buffer in bytes. The elements are little-endian and
 * row-major; docs/format.md describes strings. Returns VARVE_NOT_FOUND if the
 * node has no value. */
VARVE_API varve_status varve_reader_read(varve_reader *reader, size_t id,
    void *buffer, size_t size, varve_error *error) VARVE_MUST_CHECK;

/* Reads a part of the value of a node into `buffer`, for example some rows or
 * columns.
 *
 * `size` is the size of the buffer in bytes. The elements are contiguous and
 * row-major. Only the chunks of 1 MiB that intersect the box are read and
 * verified; each of them completely. Formats that must be decoded (compressed
 * archives, other byte orders) read the whole value. The function needs 1 MiB
 * of memory.
 *
 * - Returns VARVE_NOT_FOUND if the node has no value.
 * - Returns VARVE_MISUSE if the box exceeds the shape or the buffer, and for
 *   strings. */
VARVE_API varve_status varve_reader_read_box(varve_reader *reader, size_t id,
    const varve_box *box, void *buffer, size_t size,
    varve_error *error) VARVE_MUST_CHECK;

/* Called by varve_reader_each for each value.
 *
 * `bytes` are those that varve_reader_read returns; they are borrowed for the
 * call and never NULL. Return VARVE_OK to continue; any other status ends the
 * iteration. */
typedef varve_status varve_on_value(void *user, const varve_saved_node *node,
    const void *bytes, varve_error *error);

/* Reads and verifies all values and calls `on_value` for each of them.
 *
 * The values are passed in the order of the file, on the calling thread. Up to
 * `threads` threads read; 0: the number of processors, but at most 8. The
 * function needs 16 MiB of memory, or that of the largest value.
 *
 * If the callback fails, its status is returned. If it sets no message, the
 * status is VARVE_CALLBACK. */
VARVE_API varve_status varve_reader_each(varve_reader *reader,
    varve_on_value *on_value, void *user, unsigned threads,
    varve_error *error) VARVE_MUST_CHECK;

/* Computes a digest of all values and their paths.
 *
 * Checkpoints with the same paths, types, shapes and bytes have the same
 * digest, in any order and format. Additional paths of a node, tags, slots,
 * global names, metadata, the save counter and nodes without values are not
 * included. docs/format.md defines the digest.
 *
 * For Varve's own format it is computed from the digests in the index. For
 * other formats all values are read and verified. */
VARVE_API varve_status varve_reader_digest(varve_reader *reader,
    uint8_t digest[16], varve_error *error) VARVE_MUST_CHECK;

/* A damaged region that varve_reader_verify has found. */
typedef struct varve_damage {
    const char *path; /* path of the value; NULL: padding between values */
    uint64_t offset;  /* offset in the file, in bytes */
    uint64_t size;    /* bytes */
    const char *what; /* description, such as "digest does not match" */
} varve_damage;

/* Called for a damaged region, which is borrowed for the call. */
typedef void varve_on_damage(void *user, const varve_damage *damage);

/* Options of varve_reader_verify. All zero is the default, and NULL is the
 * same. */
typedef struct varve_verify_options {
    varve_on_damage *on_damage; /* called on the calling thread for every
                                   damaged region, in order of offset; NULL:
                                   none */
    void *on_damage_user;       /* first argument of `on_damage` */
    varve_progress *progress;   /* progress callback; NULL: none */
    void *progress_user;        /* first argument of `progress` */
    unsigned threads;           /* 0: the number of processors, but at most 8 */
    varve_reserved reserved;
} varve_verify_options;

/* Reads and verifies every byte of a checkpoint.
 *
 *     if (varve_reader_verify(reader, NULL, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * It checks the checksums, that padding is zero, and that bools are 0 or 1. The
 * whole file is checked even if a part is damaged. Returns VARVE_CORRUPT if
 * anything is damaged; the message names the first region. */
VARVE_API varve_status varve_reader_verify(varve_reader *reader,
    const varve_verify_options *options, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
