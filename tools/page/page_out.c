/* page_out.c - Prints JSON that is safe in HTML.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "style.h"

void page_out_comma(FILE *to, size_t index)
{
    if (index > 0)
        putc(',', to);
}

void page_out_number(FILE *to, uint64_t number)
{
    fprintf(to, "%" PRIu64, number);
}

void page_out_real(FILE *to, double number)
{
    if (isfinite(number))
        fprintf(to, "%.17g", number);
    else
        fputs("null", to);
}

/* --- Strings ------------------------------------------------------------ */

enum { NO_CHARACTER = 0xfffd };

/* Returns the size of the first character of a text, and sets *point; U+FFFD
 * and 1 for invalid UTF-8. */
static size_t take(const char *text, unsigned long *point)
{
    static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const char *next = text;
    *point = text_next(&next);
    size_t length = (size_t)(next - text);
    if (*point == NO_CHARACTER)
        return strncmp(text, "\xef\xbf\xbd", 3) == 0 ? 3 : 1;
    if (*point >= least[length] && *point <= 0x10ffff && *point >> 11 != 0x1b)
        return length;
    *point = NO_CHARACTER;
    return 1;
}

/* Returns true if a character must be escaped in a page. */
static bool is_escaped(unsigned long point)
{
    switch (point) {
    case '"':
    case '\\':
    case '<':
    case '>':
    case '&':
    case 0x61c:  /* Arabic letter mark */
    case 0xfeff: /* byte order mark */
    case NO_CHARACTER: return true;
    default: break;
    }
    return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
           (point >= 0x200b && point <= 0x200f) ||
           (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f);
}

/* All characters that are escaped are below U+10000. */
void page_out_text(FILE *to, const char *text)
{
    unsigned long point;
    if (!text) {
        putc('0', to);
        return;
    }
    putc('"', to);
    for (size_t step; *text; text += step) {
        step = take(text, &point);
        if (is_escaped(point))
            fprintf(to, "\\u%04lx", point);
        else
            fwrite(text, 1, step, to);
    }
    putc('"', to);
}
