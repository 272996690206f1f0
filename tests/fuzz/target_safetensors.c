/* target_safetensors.c - safetensors files, one or several with their index.
 *
 * The values of one that is accepted have as many bytes together as its data.
 *
 * An input for the index is parts with 0x1e between them: the index, then the
 * files. Each of those has its name, its header and its data with 0x1f between
 * them, so that a change of any of them leaves a file that is one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "bytes.h"
#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/many_files.h"
#include "reader.h"

enum { PART = 0x1e, FIELD = 0x1f, SIZE_SIZE = 8 };

/* The bytes of all values; each is also the bytes of `file` at its offset,
 * unless that is NULL. */
static uint64_t total_of(
    varve_reader *reader, const uint8_t *file, size_t size)
{
    varve_saved_node node;
    uint64_t total = 0;
    for (size_t i = 1; varve_reader_node_at(reader, i, &node); i++) {
        varve_error error;
        FUZZ_CHECK(node.has_value == (node.kind != VARVE_OBJECT), "node %zu",
            i);
        if (!node.has_value || node.size == 0)
            continue;
        total += node.size;
        if (!file)
            continue;
        FUZZ_CHECK(node.offset < size && node.size <= size - node.offset,
            "node %zu at %llu", i, (unsigned long long)node.offset);
        unsigned char *value = malloc((size_t)node.size);
        varve_status status = varve_reader_read(
            reader, node.id, value, (size_t)node.size, &error);
        FUZZ_CHECK(!status, "node %zu: %s", i, error.message);
        FUZZ_CHECK(memcmp(value, file + node.offset, (size_t)node.size) == 0,
            "node %zu has other bytes", i);
        free(value);
    }
    return total;
}

/* --- A single file -------------------------------------------------------- */

static void check_one(const uint8_t *bytes, size_t size)
{
    struct one_file file;
    struct bounded bounded = bounded_by(size);
    bounded.is_free = true; /* fuzz_reader has looked at that */
    one_file_init(&file, bytes, size);
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded), .system = &file.system
    };
    fuzz_reader(bytes, size);
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, NULL);
    if (reader && varve_reader_format(reader) == VARVE_FORMAT_SAFETENSORS &&
        size > SIZE_SIZE && vv_load64(bytes) <= size - SIZE_SIZE) {
        /* otherwise it is an index, which begins with white space or a brace */
        uint64_t data = size - SIZE_SIZE - vv_load64(bytes);
        uint64_t total = total_of(reader, bytes, size);
        FUZZ_CHECK(total == data, "values of %llu bytes, data of %llu",
            (unsigned long long)total, (unsigned long long)data);
    }
    varve_reader_free(reader);
}

/* Where the object that begins the header seems to end: behind the brace that
 * closes it. 0 if it does not. */
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

/* --- Several -------------------------------------------------------------- */

static size_t until(const uint8_t *bytes, size_t size, int mark)
{
    const uint8_t *at = size ? memchr(bytes, mark, size) : NULL;
    return at ? (size_t)(at - bytes) : size;
}

struct several {
    struct many_files files;
    size_t size; /* of all files */
};

/* The file that a part says. */
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

/* A message begins with the name of one of the files. */
static void check_failure(const struct several *s, varve_error *error)
{
    for (size_t i = 1; i < s->files.count; i++) {
        const char *name = s->files.files[i].name;
        size_t size = strlen(name);
        if (strncmp(error->message, name, size) == 0 &&
            error->message[size] == ':' &&
            strcmp(name, FUZZ_PATH) != 0)
            return; /* the status was looked at with the file alone */
    }
    fuzz_check_failure(error->status, error);
}

static void read_several(struct several *s, uint64_t data)
{
    varve_error error = { 0 };
    struct bounded bounded = bounded_by(s->size);
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded),
        .system = &s->files.one.system,
    };
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, &error);
    if (!reader) {
        check_failure(s, &error);
    } else {
        fuzz_look_at(reader, &bounded);
        bool is_ours = varve_reader_format(reader) == VARVE_FORMAT_VARVE;
        uint64_t total = is_ours ? 0 : total_of(reader, NULL, 0);
        FUZZ_CHECK(total <= data, "values of %llu bytes, data of %llu",
            (unsigned long long)total, (unsigned long long)data);
    }
    varve_reader_free(reader);
    FUZZ_CHECK(s->files.one.opened == 0, "%d descriptors are left",
        s->files.one.opened);
    bounded_check_empty(&bounded);
}

void fuzz_safetensors_index(const uint8_t *bytes, size_t size)
{
    struct several *s = calloc(1, sizeof *s);
    many_files_init(&s->files);
    size_t end = until(bytes, size, PART);
    many_files_add(
        &s->files, FUZZ_PATH, sizeof FUZZ_PATH - 1, bytes, end);
    s->size = end;
    uint64_t data = 0;
    while (end < size) {
        size_t begin = end + 1;
        end = begin + until(bytes + begin, size - begin, PART);
        add_part(s, bytes + begin, end - begin);
    }
    for (size_t i = 0; i < s->files.count; i++)
        data += s->files.files[i].size;
    read_several(s, data);
    for (size_t i = 1; i < s->files.count; i++)
        free((void *)s->files.files[i].bytes);
    free(s);
}
