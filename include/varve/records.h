/* records.h - the records of a data source, in batches, in an order that a
 * checkpoint resumes.
 *
 * A position is a few numbers, never a buffer: the epoch, and how many of its
 * records were given. The order within an epoch is a permutation that is a
 * function of seed and epoch, so that any place in it is found at once. A run
 * that is resumed gets exactly the batches that were left.
 *
 *     varve_records_options options = {
 *         .shuffle = true, .seed = 42, .batch = 64, .epochs = 10,
 *     };
 *     varve_records *records =
 *         varve_records_open_tfrecords("train.tfrecord", &options, &error);
 *     varve_add_records(root, "data", records);
 *     varve_batch batch;
 *     while (!(status = varve_records_next(records, &batch, &error)) &&
 *            batch.count > 0)
 *         train(batch.records, batch.count);
 *
 * A varve_records may be used by one thread at a time.
 *
 * With `prefetch` a thread of the library reads the records. It ends in
 * varve_records_free. The position is behind the last record that the program
 * has taken. Records that were read ahead do not change it. They are discarded
 * when the program changes the position or takes a batch of another size. If a
 * record cannot be read, the call that would have returned it fails. In a child
 * of fork reading is VARVE_MISUSE, and varve_records_free does not release what
 * the thread used: a child opens records of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RECORDS_H
#define VARVE_RECORDS_H

#include <varve/allocator.h>
#include <varve/checkpoint.h>
#include <varve/error.h>
#include <varve/graph.h>
#include <varve/types.h>
#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* --- Opening ------------------------------------------------------------ */

/* All zero is the safe default; NULL stands for that. */
typedef struct varve_records_options {
    bool shuffle;    /* else in the order of the source */
    uint64_t seed;   /* of the shuffle */
    size_t batch;    /* records in a batch; 0: one */
    bool drop_last;  /* of each epoch the last batch, where it is smaller */
    uint64_t epochs; /* how many; 0: without end */
    bool no_content; /* files: the fingerprint is that of size and time of
                        modification, not of the content: opens faster, and
                        of a TFRecord file that is not compressed
                        only the lengths are verified */
    varve_progress *progress; /* while a file is read at opening, in bytes */
    void *progress_user;
    const varve_allocator *allocator; /* copied; NULL: realloc and free */
    uint64_t skip_lines; /* files of lines: the number of lines at the
                            beginning of each file that are not records, such
                            as the names of columns. An empty file is
                            permitted. A file with fewer lines is
                            VARVE_TRUNCATED. Other sources: VARVE_MISUSE */
    bool allow_appended; /* lists of files: a position is accepted even if
                            files were appended to the list since. Other
                            sources: VARVE_MISUSE */
    uint64_t prefetch;   /* the number of records that a thread may read ahead,
                            in whole batches, at least one batch; they are held
                            in memory. 0: no thread */
    void *reserved[5];
} varve_records_options;

/* Each opens a source at its beginning; NULL on failure. End with
 * varve_records_free. Each fails with what the system says, VARVE_NO_MEMORY,
 * VARVE_CANCELLED, or VARVE_MISUSE where a batch that may not be smaller is
 * larger than all records.
 *
 * Files must not change or be replaced while they are open. Reading fails with
 * VARVE_MISMATCH if the size or time of modification of a file has changed,
 * also if bytes were appended. Open files are checked after a batch was read,
 * at most once in 10 ms, and at the end of the data, so that batches of up to
 * 10 ms may be of the changed file. A file that was deleted is read on. */

/* The lines of a text file. The newline is not part of a record, nor is a
 * carriage return before it; the last line may lack it. Takes 8 bytes of memory
 * for each line. */
VARVE_API varve_records *varve_records_open_lines(const char *path,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* The records of a file of records of `record_size` bytes, behind a header of
 * `header_size` bytes. VARVE_TRUNCATED for a file that ends within either. */
VARVE_API varve_records *varve_records_open_fixed(const char *path,
    uint64_t header_size, uint64_t record_size,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* The records of a TFRecord file: 8 bytes of length, 4 of its masked CRC-32C,
 * the record, 4 of its masked CRC-32C; numbers have their least significant
 * byte first. VARVE_CORRUPT where a sum does not hold, then or when the record
 * is read; VARVE_TRUNCATED where the file ends within a record. Takes 8 bytes
 * of memory for each.
 *
 * A file that is compressed as a whole (GZIP, also of several members, or ZLIB)
 * is read as what is in it, and has the same fingerprint. It is inflated once
 * at opening, with `no_content` too, and its own sums are verified. In order,
 * that is all it costs. Any other place is reached from one of up to 64 states
 * of inflating (44 KiB each), that lie at equal distances: shuffled, a record
 * costs as much as inflating half such a distance; unpack a large file first.
 * VARVE_TOO_NEW where the library was built without zlib. */
VARVE_API varve_records *varve_records_open_tfrecords(const char *path,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Open several files of one of these kinds as one source. Without `shuffle` the
 * records are in the order of the list. With `shuffle` all records of all files
 * are shuffled together. `count` is above 0; the paths are copied. No record
 * continues in the next file. Files without records are permitted.
 *
 * These calls read each file once, except that files of fixed-size records are
 * not read with `no_content`. A file is opened and checked again when one of
 * its records is read. Up to 16 are open at a time. The source takes as much
 * memory as a single file with all the records, and the decompression states of
 * each compressed TFRecord file that is open.
 *
 * A position contains the name of each file without its directory, its size,
 * its number of records and a digest. The open files must be the same in the
 * same order. Otherwise reading fails with VARVE_MISMATCH, and the message
 * names the first file that differs. With `allow_appended` the list may be
 * longer: the epoch in progress continues with the files that it began with,
 * and the next epoch contains the records of all files. */
VARVE_API varve_records *varve_records_open_line_files(const char *const *paths,
    size_t count, const varve_records_options *options,
    varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_records *varve_records_open_fixed_files(
    const char *const *paths, size_t count, uint64_t header_size,
    uint64_t record_size, const varve_records_options *options,
    varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_records *varve_records_open_tfrecord_files(
    const char *const *paths, size_t count,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Whole files, each one record, in the order of their paths, which are copied.
 * A file is open only while it is read, and is checked each time. */
VARVE_API varve_records *varve_records_open_files(const char *const *paths,
    size_t count, const varve_records_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* The records of an array in memory, which is borrowed. With `no_content` its
 * fingerprint is that of its extents. */
VARVE_API varve_records *varve_records_open_array(const void *records,
    uint64_t count, size_t record_size, const varve_records_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* A source of the program's own. */
typedef struct varve_source {
    const char *name;        /* for messages; copied */
    uint64_t count;          /* of records */
    uint64_t fingerprint[2]; /* another content has another one */
    /* Appends the bytes of the record `index`, which is below `count`, with
     * varve_put. With `prefetch` the thread that reads ahead calls it,
     * otherwise the thread of the program; never two threads at once. After a
     * failure the same record may be read again. It may fill in `error`. */
    varve_status (*read)(
        void *self, uint64_t index, varve_sink *sink, varve_error *error);
    void (*close)(void *self); /* by varve_records_free; may be NULL */
    void *self;
    varve_reserved reserved;
} varve_source;

/* The records of such a source, which is copied. Where this fails, `close` is
 * not called. */
VARVE_API varve_records *varve_records_open(const varve_source *source,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Takes NULL. Its node must be gone from the graph, or not be used again. */
VARVE_API void varve_records_free(varve_records *records);

/* --- Reading ------------------------------------------------------------ */

/* The bytes of one record. */
typedef struct varve_record {
    const void *data; /* never NULL */
    size_t size;
    uint64_t index; /* its number in the source */
} varve_record;

/* Records that follow one another. Their bytes stand side by side without gaps,
 * so that a batch of equal ones is an array that begins at records[0].data. All
 * of it is borrowed until the next call for these records. */
typedef struct varve_batch {
    const varve_record *records;
    size_t count;    /* 0: the data has ended */
    uint64_t epoch;  /* from 0 */
    bool ends_epoch; /* the last of its epoch */
    varve_reserved reserved;
} varve_batch;

/* The next batch. None goes over the end of an epoch: its last one is smaller,
 * or is left out with `drop_last`. Behind the last epoch, and of a source
 * without records, come batches of none.
 *
 * VARVE_MISMATCH as varve_records_check says; VARVE_CORRUPT, VARVE_TRUNCATED or
 * what the system or the program's own source says where a record cannot be
 * read; VARVE_NO_MEMORY. The position is then as it was. */
VARVE_API varve_status varve_records_next(varve_records *records,
    varve_batch *batch, varve_error *error) VARVE_MUST_CHECK;

/* The same for a batch of `count` records; 0 as 1. */
VARVE_API varve_status varve_records_take(varve_records *records, size_t count,
    varve_batch *batch, varve_error *error) VARVE_MUST_CHECK;

/* The number of records in the source. */
VARVE_API uint64_t varve_records_count(const varve_records *records);

/* Returns the path of the file that contains a record of a list of files, by
 * the index of the record; valid until varve_records_free. `*record` is set to
 * its number in that file, from 0, without the skipped lines; `record` may be
 * NULL. NULL and 0 for other sources, and for an index that is too large. */
VARVE_API const char *varve_records_file(
    const varve_records *records, uint64_t index, uint64_t *record);

/* Where the next record stands: its epoch, and how many records of it were
 * given before. At the end of an epoch that is the beginning of the next. */
VARVE_API uint64_t varve_records_epoch(const varve_records *records);
VARVE_API uint64_t varve_records_consumed(const varve_records *records);

/* --- The position in a graph -------------------------------------------- */

/* Adds an object whose variables view the position: "epoch", "consumed",
 * "seed", "shuffle", "count" (uint64[]) and "fingerprint" (uint64[2]). A list
 * of files also has "file" and "record", the place of the next record, and the
 * state "files", a text with one line for each file. A restoration sets these:
 * the order and the position are then those of the checkpoint, even if the
 * options differ. If a restoration is waiting for them, their values arrive
 * here. */
VARVE_API varve_node *varve_add_records(
    varve_node *parent, const char *name, varve_records *records);

/* Whether the position is one of this source: VARVE_MISMATCH, with both counts
 * and fingerprints, where it was restored and is that of another source, or of
 * this one before it changed. Reading fails likewise. */
VARVE_API varve_status varve_records_check(
    const varve_records *records, varve_error *error) VARVE_MUST_CHECK;

/* Goes to the beginning of an epoch, and takes the source as it is: what is to
 * be done where the check fails and the change is meant. */
VARVE_API void varve_records_rewind(varve_records *records, uint64_t epoch);

VARVE_END_DECLS

#endif
