/* number_sort.h - Sorts numbers by keys that are elsewhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_NUMBER_SORT_H
#define TOOL_NUMBER_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if `a` must precede `b`. */
typedef bool number_order(const void *user, uint32_t a, uint32_t b);

/* Sorts numbers; equal ones keep their order. Needs memory for half of them.
 * Numbers that are in order cost one comparison each. */
void number_sort(
    uint32_t *numbers, size_t count, number_order *is_before, const void *user);

#endif
