/* selection.h - elements of a value, chosen in each of its dimensions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SELECTION_H
#define TOOL_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <varve/tensor.h>

/* Positions in one dimension: `start`, `start + step` and so on; behind the
 * first `lead` of them `skipped` are left out. */
struct axis {
    uint64_t start;
    int64_t step;   /* not 0 */
    uint64_t count; /* that are chosen */
    uint64_t lead;
    uint64_t skipped;
    bool is_index; /* one position that takes its dimension away */
};

struct selection {
    varve_dtype dtype;
    uint32_t rank; /* of the value */
    struct axis axes[VARVE_MAX_RANK];
};

/* All elements. */
void selection_whole(const varve_tensor *tensor, struct selection *selection);

uint64_t selection_count(const struct selection *selection);

/* Type and shape of what is chosen. */
varve_tensor selection_tensor(const struct selection *selection);

/* The position in its dimension of the element `i` of an axis. */
uint64_t axis_at(const struct axis *axis, uint64_t i);

/* Where the elements `first` to `first + count` of an axis lie: the least
 * position; returns how far it is from there behind the greatest. `count` is
 * not 0. */
uint64_t axis_span(
    const struct axis *axis, uint64_t first, uint64_t count, uint64_t *least);

/* The positions in the value of the element `i`, in row-major order, of what
 * is chosen. */
void selection_place(const struct selection *selection, uint64_t i,
    uint64_t place[VARVE_MAX_RANK]);

/* "[17,4]"; returns `text`. */
enum { PLACE_TEXT_SIZE = VARVE_MAX_RANK * 21 + 3 };
const char *place_text(
    const struct selection *selection, uint64_t i, char text[PLACE_TEXT_SIZE]);

#endif
