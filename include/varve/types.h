/* types.h - every opaque name of Varve, declared once, and the export marks.
 *
 * Rules of the whole interface: arguments go thing, names, inputs (a pointer,
 * then its count), options, `error` last. Strings passed in are copied, strings
 * received are borrowed. What a `_new`, `_open` or verb that returns a handle
 * gives is yours and ends with `<noun>_free`, which takes NULL; what `_add_`
 * gives belongs to the graph. Sizes are bytes, counts are elements.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TYPES_H
#define VARVE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Around what a header declares, so that C++ calls it as C. */
#ifdef __cplusplus
#define VARVE_BEGIN_DECLS extern "C" {
#define VARVE_END_DECLS }
#else
#define VARVE_BEGIN_DECLS
#define VARVE_END_DECLS
#endif

/* Before each function that the library exports. */
#if defined(VARVE_BUILDING) && (defined(__GNUC__) || defined(__clang__))
#define VARVE_API __attribute__((visibility("default")))
#else
#define VARVE_API
#endif

/* Behind a function whose result may not be passed over: to do so is a warning
 * of the compiler. */
#if defined(__GNUC__) || defined(__clang__)
#define VARVE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define VARVE_MUST_CHECK
#endif

/* Room at the end of a struct for fields of later versions: so it keeps its
 * size. Zero, as in `{ .no_sync = true }`; options in which it is not are of a
 * later version than the library: VARVE_TOO_NEW. */
typedef struct varve_reserved {
    void *words[8];
} varve_reserved;

/* What a save does with values that wait: those of the open restorations of the
 * graph (varve_pending_count) that belong below the node that is saved. */
typedef enum varve_pending_policy {
    VARVE_PENDING_CARRY = 0, /* copies them from the file in which they wait,
                                verified, with the nodes that lead to them:
                                after the next restore they wait again. A value
                                that cannot be carried over fails the save,
                                VARVE_MISUSE, and the message names it */
    VARVE_PENDING_FAIL = 1,  /* fails if there is any, VARVE_MISUSE, and the
                                message names the first */
    VARVE_PENDING_OMIT = 2   /* leaves them out: the checkpoint lacks them */
} varve_pending_policy;

/* A graph of checkpointable nodes; owns all of them. See graph.h. */
typedef struct varve_graph varve_graph;

/* One node of a graph: object, variable, list, dict or state. See graph.h. */
typedef struct varve_node varve_node;

/* What a read did and what still waits. See restoration.h. */
typedef struct varve_restoration varve_restoration;

/* The findings of a restoration, as data. See restoration.h. */
typedef struct varve_report varve_report;

/* Values of a graph kept in memory. See snapshot.h. */
typedef struct varve_snapshot varve_snapshot;

/* A save in the background. See job.h. */
typedef struct varve_job varve_job;

/* A look inside a checkpoint file. See reader.h. */
typedef struct varve_reader varve_reader;

/* Variables saved and restored by name. See saver.h. */
typedef struct varve_saver varve_saver;

/* A directory of checkpoints of one training run. See manager.h. */
typedef struct varve_manager varve_manager;

/* The usual program in a few calls. See run.h. */
typedef struct varve_run varve_run;

/* Keeps a checkpoint that somebody reads from being deleted. See watch.h. */
typedef struct varve_lease varve_lease;

/* Waits for the checkpoints that another process makes. See watch.h. */
typedef struct varve_watch varve_watch;

/* The last few snapshots. See snapshot.h. */
typedef struct varve_ring varve_ring;

/* Processes of one machine that act together. See processes.h. */
typedef struct varve_processes varve_processes;

/* The records of a data source, in an order that can be resumed. See
 * records.h. */
typedef struct varve_records varve_records;

/* A file of events for TensorBoard. See events.h. */
typedef struct varve_events varve_events;

/* Where a state callback writes its bytes. See variable.h. */
typedef struct varve_sink varve_sink;

#endif
