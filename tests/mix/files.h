/* files.h - Declares the model of files: their paths, their content, and the
 * results of opening them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_FILES_H
#define MIX_FILES_H

#include "mix/mix.h"

/* Returns the path of a file. Files after the ordinary ones have names that are
 * also used otherwise: by the prefix of varve_save, by its hint, by the ledger
 * of a manager. */
enum { MIX_ORDINARY_FILES = 5, MIX_BESIDE = 5, MIX_LEDGER = 7 };
const char *mix_file_path(
    const struct mix *m, uint8_t slot, varve_format format);

/* Removes a value. Its memory, if any, is zeroed. */
void mix_empty(struct mix_node *node);

/* Returns the content of a file after writing `root`. */
struct mix_file mix_file_of(
    const struct mix_shape *shape, uint8_t root, varve_format format);

/* Returns true if a file contains exactly the nodes of a shape, with their
 * values. */
bool mix_file_holds(
    struct mix *m, const char *path, const struct mix_file *file);

/* Returns the number of the next checkpoint. */
uint64_t mix_directory_next(
    const struct mix_directory *directory, uint64_t counter);

/* Appends a checkpoint and returns its number. */
uint64_t mix_directory_add(
    struct mix_directory *directory, uint64_t counter, struct mix_file file);

/* Marks the restorations of a graph as loose once the graph has global names;
 * their results are then not predicted. */
void mix_look_for_names(struct mix *m, uint8_t graph);

/* Initializes a restoration before a read, and updates it after the read. */
void mix_open_begin(struct mix *m, struct mix_open *open, uint8_t graph,
    uint8_t root, const struct mix_file *file);
void mix_open_rename(struct mix_open *open, uint8_t renamed, uint8_t old_name);
void mix_open_end(struct mix *m, struct mix_open *open, varve_restoration *r,
    enum mix_fit fit, varve_status other);

/* Returns the place for the root of a copy, or MIX_NONE if there is no room for
 * the whole copy. mix_copy then copies to the same places. */
uint8_t mix_copy_room(
    const struct mix_shape *shape, const struct mix_shape *copy);
void mix_copy_in(struct mix_shape *shape, const struct mix_shape *copy);

/* Adds the nodes that the library created, from `node` on, to the model, as
 * library-owned. */
void mix_follow(struct mix_graph *graph, uint8_t place, varve_node *node);

#endif
