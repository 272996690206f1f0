/* places.c - Runs fuzz_reader and then compares the values with the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/places.h"

#include <string.h>

#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "reader.h"

static void compare(varve_reader *reader, const uint8_t *bytes, size_t size)
{
    varve_saved_node node;
    for (size_t i = 1; varve_reader_node_at(reader, i, &node); i++) {
        varve_error error = { 0 };
        if (!node.has_value || node.size == 0 || node.offset == 0)
            continue;
        FUZZ_CHECK(node.offset < size && node.size <= size - node.offset,
            "node %zu at %llu", i, (unsigned long long)node.offset);
        unsigned char *value = malloc((size_t)node.size);
        varve_status status = varve_reader_read(
            reader, node.id, value, (size_t)node.size, &error);
        FUZZ_CHECK(!status || status == VARVE_CORRUPT, "%s", error.message);
        FUZZ_CHECK(
            status || memcmp(value, bytes + node.offset, node.size) == 0,
            "node %zu has other bytes", i);
        free(value);
    }
}

void places_run(const uint8_t *bytes, size_t size)
{
    struct one_file file;
    struct bounded bounded = bounded_by(size);
    fuzz_reader(bytes, size);
    one_file_init(&file, bytes, size);
    bounded.is_free = true; /* fuzz_reader has already checked the limit */
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded), .system = &file.system
    };
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, NULL);
    if (reader && varve_reader_format(reader) != VARVE_FORMAT_VARVE)
        compare(reader, bytes, size);
    varve_reader_free(reader);
}
