/* remote_json.c - Scans the strings of a text; a string before a colon is a
 * name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "remote_text.h"

static const char spaces[] = " \t\r\n";

static int hex_of(const char *at)
{
    int number = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        char c = at[i];
        if (c >= 'A' && c <= 'F')
            c = (char)(c - 'A' + 'a');
        const char *digit = c ? strchr(digits, c) : NULL;
        if (!digit)
            return -1;
        number = 16 * number + (int)(digit - digits);
    }
    return number;
}

/* Decodes the escape sequence after a backslash; returns 0 if it is not an
 * ASCII character. Sets *size to the length of the sequence. */
static char remote_json_unescape(const char *at, size_t *size)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    *size = 1;
    if (*at == 'u') {
        int number = hex_of(at + 1);
        *size = 5;
        return number > 0 && number < 128 ? (char)number : '\0';
    }
    const char *found = *at ? strchr(names, *at) : NULL;
    return found ? meant[found - names] : '\0';
}

/* Adds the content of a string, and returns the position after its closing
 * quote. Returns NULL if it is not closed or contains non-ASCII characters. */
static const char *remote_json_take_string(
    const char *at, struct vv_remote_text *text)
{
    for (at++; *at && *at != '"'; at++) {
        char c = *at;
        size_t size = 1;
        if (c == '\\') {
            c = remote_json_unescape(at + 1, &size);
            at += size;
        }
        if (c == 0 || (unsigned char)c > 126)
            return NULL;
        vv_remote_add_bytes(text, &c, 1);
    }
    return *at ? at + 1 : NULL;
}

char *vv_remote_json_text(const char *json, const char *name)
{
    struct vv_remote_text text = { .at = NULL };
    /* the next string is the value, if it follows at once */
    bool is_wanted = false;
    const char *at = json + strspn(json, spaces);
    if (*at != '{')
        return NULL;
    while ((at = strchr(at, '"'))) {
        text.size = 0;
        vv_remote_add(&text, "");
        at = remote_json_take_string(at, &text);
        if (!at || text.failed || is_wanted)
            break;
        const char *next = at + strspn(at, spaces);
        bool is_name = *next == ':';
        next += is_name;
        next += strspn(next, spaces);
        is_wanted =
            is_name && *next == '"' && text.at && strcmp(text.at, name) == 0;
        at = next;
    }
    char *found = at && is_wanted ? vv_remote_take(&text) : NULL;
    free(text.at);
    return found;
}
