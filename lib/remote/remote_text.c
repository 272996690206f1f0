/* remote_text.c - A growing text, percent-encoding, and parsers for parts of
 * JSON and XML.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Growing texts -------------------------------------------------------- */

static bool remote_text_reserve(struct vv_remote_text *t, size_t more)
{
    if (t->failed || more > SIZE_MAX / 4 - t->size)
        t->failed = true;
    if (t->failed || t->size + more < t->room)
        return !t->failed;
    size_t room = 2 * (t->size + more) + 64;
    char *at = realloc(t->at, room);
    t->failed = !at;
    if (at) {
        t->at = at;
        t->room = room;
    }
    return at != NULL;
}

void vv_remote_add_bytes(
    struct vv_remote_text *t, const char *text, size_t size)
{
    if (!remote_text_reserve(t, size))
        return;
    memcpy(t->at + t->size, text, size);
    t->size += size;
    t->at[t->size] = '\0';
}

void vv_remote_add(struct vv_remote_text *t, const char *text)
{
    vv_remote_add_bytes(t, text, strlen(text));
}

void vv_remote_add_encoded(
    struct vv_remote_text *t, const char *text, bool whole)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    static const char digits[] = "0123456789ABCDEF";
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        char coded[3] = { '%', digits[c >> 4], digits[c & 15] };
        if (strchr(plain, *text) || (*text == '/' && !whole))
            vv_remote_add_bytes(t, text, 1);
        else
            vv_remote_add_bytes(t, coded, sizeof coded);
    }
}

char *vv_remote_copy(const char *text)
{
    struct vv_remote_text copy = { .at = NULL };
    vv_remote_add(&copy, text);
    return vv_remote_take(&copy);
}

char *vv_remote_take(struct vv_remote_text *t)
{
    vv_remote_add_bytes(t, "", 0);
    char *at = t->at;
    if (t->failed) {
        free(at);
        at = NULL;
    }
    *t = (struct vv_remote_text){ .at = NULL };
    return at;
}

/* --- JSON ----------------------------------------------------------------- */

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

/* --- XML ------------------------------------------------------------------ */

/* Decodes &#123; or &#x7b; for ASCII characters; returns 0 for others. */
static char numbered(const char *text)
{
    char *end;
    bool is_hex = text[2] == 'x';
    unsigned long code =
        strtoul(text + (is_hex ? 3 : 2), &end, is_hex ? 16 : 10);
    return *end == ';' && code < 128 ? (char)code : '\0';
}

bool vv_remote_decode(char *text)
{
    static const struct {
        const char *name;
        char is;
    } entities[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
        { "&quot;", '"' }, { "&apos;", '\'' } };
    char *to = text;
    while (*text) {
        char is = *text;
        size_t size = 1;
        for (size_t i = 0; is == '&' && i < 5; i++) {
            size = strlen(entities[i].name);
            if (strncmp(text, entities[i].name, size) == 0) {
                *to = entities[i].is;
                break;
            }
            size = 0;
        }
        if (is == '&' && size == 0) {
            is = text[1] == '#' ? numbered(text) : '\0';
            if (!is)
                return false;
            size = strcspn(text, ";") + 1;
            *to = is;
        } else if (is != '&') {
            *to = is;
        }
        text += size;
        to++;
    }
    *to = '\0';
    return true;
}

/* Returns true if `text` begins with the end tag of an element: "</Key>" for
 * "<Key>". */
static bool remote_xml_is_end(const char *text, const char *name)
{
    return text[0] == '<' && text[1] == '/' &&
           strncmp(text + 2, name + 1, strlen(name) - 1) == 0;
}

/* Returns the text of the next element; sets *end to the '<' after it. */
static const char *find_element(
    const char *at, const char *name, const char **end)
{
    const char *open = strstr(at, name); /* "<Key>" */
    if (!open)
        return NULL;
    const char *text = open + strlen(name);
    *end = strchr(text, '<');
    return *end && remote_xml_is_end(*end, name) ? text : NULL;
}

char *vv_remote_next_element(char **at, const char *name)
{
    const char *end;
    const char *found = find_element(*at, name, &end);
    if (!found)
        return NULL;
    char *text = *at + (found - *at);
    *at += end - *at;
    *(*at)++ = '\0';
    return text;
}

char *vv_remote_next_group(char **at, const char *name)
{
    char *open = strstr(*at, name);
    if (!open)
        return NULL;
    char *text = open + strlen(name);
    char *end = strstr(text, "</");
    while (end && !remote_xml_is_end(end, name))
        end = strstr(end + 2, "</");
    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return text;
}

bool vv_remote_copy_element(
    const char *text, const char *name, char *to, size_t room)
{
    const char *end;
    const char *found = find_element(text, name, &end);
    size_t size = found ? (size_t)(end - found) : room;
    if (size >= room || strstr(end, name))
        return false;
    memcpy(to, found, size);
    to[size] = '\0';
    return vv_remote_decode(to);
}
