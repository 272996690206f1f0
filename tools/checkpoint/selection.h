/* selection.h - Selected elements of a value, with a range in each dimension.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SELECTION_H
#define TOOL_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <varve/tensor.h>

/* Positions in one dimension: `start`, `start + step` and so on; after the
 * first `lead` of them, `skipped` are omitted. */
struct axis {
    uint64_t start;
    int64_t step;   /* never 0 */
    uint64_t count; /* number of selected positions */
    uint64_t lead;
    uint64_t skipped;
    bool is_index; /* a single position that removes the dimension */
};

struct selection {
    varve_dtype dtype;
    uint32_t rank; /* rank of the value */
    struct axis axes[VARVE_MAX_RANK];
};

/* Selects all elements. */
void selection_whole(const varve_tensor *tensor, struct selection *selection);

uint64_t selection_count(const struct selection *selection);

/* Returns type and shape of the selected elements. */
varve_tensor selection_tensor(const struct selection *selection);

/* Returns the position of element `i` of an axis in its dimension. */
uint64_t axis_at(const struct axis *axis, uint64_t i);

/* Sets *least to the smallest position of the elements `first` to `first +
 * count` of an axis, and returns the size of their span. `count` must not be
 * 0. */
uint64_t axis_span(
    const struct axis *axis, uint64_t first, uint64_t count, uint64_t *least);

/* Sets `place` to the position of selected element `i`, in row-major order, in
 * the value. */
void selection_place(const struct selection *selection, uint64_t i,
    uint64_t place[VARVE_MAX_RANK]);

/* Writes for example "[17,4]"; returns `text`. */
enum { PLACE_TEXT_SIZE = VARVE_MAX_RANK * 21 + 3 };
const char *place_text(
    const struct selection *selection, uint64_t i, char text[PLACE_TEXT_SIZE]);

#endif
