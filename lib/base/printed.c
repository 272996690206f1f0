/* printed.c - Formats each number with snprintf separately, and removes secrets
 * from strings.
 *
 * SPDX-License-Identifier: MIT
 */
#include "printed.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "path_text.h"

enum { LONGEST_SPEC = 16, LONGEST_NUMBER = 400, LONGEST_URL = 4096 };

struct printing {
    char *to; /* always NUL-terminated */
    size_t room;
    bool is_cut;
    va_list arguments;
};

static void printed_put(struct printing *p, const char *text, size_t size)
{
    p->is_cut |= size >= p->room;
    size = size < p->room ? size : p->room - 1;
    memcpy(p->to, text, size);
    p->to += size;
    p->room -= size;
    *p->to = '\0';
}

/* --- Texts ---------------------------------------------------------------- */

static bool is_cleaned_message(const char *text)
{
    return strncmp(text + strcspn(text, "?#"), "?: ", 3) == 0;
}

/* Adds a string, without its secrets. It need not have a NUL if `most` limits
 * its size. */
static void put_text(struct printing *p, const char *text, size_t most)
{
    char url[LONGEST_URL];
    size_t size = 0;
    text = text ? text : "(null)";
    while (size < most && text[size])
        size++;
    size_t copied = size < sizeof url ? size : sizeof url - 1;
    memcpy(url, text, copied);
    url[copied] = '\0';
    if (!vv_url_scheme(url) || is_cleaned_message(url)) {
        printed_put(p, text, size);
        return;
    }
    vv_url_clean(url);
    printed_put(p, url, strlen(url));
}

/* --- Numbers -------------------------------------------------------------- */

/* Prints an argument of a given C type. */
#define PRINT(type)                                                            \
    snprintf(number, sizeof number, spec, va_arg(p->arguments, type))

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void printed_put_number(
    struct printing *p, const char *spec, char conversion)
{
    char number[LONGEST_NUMBER];
    int size;
    if (strchr("efgaEFGA", conversion))
        size = PRINT(double);
    else if (conversion == 'p')
        size = PRINT(void *);
    else if (strstr(spec, "ll") || strchr(spec, 'j'))
        size = PRINT(long long);
    else if (strpbrk(spec, "lzt"))
        size = PRINT(long);
    else
        size = PRINT(int);
    if (size > 0)
        printed_put(p, number, strlen(number));
}

/* --- Formats -------------------------------------------------------------- */

/* Prints the conversion at a '%'. Returns the position after it. */
static const char *put_conversion(struct printing *p, const char *at)
{
    char spec[LONGEST_SPEC];
    size_t size = 1 + strspn(at + 1, "-+ #0123456789.*hlzjt");
    char conversion = at[size];
    const char *point = memchr(at, '.', size);
    size_t most = SIZE_MAX;
    if (!conversion || size + 2 > sizeof spec)
        return at + strlen(at); /* not a supported format */
    memcpy(spec, at, size + 1);
    spec[size + 1] = '\0';
    if (point && point[1] == '*') {
        int precision = va_arg(p->arguments, int);
        most = precision < 0 ? SIZE_MAX : (size_t)precision;
    } else if (point) {
        most = 0;
        for (const char *c = point + 1; *c >= '0' && *c <= '9'; c++)
            most = 10 * most + (size_t)(*c - '0');
    }
    if (conversion == '%')
        printed_put(p, "%", 1);
    else if (conversion == 's')
        put_text(p, va_arg(p->arguments, const char *), most);
    else
        printed_put_number(p, spec, conversion);
    return at + size + 1;
}

bool vv_print(char *to, size_t room, const char *format, va_list arguments)
{
    struct printing p = { .to = to, .room = room };
    *to = '\0';
    va_copy(p.arguments, arguments);
    while (*format) {
        size_t plain = strcspn(format, "%");
        printed_put(&p, format, plain);
        format += plain;
        if (*format)
            format = put_conversion(&p, format);
    }
    va_end(p.arguments);
    vv_url_clean_message(to);
    return !p.is_cut;
}
