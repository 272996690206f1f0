/* slice.h - a part of a value as NumPy writes it: "10:20,:,-1".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SLICE_H
#define TOOL_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#include <varve/tensor.h>

struct slice {
    varve_box box;
    varve_tensor part; /* type and shape: an index takes its dimension away */
};

/* For each dimension BEGIN:END, of which both may be left out, or an index;
 * negative numbers count from the end, what passes an end stops there, and
 * dimensions that are not named are taken whole. false with the reason in
 * `why`, of `size` bytes. */
bool slice_parse(const char *text, const varve_tensor *tensor,
    struct slice *slice, char *why, size_t size);

#endif
