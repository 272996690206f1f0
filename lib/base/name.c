/* name.c - Validates UTF-8, escapes names in paths, and writes positions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "name.h"

#include <string.h>

#include <varve/graph.h>

/* Returns the size of the UTF-8 sequence at `s`, or 0 if it is invalid. */
static size_t sequence_size(const unsigned char *s, size_t size)
{
    if (s[0] < 0x80)
        return s[0] != 0;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    bool overlong =
        (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool too_large = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

/* Returns the number of leading bytes, in whole words, that are ASCII and not
 * NUL. Subtracting one from each byte of a word sets bit 0x80 of a byte that is
 * 0. */
static size_t plain_size(const unsigned char *s, size_t size)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t word;
    size_t i = 0;
    for (; size - i >= sizeof word; i += sizeof word) {
        memcpy(&word, s + i, sizeof word);
        if ((word | (word - ones)) & tops)
            break;
    }
    return i;
}

bool vv_utf8_is_valid(const char *text, size_t size)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = plain_size(s, size), step; i < size; i += step) {
        step = sequence_size(s + i, size - i);
        if (step == 0)
            return false;
    }
    return true;
}

bool vv_name_is_valid(const char *name, size_t size)
{
    return size >= 1 && size <= VARVE_MAX_NAME_SIZE &&
           vv_utf8_is_valid(name, size);
}

const char *vv_name_fault(const char *name, size_t size)
{
    return size == 0                    ? "is empty"
           : memchr(name, '\0', size)   ? "contains NUL"
           : size > VARVE_MAX_NAME_SIZE ? "is too long"
                                        : "is not UTF-8";
}

bool vv_name_has_parts(const char *name, size_t size)
{
    if (!vv_name_is_valid(name, size) || name[size - 1] == '/')
        return false;
    for (size_t i = 0; i < size; i++) {
        if (name[i] == '/' && (i == 0 || name[i - 1] == '/'))
            return false;
    }
    return true;
}

bool vv_path_escapes(char byte)
{
    unsigned char c = (unsigned char)byte;
    switch (c) {
    case '/':
    case '%':
    case '*':
    case '|':
    case '(':
    case ')':
    case 0x7f: return true;
    default: return c < 0x20;
    }
}

void vv_path_add_name(struct vv_buffer *path, const char *name, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t plain = 0; /* start of the current run of unescaped bytes */
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)name[i];
        if (!vv_path_escapes(name[i]))
            continue;
        vv_buffer_add(path, name + plain, i - plain);
        char escape[3] = { '%', digits[c >> 4], digits[c & 15] };
        vv_buffer_add(path, escape, sizeof escape);
        plain = i + 1;
    }
    vv_buffer_add(path, name + plain, size - plain);
}

static bool is_inside(const void *at)
{
    return (*(const unsigned char *)at & 0xc0) == 0x80;
}

void vv_path_add_end(
    struct vv_buffer *path, const char *name, size_t size, size_t longest)
{
    const size_t margin = 4; /* size of the longest character */
    if (size > longest && size - longest > margin) {
        name += size - longest - margin;
        size = longest + margin;
        for (; is_inside(name); name++)
            size--;
    }
    vv_path_add_name(path, name, size);
}

static const char more[] = { '.', '.', '.' };

static void leave_end(struct vv_buffer *path, size_t from)
{
    /* The end must not begin inside a character or an escape sequence. */
    while (from < path->size &&
           (is_inside(path->data + from) || path->data[from - 1] == '%' ||
               path->data[from - 2] == '%'))
        from++;
    path->size -= from;
    memmove(path->data + sizeof more, path->data + from, path->size);
    memcpy(path->data, more, sizeof more);
    path->size += sizeof more;
}

void vv_path_shorten(struct vv_buffer *path, size_t longest)
{
    if (path->size > longest)
        vv_path_keep_end(path, longest);
}

size_t vv_path_kept(size_t longest)
{
    return longest == VV_LONGEST_PATH ? VV_SHORTENED_PATH : longest;
}

void vv_path_keep_end(struct vv_buffer *path, size_t longest)
{
    if (!path->failed)
        leave_end(path, path->size - vv_path_kept(longest) + sizeof more);
}

void vv_path_shorten_on(struct vv_buffer *path)
{
    const size_t kept = VV_SHORTENED_PATH - sizeof more;
    if (!path->failed)
        leave_end(path,
            path->size > kept + sizeof more ? path->size - kept : sizeof more);
}

bool vv_text_ends_in(const char *text, size_t size, const char *ending)
{
    size_t ending_size = strlen(ending);
    return size >= ending_size &&
           memcmp(text + size - ending_size, ending, ending_size) == 0;
}

int vv_hexadecimal(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

const char *vv_path_next_name(const char *path, struct vv_buffer *name)
{
    name->size = 0;
    while (*path && *path != '/') {
        unsigned char c = (unsigned char)*path++;
        if (c == '%') {
            int high = vv_hexadecimal(path[0]);
            int low = high < 0 ? -1 : vv_hexadecimal(path[1]);
            if (low < 0)
                return NULL;
            c = (unsigned char)(high * 16 + low);
            path += 2;
        }
        vv_buffer_add8(name, c);
    }
    if (name->size == 0)
        return NULL;
    return *path == '/' ? path + 1 : path;
}

size_t vv_decimal(uint64_t value, char text[24])
{
    char reversed[24];
    size_t size = 0;
    do {
        reversed[size++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < size; i++)
        text[i] = reversed[size - 1 - i];
    text[size] = '\0';
    return size;
}

static bool is_of_number(char c)
{
    return c && strchr("0123456789+-e", c);
}

char *vv_set_point(char *text)
{
    bool is_point = false;
    char *to = text;
    if (!text[strcspn(text, "0123456789")])
        return text; /* infinity or NaN */
    for (const char *from = text; *from; from++) {
        if (is_of_number(*from))
            *to++ = *from;
        else if (!is_point)
            *to++ = '.';
        is_point = !is_of_number(*from);
    }
    *to = '\0';
    return text;
}

void vv_buffer_add_decimal(struct vv_buffer *text, uint64_t value)
{
    char decimal[24];
    vv_buffer_add(text, decimal, vv_decimal(value, decimal));
}

bool vv_parse_hexadecimal(const char *text, size_t size, uint64_t *value)
{
    uint64_t sum = 0;
    if (size != 16)
        return false;
    for (size_t i = 0; i < size; i++) {
        int digit = vv_hexadecimal(text[i]);
        if (digit < 0 || (text[i] >= 'A' && text[i] <= 'F'))
            return false;
        sum = sum << 4 | (unsigned)digit;
    }
    *value = sum;
    return true;
}
