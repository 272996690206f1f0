/* target_safetensors.c - Fuzzes safetensors files, a single one or several with
 * an index.
 *
 * The total size of the values of an accepted file must equal the size of its
 * data.
 *
 * An input for the index consists of parts separated by 0x1e: the index, then
 * the files. Each file is its name, its header and its data, separated by 0x1f,
 * so that a mutation of one of them leaves the file well-formed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "bytes.h"
#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/several.h"
#include "reader.h"

enum { PART = 0x1e, FIELD = 0x1f, SIZE_SIZE = 8 };

/* --- A single file -------------------------------------------------------- */

static void check_one(const uint8_t *bytes, size_t size)
{
    struct one_file file;
    struct bounded bounded = bounded_by(size);
    bounded.is_free = true; /* fuzz_reader has already checked the limit */
    one_file_init(&file, bytes, size);
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded), .system = &file.system
    };
    fuzz_reader(bytes, size);
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, NULL);
    if (reader && varve_reader_format(reader) == VARVE_FORMAT_SAFETENSORS &&
        size > SIZE_SIZE && vv_load64(bytes) <= size - SIZE_SIZE) {
        /* otherwise the file is an index, which begins with white space or a
         * brace */
        uint64_t data = size - SIZE_SIZE - vv_load64(bytes);
        uint64_t total = several_total(reader, bytes, size);
        FUZZ_CHECK(total == data, "values of %llu bytes, data of %llu",
            (unsigned long long)total, (unsigned long long)data);
    }
    varve_reader_free(reader);
}

/* Returns the probable end of the object that begins the header: after its
 * closing brace, or 0 if there is none. */
static size_t end_of_header(const uint8_t *bytes, size_t size)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = SIZE_SIZE; i < size; i++) {
        if (bytes[i] == '\\' && in_string)
            i++;
        else if (bytes[i] == '"')
            in_string = !in_string;
        else if (bytes[i] == '{' && !in_string)
            depth++;
        else if (bytes[i] == '}' && !in_string && depth > 0 && --depth == 0)
            return i + 1;
    }
    return 0;
}

void fuzz_safetensors(const uint8_t *bytes, size_t size)
{
    check_one(bytes, size);
    size_t end = end_of_header(bytes, size);
    if (end == 0 || vv_load64(bytes) == end - SIZE_SIZE)
        return;
    uint8_t *mended = malloc(size);
    memcpy(mended, bytes, size);
    vv_store64(mended, end - SIZE_SIZE);
    check_one(mended, size);
    free(mended);
}

/* --- Several files -------------------------------------------------------- */

static size_t until(const uint8_t *bytes, size_t size, int mark)
{
    const uint8_t *at = size ? memchr(bytes, mark, size) : NULL;
    return at ? (size_t)(at - bytes) : size;
}

/* Adds the file that a part describes. */
static void add_part(struct several *s, const uint8_t *part, size_t size)
{
    size_t name = until(part, size, FIELD);
    size_t at = name + (name < size);
    size_t header = until(part + at, size - at, FIELD);
    size_t data = at + header + (at + header < size);
    uint8_t *bytes = malloc(SIZE_SIZE + header + size - data);
    size_t count = s->files.count;
    vv_store64(bytes, header);
    memcpy(bytes + SIZE_SIZE, part + at, header);
    memcpy(bytes + SIZE_SIZE + header, part + data, size - data);
    if (!memchr(part, '\0', name))
        many_files_add(&s->files, (const char *)part, name, bytes,
            SIZE_SIZE + header + size - data);
    if (s->files.count == count)
        free(bytes);
    else
        s->size += SIZE_SIZE + header + size - data;
}

void fuzz_safetensors_index(const uint8_t *bytes, size_t size)
{
    size_t end = until(bytes, size, PART);
    struct several *s = several_new(bytes, end);
    uint64_t data = 0;
    while (end < size) {
        size_t begin = end + 1;
        end = begin + until(bytes + begin, size - begin, PART);
        add_part(s, bytes + begin, end - begin);
    }
    for (size_t i = 0; i < s->files.count; i++)
        data += s->files.files[i].size;
    size_t first = s->files.files[0].size;
    s->bounded = bounded_for(bytes, first);
    bounded_raise(&s->bounded, FUZZ_FACTOR * (s->size - first));
    several_read(s, &data);
    for (size_t i = 1; i < s->files.count; i++)
        free((void *)s->files.files[i].bytes);
    free(s);
}
