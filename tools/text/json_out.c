/* json_out.c - Prints JSON piece by piece.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json_out.h"

#include <stdlib.h>
#include <string.h>

#include "settings.h"
#include "style.h"

json_t *json_hex(const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * size + 1);
    if (!text)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_t *hex = json_stringn_nocheck(text, 2 * size);
    free(text);
    return hex;
}

json_t *json_bytes(const void *bytes, size_t size)
{
    json_t *string = json_stringn(size ? bytes : "", size);
    if (string)
        return string;
    json_t *hex = json_hex(bytes, size);
    return hex ? json_pack("{s:o}", "hex", hex) : NULL;
}

json_t *json_count(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

/* Escapes DEL, which jansson never does. */
static char *without_deletes(char *text)
{
    enum { MORE = 5 }; /* additional bytes for each */
    size_t count = 0;
    for (const char *at = text; at && (at = strchr(at, 0x7f)); at++)
        count++;
    if (count == 0)
        return text;
    char *longer = malloc(strlen(text) + MORE * count + 1);
    char *to = longer;
    for (const char *at = text; to && *at; at++) {
        if (*at != 0x7f)
            *to++ = *at;
        else
            to += sprintf(to, "\\u007F");
    }
    if (to)
        *to = '\0';
    free(text);
    return longer;
}

/* Uses ASCII if the text contains a control character that jansson does not
 * escape. */
char *json_text(const json_t *value)
{
    const size_t flags = JSON_ENCODE_ANY | JSON_COMPACT;
    char *text = value ? json_dumps(value, flags) : NULL;
    const char *at = text ? text : "";
    while (*at && !point_steers(text_next(&at)))
        ;
    if (!text || at == text + strlen(text))
        return text;
    free(text);
    return without_deletes(json_dumps(value, flags | JSON_ENSURE_ASCII));
}

void json_print(FILE *to, json_t *value)
{
    char *text = json_text(value);
    if (!text || fputs(text, to) < 0) {
        fflush(stdout);
        fputs("varve: cannot print JSON: out of memory or disk\n", stderr);
        exit(OUTCOME_FILE);
    }
    free(text);
    json_decref(value);
}

void json_print_element(FILE *to, json_t *value, size_t index)
{
    fputs(index ? ",\n" : "\n", to);
    json_print(to, value);
}

/* Returns true if a string needs no escapes, the most frequent case. */
static bool is_simple(const char *text)
{
    for (; *text; text++) {
        if (*text < 0x20 || *text > 0x7e || *text == '"' || *text == '\\')
            return false;
    }
    return true;
}

void json_print_text(FILE *to, const char *text)
{
    if (text && is_simple(text))
        fprintf(to, "\"%s\"", text);
    else
        json_print(to, text ? json_bytes(text, strlen(text)) : json_null());
}
