/* remote_xml.c - Parses elements without attributes, and entities in their
 * text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_xml.h"

#include <stdlib.h>
#include <string.h>

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
