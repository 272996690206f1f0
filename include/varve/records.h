/* records.h - Reads the records of a data source in batches, in an order that a
 * checkpoint resumes.
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
 * The position in the data consists of a few numbers: the epoch, and how many
 * of its records have been consumed. A checkpoint contains these numbers and no
 * buffer. The order within an epoch is a permutation that depends only on the
 * seed and the epoch, so any position can be found at once. A resumed run gets
 * exactly the remaining batches.
 *
 * With the option `prefetch` a thread of the library reads the records ahead.
 * The thread ends in varve_records_free. Records that were read ahead do not
 * change the position, which is that after the last record that the program has
 * taken. They are discarded when the program changes the position or takes a
 * batch of a different size. If a record cannot be read, the call that would
 * have returned it fails. In a child process after fork, reading returns
 * VARVE_MISUSE, and varve_records_free does not release the resources of the
 * thread: a child must open its own records.
 *
 * Threads: only one thread at a time may use a varve_records.
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

/* Options of the functions that open a source. All zero is the safe default, as
 * is a NULL pointer. */
typedef struct varve_records_options {
    bool shuffle;    /* shuffle the records of each epoch; false: the order of
                        the source */
    uint64_t seed;   /* seed of the shuffle */
    size_t batch;    /* records in a batch; 0: 1 */
    bool drop_last;  /* omit the last batch of an epoch if it is smaller */
    uint64_t epochs; /* number of epochs; 0: unlimited */
    /* Files: compute the fingerprint from the size and modification time of a
     * file, not from its content. Opening is then faster, and only the lengths
     * in an uncompressed TFRecord file are verified. */
    bool no_content;
    /* Called while a file is read at opening, with numbers in bytes; may be
     * NULL. */
    varve_progress *progress;
    void *progress_user;
    /* Copied; NULL: realloc and free. */
    const varve_allocator *allocator;
    /* Files of lines: number of lines at the beginning of each file that are
     * not records, such as column names. An empty file is permitted; a file
     * with fewer lines causes VARVE_TRUNCATED. Other sources: VARVE_MISUSE. */
    uint64_t skip_lines;
    /* Lists of files: accept a position even if files have been appended to the
     * list since it was saved. Other sources: VARVE_MISUSE. */
    bool allow_appended;
    /* Number of records that a thread may read ahead and hold in memory, in
     * whole batches, at least one batch; 0: no thread. */
    uint64_t prefetch;
    void *reserved[5];
} varve_records_options;

/* The functions below open a source at its beginning. `options` may be NULL.
 * The result must be freed with varve_records_free. On failure they return
 * NULL:
 *
 * - Fails with VARVE_NO_MEMORY if memory allocation fails.
 * - Fails with VARVE_CANCELLED if the progress callback cancels.
 * - Fails with VARVE_MISUSE if `drop_last` is set and a batch is larger than
 *   the number of records.
 * - Fails with the status of a failed system call, such as VARVE_NOT_FOUND.
 *
 * Files must not change while they are open. Reading returns VARVE_MISMATCH if
 * the size or modification time of a file has changed, even if bytes were only
 * appended. Open files are checked after a batch has been read, at most once in
 * 10 ms, and at the end of the data, so the batches of up to 10 ms may be from
 * the changed file. A deleted file can still be read. */

/* Opens a text file, whose lines are the records.
 *
 * The newline, and a carriage return before it, are not part of a record. The
 * last line need not end with a newline. The source takes 8 bytes of memory for
 * each line. */
VARVE_API varve_records *varve_records_open_lines(const char *path,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Opens a file of records of `record_size` bytes each, after a header of
 * `header_size` bytes.
 *
 * - Fails with VARVE_TRUNCATED if the file ends within the header or a
 *   record. */
VARVE_API varve_records *varve_records_open_fixed(const char *path,
    uint64_t header_size, uint64_t record_size,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Opens a TFRecord file.
 *
 * In such a file each record has 8 bytes of length, 4 bytes of the masked
 * CRC-32C of the length, the data, and 4 bytes of the masked CRC-32C of the
 * data. Numbers are stored with their least significant byte first. The source
 * takes 8 bytes of memory for each record.
 *
 * A file that is compressed as a whole (GZIP, also with several members, or
 * ZLIB) is read as its decompressed content and has the same fingerprint. It is
 * decompressed once at opening, even with `no_content`, and its own checksums
 * are verified. Sequential reading needs no further work. To read from other
 * positions, the source keeps up to 64 decompression states of 44 KiB each, at
 * equal distances. With `shuffle` each record costs as much as decompressing
 * half such a distance, so decompress a large file first.
 *
 * - Fails with VARVE_CORRUPT if a checksum does not match; reading a record may
 *   also return this.
 * - Fails with VARVE_TRUNCATED if the file ends within a record.
 * - Fails with VARVE_TOO_NEW for a compressed file if the library was built
 *   without zlib. */
VARVE_API varve_records *varve_records_open_tfrecords(const char *path,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Open several files of one kind as one source.
 *
 * `paths` contains `count` paths, at least one. They are copied. Without
 * `shuffle` the records have the order of the list. With `shuffle` all records
 * of all files are shuffled together. A record does not span files. Files
 * without records are permitted.
 *
 * These functions read each file once, except that files of fixed-size records
 * are not read with `no_content`. A file is opened and checked again when one
 * of its records is read. Up to 16 files are open at a time. The source takes
 * as much memory as a single file with all records, and the decompression
 * states of each compressed TFRecord file that is open.
 *
 * A position contains the name of each file without its directory, its size,
 * its number of records and a checksum. The open files must be the same in the
 * same order. Otherwise reading returns VARVE_MISMATCH, and the message
 * contains the first file that differs. With `allow_appended` the list may be
 * longer: the current epoch continues with the files with which it began, and
 * the next epoch contains the records of all files. */
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

/* Opens a list of files, each of which is one record, in the order of `paths`.
 * The paths are copied. A file is open only while it is read, and is checked
 * each time. */
VARVE_API varve_records *varve_records_open_files(const char *const *paths,
    size_t count, const varve_records_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Opens an array in memory as a source of `count` records of `record_size`
 * bytes.
 *
 * The array is borrowed until varve_records_free. With `no_content` the
 * fingerprint depends only on `count` and `record_size`. */
VARVE_API varve_records *varve_records_open_array(const void *records,
    uint64_t count, size_t record_size, const varve_records_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* A data source of the program. */
typedef struct varve_source {
    const char *name;        /* name in messages; copied */
    uint64_t count;          /* number of records */
    uint64_t fingerprint[2]; /* must differ if the content differs */
    /* Appends the bytes of the record `index`, which is below `count`, with
     * varve_put. It may fill in `error`. After a failure the same record may be
     * read again. One thread at a time calls it: with `prefetch` the thread
     * that reads ahead, otherwise the thread of the program. */
    varve_status (*read)(
        void *self, uint64_t index, varve_sink *sink, varve_error *error);
    void (*close)(void *self); /* called by varve_records_free; may be NULL */
    void *self;
    varve_reserved reserved;
} varve_source;

/* Opens a data source of the program. `source` is copied. If the call fails,
 * `close` is not called. */
VARVE_API varve_records *varve_records_open(const varve_source *source,
    const varve_records_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Frees the records and closes their files. NULL is accepted. Remove the node
 * of varve_add_records from the graph before this call, or do not use the graph
 * again. */
VARVE_API void varve_records_free(varve_records *records);

/* --- Reading ------------------------------------------------------------ */

/* A record. Its bytes are borrowed. */
typedef struct varve_record {
    const void *data; /* never NULL */
    size_t size;
    uint64_t index; /* number of the record in the source */
} varve_record;

/* A batch of records.
 *
 * The bytes of the records are stored one after the other without gaps, so a
 * batch of records of equal size is an array at records[0].data. All data is
 * borrowed until the next call for the same varve_records. */
typedef struct varve_batch {
    const varve_record *records;
    size_t count;    /* 0: end of the data */
    uint64_t epoch;  /* number of the epoch, from 0 */
    bool ends_epoch; /* the last batch of its epoch */
    varve_reserved reserved;
} varve_batch;

/* Returns the next batch of records.
 *
 * A batch never contains records of two epochs. The last batch of an epoch is
 * smaller, or is omitted with `drop_last`. After the last epoch, and for a
 * source without records, `batch->count` is 0.
 *
 * If the call fails, the position does not change.
 *
 * - Returns VARVE_MISMATCH if varve_records_check would return it, or if a file
 *   has changed.
 * - Returns VARVE_CORRUPT or VARVE_TRUNCATED if a record is damaged, and the
 *   status of a failed system call or of the program's own source.
 * - Returns VARVE_NO_MEMORY if memory allocation fails. */
VARVE_API varve_status varve_records_next(varve_records *records,
    varve_batch *batch, varve_error *error) VARVE_MUST_CHECK;

/* Returns the next batch like varve_records_next, with `count` records instead
 * of the option `batch`. 0 stands for 1. */
VARVE_API varve_status varve_records_take(varve_records *records, size_t count,
    varve_batch *batch, varve_error *error) VARVE_MUST_CHECK;

/* Returns the number of records in the source. */
VARVE_API uint64_t varve_records_count(const varve_records *records);

/* Returns the path of the file of a list that contains the record `index`.
 *
 * `*record` is set to its number in that file, from 0, without the skipped
 * lines; `record` may be NULL. The path is valid until varve_records_free. For
 * other sources, and for an index that is too large, the result is NULL and
 * `*record` is 0. */
VARVE_API const char *varve_records_file(
    const varve_records *records, uint64_t index, uint64_t *record);

/* Return the position: the epoch of the next record, and the number of records
 * of this epoch that have been consumed. At the end of an epoch this is the
 * beginning of the next one. */
VARVE_API uint64_t varve_records_epoch(const varve_records *records);
VARVE_API uint64_t varve_records_consumed(const varve_records *records);

/* --- The position in a graph -------------------------------------------- */

/* Adds an object to the graph whose variables view the position.
 *
 * The variables are "epoch", "consumed", "seed", "shuffle" and "count"
 * (uint64[]) and "fingerprint" (uint64[2]). A list of files also has "file" and
 * "record", the location of the next record, and the state "files", a text with
 * one line for each file.
 *
 * A restore sets them: order and position are then those of the checkpoint,
 * even if the options differ. If a restoration holds pending values for them,
 * the call restores them. The records must outlive the node. */
VARVE_API varve_node *varve_add_records(
    varve_node *parent, const char *name, varve_records *records);

/* Checks that the position belongs to this source.
 *
 * - Returns VARVE_MISMATCH, with both counts and fingerprints in the message,
 *   if the position was restored and belongs to another source, or to an
 *   earlier content of this source. Reading then fails too. If the change is
 *   intended, call varve_records_rewind. */
VARVE_API varve_status varve_records_check(
    const varve_records *records, varve_error *error) VARVE_MUST_CHECK;

/* Moves the position to the beginning of an epoch and accepts the current
 * content of the source. */
VARVE_API void varve_records_rewind(varve_records *records, uint64_t epoch);

VARVE_END_DECLS

#endif
