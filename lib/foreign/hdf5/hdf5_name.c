/* hdf5_name.c - Escapes and unescapes names. An escape code can be preceded by
 * any number of `25`.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_name.h"

#include <string.h>

bool vv_hdf5_is_name(const char *bytes, size_t size, const char *name)
{
    return size == strlen(name) && memcmp(bytes, name, size) == 0;
}

/* Returns true if the '%' at `at` begins an escape code. Codes of whole names
 * must be at the beginning. */
static bool is_code(const char *bytes, size_t size, size_t at)
{
    size_t first = at++;
    while (size - at >= 2 && memcmp(bytes + at, "25", 2) == 0)
        at += 2;
    if (size - at >= 2 && memcmp(bytes + at, "2F", 2) == 0)
        return true;
    bytes += at;
    size -= at;
    return first == 0 && (vv_hdf5_is_name(bytes, size, "2E") ||
                             vv_hdf5_is_name(bytes, size, "40slots") ||
                             vv_hdf5_is_name(bytes, size, "40state"));
}

void vv_hdf5_escape(struct vv_buffer *to, const char *bytes, size_t size)
{
    bool is_whole = vv_hdf5_is_name(bytes, size, ".") ||
                    vv_hdf5_is_name(bytes, size, VV_HDF5_SLOTS) ||
                    vv_hdf5_is_name(bytes, size, VV_HDF5_STATE);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '/')
            vv_buffer_add_string(to, "%2F");
        else if (is_whole && i == 0)
            vv_buffer_add_string(to, bytes[0] == '.' ? "%2E" : "%40");
        else if (bytes[i] == '%' && is_code(bytes, size, i))
            vv_buffer_add_string(to, "%25");
        else
            vv_buffer_add8(to, (uint8_t)bytes[i]);
    }
}

/* Returns the character for an escape code of two digits. */
static uint8_t meaning_of(const char *digits)
{
    return memcmp(digits, "25", 2) == 0   ? '%'
           : memcmp(digits, "2F", 2) == 0 ? '/'
           : memcmp(digits, "2E", 2) == 0 ? '.'
                                          : '@';
}

const char *vv_hdf5_unescape(struct vv_buffer *text, const char *name)
{
    size_t size = strlen(name);
    if (!memchr(name, '%', size))
        return name;
    text->size = 0;
    for (size_t i = 0; i < size; i++) {
        if (name[i] == '%' && is_code(name, size, i)) {
            vv_buffer_add8(text, meaning_of(name + i + 1));
            i += 2;
        } else {
            vv_buffer_add8(text, (uint8_t)name[i]);
        }
    }
    return text->failed ? NULL : vv_buffer_string(text);
}
