/* in_file.h - variables of a graph whose values stay in the file that it was
 * made from, and are read in pieces when somebody copies them out.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_IN_FILE_H
#define VV_IN_FILE_H

#include "reader.h"

/* Lets each node (by id in the file) that was restored and has no memory reach
 * its value in the file, which the graph closes at its end: the reader is the
 * graph's from then on. Nothing has changed where it fails, without memory. */
varve_status vv_leave_in_file(varve_graph *graph, varve_reader *reader,
    varve_node *const *nodes, size_t count, varve_error *error);

#endif
