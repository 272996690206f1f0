/* reader.h - look inside a checkpoint without a program to put it into.
 *
 * Everything a reader hands out is valid until varve_reader_free. A reader may
 * be used by several threads at once, except varve_reader_free.
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

/* Opens a checkpoint and checks its structure (header, footer, index), not its
 * values. `allocator` may be NULL. Fails with the status that says what the
 * file is instead: VARVE_NOT_FOUND, VARVE_IS_DIRECTORY, VARVE_EMPTY_FILE,
 * VARVE_NOT_A_CHECKPOINT, VARVE_TOO_NEW, VARVE_TRUNCATED, VARVE_CORRUPT. */
VARVE_API varve_reader *varve_reader_open(const char *path,
    const varve_allocator *allocator, varve_error *error) VARVE_MUST_CHECK;

/* The same of a damaged file of ours, as far as its index can be had: of header
 * and footer one may be lost, and layers may be (docs/damaged.md). What is in
 * the index has its digest; values that are lost fail as they are read, with
 * VARVE_CORRUPT, VARVE_TRUNCATED or VARVE_IO. Where the index cannot be had it
 * fails as varve_reader_open does. A footer that is lost is made up for by a
 * look through the whole file. */
VARVE_API varve_reader *varve_reader_salvage(const char *path,
    const varve_allocator *allocator, varve_error *error) VARVE_MUST_CHECK;

/* All zero is what varve_reader_open does; NULL stands for that. */
typedef struct varve_reader_options {
    const varve_allocator *allocator;   /* or NULL */
    bool salvage;                       /* as varve_reader_salvage does it */
    varve_foreign_read_options foreign; /* `dots`: names of such a file are
                                           split there */
    varve_reserved reserved;
} varve_reader_options;

/* The same, as the options say. */
VARVE_API varve_reader *varve_reader_open_with(const char *path,
    const varve_reader_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Closes it; what it has handed out is gone. Takes NULL. */
VARVE_API void varve_reader_free(varve_reader *reader);

/* Whose format it is. What is said below of digests and offsets is so of files
 * of ours; in others a digest is zero. */
VARVE_API varve_format varve_reader_format(const varve_reader *reader);

/* Whether its bytes have sums that tell when they change. Those of
 * safetensors, npy, GGUF, ONNX, Flax and HDF5 have none: varve_reader_verify
 * finds only what does not fit together. (Of torch, parts of a storage have
 * none.) */
VARVE_API bool varve_reader_has_checksums(const varve_reader *reader);

/* The path of the file that was opened, and its length in bytes (of all files,
 * where a checkpoint has several). */
VARVE_API const char *varve_reader_path(const varve_reader *reader);
VARVE_API uint64_t varve_reader_size(const varve_reader *reader);

/* The save counter in the file; 0 for a file of varve_write. */
VARVE_API uint64_t varve_reader_counter(const varve_reader *reader);

/* Metadata in the order of the file: shorter names first, equal sizes by their
 * bytes. NULL past the end. */
VARVE_API const varve_metadata *varve_reader_metadata_at(
    const varve_reader *reader, size_t index);

/* --- The graph ---------------------------------------------------------- */

/* A node of the saved graph. Node 0 is the root. */
typedef struct varve_saved_node {
    uint32_t id;
    varve_kind kind;
    const char *path; /* shortest path from the root, "" for the root; for a
                         slot variable `<owner>/<slot>(<variable>)`; longer
                         than 4095 bytes: "..." and its end; "?" without
                         memory for it */
    size_t edge_count;
    size_t slot_count; /* slots that this node owns */
    size_t tag_count;
    const char *global_name; /* varve_set_global_name; NULL: none */
    bool has_value;     /* a variable or state whose bytes are in the file */
    varve_tensor value; /* its type and shape (a state: uint8 of rank 1; data
                           is NULL); dtype 0 for other nodes */
    uint64_t size;      /* bytes of the value in the file */
    const char *file;   /* the file that has them in one piece, as
                           varve_reader_read gives them; NULL: none has, as
                           of what is compressed there */
    uint64_t offset;    /* where they begin in it */
    uint8_t digest[16]; /* XXH3-128 of the value, canonical (big-endian); of
                           the concatenated digests of its 1 MiB chunks if it
                           has several. Zero where the file has none: of
                           values in pieces, and of those that incremental saves
                           sum by pages */
    const varve_slice *part; /* `value` is only this part of one: the shape of
                                that, and where in it this starts, as nodes
                                with directories of their own save slices
                                (redundancy.h); NULL: it is all */
    void *reserved[7];
} varve_saved_node;

/* How many nodes there are; their ids run from 0. */
VARVE_API size_t varve_reader_node_count(const varve_reader *reader);

/* Fills `node`; false past the end. */
VARVE_API bool varve_reader_node_at(
    const varve_reader *reader, size_t id, varve_saved_node *node);

/* The node at a path (varve_find_path says how paths are written), through any
 * edges; false if there is none. */
VARVE_API bool varve_reader_find(
    const varve_reader *reader, const char *path, varve_saved_node *node);

/* The name of a node's edge and the id of its child; false past the end. */
VARVE_API bool varve_reader_edge_at(const varve_reader *reader, size_t id,
    size_t index, const char **name, uint32_t *child);

/* A slot that a node owns: name, the variable's id and the slot variable's id;
 * false past the end. */
VARVE_API bool varve_reader_slot_at(const varve_reader *reader, size_t id,
    size_t index, const char **name, uint32_t *variable, uint32_t *slot);

/* A tag of a node; NULL past the end. */
VARVE_API const char *varve_reader_tag_at(
    const varve_reader *reader, size_t id, size_t index);

/* A part of a file of another format that is in no node, value, slot or
 * metadata (docs/foreign.md), such as an HDF5 attribute of a type that Varve
 * does not have. `*path` is its path, as `group@attribute`; `*what` describes
 * it. The moments of a PyTorch optimizer are listed by the path of the
 * optimizer if the file does not determine the variables that they belong to.
 * Their values are in the graph. The reader owns both texts. False past the
 * end. */
VARVE_API bool varve_reader_left_out_at(const varve_reader *reader,
    size_t index, const char **path, const char **what);

/* --- The values --------------------------------------------------------- */

/* Reads the value of a node as it lies in the file (little-endian, row-major;
 * docs/format.md says how strings lie) into `buffer`, which holds `size` bytes,
 * after checking its digests. VARVE_NOT_FOUND where the node has none. */
VARVE_API varve_status varve_reader_read(varve_reader *reader, size_t id,
    void *buffer, size_t size, varve_error *error) VARVE_MUST_CHECK;

/* Reads a part of the value of a node into `buffer`, row-major without gaps: so
 * many rows, a column, a block. Only the chunks of 1 MiB that the box meets are
 * read, and each is checked whole; of a tensor in pieces the pieces that these
 * meet. In formats that are decoded as they are read (compressed archives,
 * other byte orders) the whole value is. Takes 1 MiB of memory. VARVE_NOT_FOUND
 * where the node has no value; VARVE_MISUSE where the box leaves its shape,
 * where it does not fit into `size` bytes, and for strings. */
VARVE_API varve_status varve_reader_read_box(varve_reader *reader, size_t id,
    const varve_box *box, void *buffer, size_t size,
    varve_error *error) VARVE_MUST_CHECK;

/* Called with a value; `bytes`, as varve_reader_read gives them, are borrowed
 * for the call and never NULL. Anything but VARVE_OK ends the reading. */
typedef varve_status varve_on_value(void *user, const varve_saved_node *node,
    const void *bytes, varve_error *error);

/* Reads and checks all values in the order in which they lie in the file, on up
 * to `threads` threads at once (0: as many as there are processors, up to 8),
 * and calls with each on the calling thread. Takes 16 MiB of memory, or that of
 * the largest value. A failure of the callback is given back as it is, without
 * a message as VARVE_CALLBACK. */
VARVE_API varve_status varve_reader_each(varve_reader *reader,
    varve_on_value *on_value, void *user, unsigned threads,
    varve_error *error) VARVE_MUST_CHECK;

/* A digest of all values under their paths: the same paths with the same types,
 * shapes and bytes have the same one, in whatever order and format they are
 * saved. Further paths, tags, slots as such, global names, metadata, the save
 * counter and what has no value are not part of it. docs/format.md says how it
 * is made. Of a file of ours it is made of the digests in its index; of others
 * all values are read and checked. */
VARVE_API varve_status varve_reader_digest(varve_reader *reader,
    uint8_t digest[16], varve_error *error) VARVE_MUST_CHECK;

/* One damaged place that varve_reader_verify found. Borrowed for the call. */
typedef struct varve_damage {
    const char *path; /* of the value; NULL for padding between values */
    uint64_t offset;  /* in the file */
    uint64_t size;
    const char *what; /* such as "digest does not match" */
} varve_damage;

/* Called for a damaged place. */
typedef void varve_on_damage(void *user, const varve_damage *damage);

/* All zero is the default; NULL stands for that. */
typedef struct varve_verify_options {
    varve_on_damage *on_damage; /* called for every damaged place, on the
                                   calling thread, in order of offset */
    void *on_damage_user;
    varve_progress *progress;
    void *progress_user;
    unsigned threads; /* 0: as many as there are processors, up to 8 */
    varve_reserved reserved;
} varve_verify_options;

/* Reads every byte: digests, padding, that bools are 0 or 1. VARVE_CORRUPT if
 * anything is damaged, after all was looked at; the message names the first. */
VARVE_API varve_status varve_reader_verify(varve_reader *reader,
    const varve_verify_options *options, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
