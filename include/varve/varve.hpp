/* varve.hpp - Varve in C++17: objects that own what they stand for, views of
 * vectors, arrays and structs, errors as values. docs/cpp.md shows it.
 *
 * Headers only, over the library of C, which throws nothing: what fails gives a
 * varve::error, and only value_or_throw throws. It compiles without exceptions
 * and without RTTI. What get() gives is for all that the C interface has
 * besides. What is kept in C++ (functions of the program, names) is memory of
 * operator new, whose failure is C++'s.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VARVE_HPP
#define VARVE_VARVE_HPP

#include <varve/varve.h>

/* Words */
#include <varve/error.hpp>
#include <varve/keeper.hpp>

/* The program's side */
#include <varve/element.hpp>
#include <varve/strided.hpp>
#include <varve/tensor.hpp>
#include <varve/node.hpp>
#include <varve/add.hpp>
#include <varve/resizing.hpp>
#include <varve/graph.hpp>
#include <varve/random.hpp>
#include <varve/records.hpp>

/* To files and back */
#include <varve/checkpoint.hpp>
#include <varve/restoration.hpp>
#include <varve/reader.hpp>

/* Many files; without files; many processes */
#include <varve/manager.hpp>
#include <varve/run.hpp>
#include <varve/snapshot.hpp>
#include <varve/collective.hpp>
#include <varve/rank_local.hpp>
#include <varve/migrating.hpp>

#endif
