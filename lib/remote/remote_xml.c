/* remote_xml.c - elements without attributes, and the entities in their text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_xml.h"

#include <stdlib.h>
#include <string.h>

/* &#123; or &#x7b; of ASCII; 0: none of it. */
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

char *vv_remote_next_element(char **at, const char *name)
{
    size_t size = strlen(name); /* "<Key>" */
    char *open = strstr(*at, name);
    if (!open)
        return NULL;
    char *text = open + size;
    char *close = strchr(text, '<');
    if (!close || close[1] != '/' ||
        strncmp(close + 2, name + 1, size - 1) != 0)
        return NULL;
    *close = '\0';
    *at = close + 1;
    return text;
}
