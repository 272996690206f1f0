/* places.h - Declares a check for files of external formats: every query of a
 * reader, and that each value stored in the file equals the bytes at its
 * offset.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_PLACES_H
#define FUZZ_PLACES_H

#include <stddef.h>
#include <stdint.h>

void places_run(const uint8_t *bytes, size_t size);

#endif
