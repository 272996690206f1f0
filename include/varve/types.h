/* types.h - Declares the opaque types of Varve and the export macros.
 *
 * These rules hold for the whole interface:
 *
 * Arguments have the order: object, names, inputs (a pointer, then its count),
 * options, `error`.
 *
 * Strings that are passed in are copied. Strings that are returned are
 * borrowed.
 *
 * A function named `_new` or `_open`, or a verb that returns a handle, gives
 * the caller a handle that the caller must free with `<noun>_free`. Each of
 * these `_free` functions accepts NULL. The nodes that an `_add_` function
 * returns belong to the graph.
 *
 * Sizes are in bytes, counts are in elements.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TYPES_H
#define VARVE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enclose the declarations of a header, so that C++ programs use C linkage. */
#ifdef __cplusplus
#define VARVE_BEGIN_DECLS extern "C" {
#define VARVE_END_DECLS }
#else
#define VARVE_BEGIN_DECLS
#define VARVE_END_DECLS
#endif

/* Marks each function that the library exports. */
#if defined(VARVE_BUILDING) && (defined(__GNUC__) || defined(__clang__))
#define VARVE_API __attribute__((visibility("default")))
#else
#define VARVE_API
#endif

/* Makes the compiler warn if the result of a function is ignored. */
#if defined(__GNUC__) || defined(__clang__)
#define VARVE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define VARVE_MUST_CHECK
#endif

/* Reserved space at the end of a struct for fields of later versions, so that
 * the size of the struct does not change.
 *
 * It must be zero, as it is after `{ .no_sync = true }`. If it is not zero, the
 * options were compiled for a later version, and the call returns
 * VARVE_TOO_NEW. */
typedef struct varve_reserved {
    void *words[8];
} varve_reserved;

/* Controls how a save handles pending values: values that an open restoration
 * of the graph (varve_pending_count) still holds for nodes below the saved
 * node. */
typedef enum varve_pending_policy {
    VARVE_PENDING_CARRY = 0, /* copies each value from the checkpoint in which
                                it is pending, after verification, with the
                                nodes that lead to it. After the next restore it
                                is pending again. If a value cannot be copied,
                                the save fails with VARVE_MISUSE and the message
                                names it. This is the default */
    VARVE_PENDING_FAIL = 1,  /* fails with VARVE_MISUSE if a value is pending;
                                the message names the first one */
    VARVE_PENDING_OMIT = 2   /* omits them: the new checkpoint does not contain
                                them */
} varve_pending_policy;

/* A graph of named nodes, which it owns. See graph.h. */
typedef struct varve_graph varve_graph;

/* A node of a graph: an object, variable, list, dict or state. See graph.h. */
typedef struct varve_node varve_node;

/* The result of a restore, with the values that are still pending. See
 * restoration.h. */
typedef struct varve_restoration varve_restoration;

/* A list of the findings of a restoration. See restoration.h. */
typedef struct varve_report varve_report;

/* A copy of the values of a graph in memory. See snapshot.h. */
typedef struct varve_snapshot varve_snapshot;

/* An asynchronous save. See job.h. */
typedef struct varve_job varve_job;

/* A checkpoint that is open for reading without a graph. See reader.h. */
typedef struct varve_reader varve_reader;

/* Saves and restores a set of variables by name. See saver.h. */
typedef struct varve_saver varve_saver;

/* The checkpoint directory of a training run. See manager.h. */
typedef struct varve_manager varve_manager;

/* Graph, manager and cleanup of a training run in one handle. See run.h. */
typedef struct varve_run varve_run;

/* Protects a checkpoint from deletion while it is being read. See watch.h. */
typedef struct varve_lease varve_lease;

/* Waits for checkpoints that another process writes. See watch.h. */
typedef struct varve_watch varve_watch;

/* A ring buffer of the latest snapshots. See snapshot.h. */
typedef struct varve_ring varve_ring;

/* A group of processes on one machine. See processes.h. */
typedef struct varve_processes varve_processes;

/* The records of a data source, in an order that can be resumed. See
 * records.h. */
typedef struct varve_records varve_records;

/* A file of events for TensorBoard. See events.h. */
typedef struct varve_events varve_events;

/* The destination to which a state callback writes. See variable.h. */
typedef struct varve_sink varve_sink;

#endif
