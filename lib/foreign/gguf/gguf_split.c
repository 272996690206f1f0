/* gguf_split.c - Builds and parses file names like llama_split_path.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_split.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool vv_gguf_split_take(
    struct vv_gguf_split *split, const char *name, size_t size, uint64_t value)
{
    const struct {
        const char *name;
        uint64_t *value;
    } known[] = { { "split.no", &split->number },
        { "split.count", &split->count },
        { "split.tensors.count", &split->tensors } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (size != strlen(known[i].name) ||
            memcmp(name, known[i].name, size) != 0)
            continue;
        *known[i].value = value;
        return true;
    }
    return false;
}

bool vv_gguf_split_is_name(const char *path)
{
    static const char form[] = "-#####-of-#####.gguf";
    size_t size = strlen(path), form_size = sizeof form - 1;
    if (size < form_size)
        return false;
    path += size - form_size;
    for (size_t i = 0; i < form_size; i++) {
        bool is_digit = path[i] >= '0' && path[i] <= '9';
        if (form[i] == '#' ? !is_digit : path[i] != form[i])
            return false;
    }
    return true;
}

static void write_ending(
    const struct vv_gguf_split *split, uint64_t number, char ending[64])
{
    snprintf(ending, 64, "-%05" PRIu64 "-of-%05" PRIu64 ".gguf", number + 1,
        split->count);
}

bool vv_gguf_split_path(const struct vv_gguf_split *split, const char *of,
    uint64_t number, struct vv_buffer *path)
{
    char ending[64];
    write_ending(split, split->number, ending);
    size_t size = strlen(of), ending_size = strlen(ending);
    if (size < ending_size || strcmp(of + size - ending_size, ending) != 0)
        return false;
    write_ending(split, number, ending);
    vv_emptied(path);
    vv_buffer_add(path, of, size - ending_size);
    vv_buffer_add_string(path, ending);
    return true;
}
