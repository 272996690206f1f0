/* target_npy.c - Fuzzes NumPy arrays: unchanged, and again with corrected sizes
 * of header and data.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "fuzz/places.h"
#include "npy_in.h"

enum { MOST_DATA = 64 * 1024, BEFORE = 10 };

/* Returns the probable end of the dictionary, after its last brace, or 0 if
 * there is none in the first bytes. */
static size_t end_of_header(const uint8_t *bytes, size_t size)
{
    size_t end = 0;
    for (size_t i = BEFORE; i < size && i < BEFORE + 1024; i++) {
        if (bytes[i] == '}')
            end = i + 1;
    }
    return end;
}

/* Runs the target on the same array with as much data as its header
 * specifies. */
static void run_mended(const uint8_t *bytes, size_t size, size_t end)
{
    struct vv_npy_header h;
    uint8_t *mended = calloc(1, end + 2 + MOST_DATA);
    memcpy(mended, bytes, end);
    mended[6] = 1;
    mended[7] = 0;
    mended[end] = mended[end + 1] = ' ';
    mended[8] = (uint8_t)(end + 2 - BEFORE);
    mended[9] = (uint8_t)((end + 2 - BEFORE) >> 8);
    if (!vv_npy_parse(&h, mended, end + 2, FUZZ_PATH, NULL) &&
        h.size <= MOST_DATA) {
        size_t data = h.is_structured ? size - end : (size_t)h.size;
        size_t there = size - end < data ? size - end : data;
        if (data <= MOST_DATA) {
            memcpy(mended + end + 2, bytes + end, there);
            places_run(mended, end + 2 + data);
        }
    }
    free(mended);
}

void fuzz_npy(const uint8_t *bytes, size_t size)
{
    size = fuzz_file_size(bytes, size);
    places_run(bytes, size);
    size_t end = end_of_header(bytes, size);
    if (end > 0 && vv_npy_is_one(bytes, size))
        run_mended(bytes, size, end);
}
