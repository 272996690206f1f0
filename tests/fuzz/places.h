/* places.h - a file of another format: all that a reader can be asked, and that
 * each value that lies in the file is its very bytes there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_PLACES_H
#define FUZZ_PLACES_H

#include <stddef.h>
#include <stdint.h>

void places_run(const uint8_t *bytes, size_t size);

#endif
