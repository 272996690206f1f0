/* varve.h - all of Varve: object-graph checkpoints for C.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VARVE_H
#define VARVE_VARVE_H

/* Words */
#include <varve/types.h>
#include <varve/error.h>
#include <varve/allocator.h>
#include <varve/version.h>

/* The program's side: typed memory, and the graph that names it */
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

/* To files and back */
#include <varve/format.h>
#include <varve/options.h>
#include <varve/checkpoint.h>
#include <varve/job.h>
#include <varve/restoration.h>
#include <varve/reader.h>
#include <varve/remote.h>
#include <varve/structure.h>
#include <varve/saver.h>

/* Many files */
#include <varve/incremental.h>
#include <varve/levels.h>
#include <varve/manager.h>
#include <varve/prune.h>
#include <varve/run.h>
#include <varve/watch.h>

/* Many processes */
#include <varve/comm.h>
#include <varve/placement.h>
#include <varve/rank_local.h>
#include <varve/processes.h>
#include <varve/redundancy.h>
#include <varve/collective.h>

/* Without files */
#include <varve/golden.h>
#include <varve/snapshot.h>

/* Around a training run */
#include <varve/output.h>
#include <varve/random.h>
#include <varve/records.h>
#include <varve/events.h>

#endif
