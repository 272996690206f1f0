/* files.h - the model's side of files: where they are, what they hold, and what
 * comes of opening one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_FILES_H
#define MIX_FILES_H

#include "mix/mix.h"

/* The path of a file; those behind the ordinary ones have names that meet
 * others: of a prefix of saves, its hint, a manager's ledger. */
enum { MIX_ORDINARY_FILES = 5, MIX_BESIDE = 5, MIX_LEDGER = 7 };
const char *mix_file_path(
    const struct mix *m, uint8_t slot, varve_format format);

/* A value that is not there: its memory, if there is some, is zeroed. */
void mix_empty(struct mix_node *node);

/* What a write of a root gives. */
struct mix_file mix_file_of(
    const struct mix_shape *shape, uint8_t root, varve_format format);

/* Whether a file has the nodes of a shape, and no others, with their values. */
bool mix_file_holds(
    struct mix *m, const char *path, const struct mix_file *file);

/* The number of the next checkpoint. */
uint64_t mix_directory_next(
    const struct mix_directory *directory, uint64_t counter);

/* Puts a checkpoint behind the others, and gives its number. */
uint64_t mix_directory_add(
    struct mix_directory *directory, uint64_t counter, struct mix_file file);

/* Once a graph has global names, all that a restoration brings it is left
 * open. */
void mix_look_for_names(struct mix *m, uint8_t graph);

/* Before and after a read. */
void mix_open_begin(struct mix *m, struct mix_open *open, uint8_t graph,
    uint8_t root, const struct mix_file *file);
void mix_open_rename(struct mix_open *open, uint8_t renamed, uint8_t old_name);
void mix_open_end(struct mix *m, struct mix_open *open, varve_restoration *r,
    enum mix_fit fit, varve_status other);

/* Where the root of a copy would go if there is room for all of it; MIX_NONE:
 * there is not. Then the copy, in the same places. */
uint8_t mix_copy_room(
    const struct mix_shape *shape, const struct mix_shape *copy);
void mix_copy_in(struct mix_shape *shape, const struct mix_shape *copy);

/* Gives nodes that the library made their places in the model, from `node` on,
 * and says that they are the library's. */
void mix_follow(struct mix_graph *graph, uint8_t place, varve_node *node);

#endif
