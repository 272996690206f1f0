/* varve.h - Includes all headers of Varve, a checkpoint library for C.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VARVE_H
#define VARVE_VARVE_H

/* Basics */
#include <varve/types.h>
#include <varve/error.h>
#include <varve/allocator.h>
#include <varve/version.h>

/* Typed memory, and the graph that gives it names */
#include <varve/tensor.h>
#include <varve/memory.h>
#include <varve/migrating.h>
#include <varve/graph.h>
#include <varve/variable.h>
#include <varve/slice.h>
#include <varve/refresh.h>
#include <varve/resizing.h>
#include <varve/struct.h>
#include <varve/collection.h>

/* Saving and restoring */
#include <varve/format.h>
#include <varve/options.h>
#include <varve/checkpoint.h>
#include <varve/job.h>
#include <varve/restoration.h>
#include <varve/reader.h>
#include <varve/remote.h>
#include <varve/structure.h>
#include <varve/saver.h>

/* Checkpoint directories */
#include <varve/incremental.h>
#include <varve/levels.h>
#include <varve/manager.h>
#include <varve/prune.h>
#include <varve/run.h>
#include <varve/watch.h>

/* Several processes */
#include <varve/comm.h>
#include <varve/placement.h>
#include <varve/rank_local.h>
#include <varve/processes.h>
#include <varve/redundancy.h>
#include <varve/collective.h>

/* In memory, and for tests */
#include <varve/golden.h>
#include <varve/snapshot.h>

/* Training runs */
#include <varve/output.h>
#include <varve/random.h>
#include <varve/records.h>
#include <varve/events.h>

#endif
