/* varve.hpp - Includes all of Varve for C++17: objects that own their handles,
 * views of vectors, arrays and structs, and errors as values. See docs/cpp.md.
 *
 * This interface consists of headers over the C library. It compiles without
 * exceptions and without RTTI. Failed calls return a varve::error, and only
 * value_or_throw throws. get() returns the C handle for all other calls of the
 * C interface. The headers store names and functions of the program in memory
 * from operator new, which may throw std::bad_alloc.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VARVE_HPP
#define VARVE_VARVE_HPP

#include <varve/varve.h>

/* Basic types */
#include <varve/error.hpp>
#include <varve/keeper.hpp>

/* Graphs and views */
#include <varve/element.hpp>
#include <varve/strided.hpp>
#include <varve/tensor.hpp>
#include <varve/node.hpp>
#include <varve/add.hpp>
#include <varve/resizing.hpp>
#include <varve/graph.hpp>
#include <varve/random.hpp>
#include <varve/records.hpp>

/* Single checkpoints */
#include <varve/checkpoint.hpp>
#include <varve/restoration.hpp>
#include <varve/reader.hpp>

/* Managers, runs, snapshots and many processes */
#include <varve/manager.hpp>
#include <varve/run.hpp>
#include <varve/snapshot.hpp>
#include <varve/collective.hpp>
#include <varve/rank_local.hpp>
#include <varve/migrating.hpp>

#endif
