/* target_gguf.c - Fuzzes GGUF files: calls every query of a reader and checks
 * that each value equals the bytes of the file at its offset.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "reader.h"

/* Counts the values. Ends the process if a value is at a wrong offset. */
static void look_at_places(varve_reader *reader, const uint8_t *bytes,
    size_t size)
{
    varve_saved_node node;
    uint64_t total = 0;
    for (size_t i = 1; varve_reader_node_at(reader, i, &node); i++) {
        varve_error error;
        FUZZ_CHECK(node.has_value == (node.kind != VARVE_OBJECT), "node %zu",
            i);
        if (!node.has_value || node.size == 0)
            continue;
        FUZZ_CHECK(node.offset < size && node.size <= size - node.offset,
            "node %zu at %llu", i, (unsigned long long)node.offset);
        total += node.size;
        FUZZ_CHECK(total <= size, "values of more bytes than the file has");
        unsigned char *value = malloc((size_t)node.size);
        varve_status status = varve_reader_read(
            reader, node.id, value, (size_t)node.size, &error);
        FUZZ_CHECK(!status, "node %zu: %s", i, error.message);
        FUZZ_CHECK(memcmp(value, bytes + node.offset, (size_t)node.size) == 0,
            "node %zu has other bytes", i);
        free(value);
    }
}

void fuzz_gguf(const uint8_t *bytes, size_t size)
{
    size = fuzz_file_size(bytes, size);
    if (size < 4 || memcmp(bytes, "GGUF", 4) != 0)
        return; /* such files are tested by fuzz_reader */
    fuzz_reader(bytes, size);
    struct one_file file;
    struct bounded bounded = bounded_by(size);
    one_file_init(&file, bytes, size);
    bounded.is_free = true; /* fuzz_reader has already checked the limit */
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded), .system = &file.system
    };
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, NULL);
    if (reader) {
        FUZZ_CHECK(varve_reader_format(reader) == VARVE_FORMAT_GGUF, "format");
        look_at_places(reader, bytes, size);
    }
    varve_reader_free(reader);
}
