/* style.c - Provides colors, and measures UTF-8 text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "style.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static bool wants_color(const struct settings *settings, FILE *stream)
{
    if (settings->form != FORM_PEOPLE || settings->color == WHEN_NEVER)
        return false;
    if (settings->color == WHEN_ALWAYS)
        return true;
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return !(no_color && *no_color) && isatty(fileno(stream)) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

static const struct style ascii = { .utf8 = false,
    .bold = "",
    .dim = "",
    .red = "",
    .green = "",
    .cyan = "",
    .plain = "",
    .dot = " - ",
    .times = "x",
    .arrow = "->",
    .dots = "...",
    .tee = "|- ",
    .corner = "`- ",
    .pipe = "|  ",
    .blank = "   " };

struct style style_for(const struct settings *settings, FILE *stream)
{
    struct style style = ascii;
    if (!settings->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) {
        style.utf8 = true;
        style.dot = " · ";
        style.times = "×";
        style.arrow = "→";
        style.dots = "…";
        style.tee = "├─ ";
        style.corner = "└─ ";
        style.pipe = "│  ";
    }
    if (wants_color(settings, stream)) {
        style.bold = "\033[1m";
        style.dim = "\033[2m";
        style.red = "\033[31m";
        style.green = "\033[32m";
        style.cyan = "\033[36m";
        style.plain = "\033[0m";
    }
    return style;
}

unsigned long text_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    int more = at[0] < 0x80   ? 0
               : at[0] < 0xc0 ? -1
               : at[0] < 0xe0 ? 1
               : at[0] < 0xf0 ? 2
                              : 3;
    unsigned long point = more > 0 ? at[0] & (0x3fu >> more) : at[0];
    ++*text;
    if (more < 0)
        return 0xfffd;
    for (int i = 1; i <= more; i++, ++*text) {
        if ((at[i] & 0xc0) != 0x80)
            return 0xfffd;
        point = point << 6 | (at[i] & 0x3fu);
    }
    return point;
}

size_t text_beginning(const char *text, size_t size, size_t most)
{
    size_t shown = size < most ? size : most;
    for (int i = 0; i < 3 && shown > 0 && shown < size &&
                    ((unsigned char)text[shown] & 0xc0) == 0x80;
         i++)
        shown--;
    return shown;
}

bool point_steers(unsigned long point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
           point == 0x200e || point == 0x200f ||
           (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069) || point == 0xfffd;
}

size_t text_width(const char *text)
{
    size_t width = 0;
    while (*text) {
        const char *begin = text;
        unsigned long point = text_next(&text);
        if (point_steers(point)) {
            width += 3 * (size_t)(text - begin);
            continue;
        }
        int columns = point < 0x80 ? 1 : wcwidth((wchar_t)point);
        width += columns < 0 ? 1 : (size_t)columns;
    }
    return width;
}

void print_padded(const char *text, size_t width)
{
    size_t used = text_width(text);
    print_clean(stdout, text);
    printf("%*s", used < width ? (int)(width - used) : 0, "");
}

void print_clean(FILE *to, const char *text)
{
    while (*text) {
        const char *begin = text;
        unsigned long point = text_next(&text);
        bool steers = point_steers(point);
        for (; begin < text; begin++) {
            if (steers)
                fprintf(to, "%%%02X", (unsigned char)*begin);
            else
                putc(*begin, to);
        }
    }
}

static size_t digits_of(const char *text)
{
    return strspn(text, "0123456789");
}

/* Compares numbers without leading zeros: the longer one is larger. */
static int compare_numbers(const char *a, const char *b)
{
    a += strspn(a, "0");
    b += strspn(b, "0");
    size_t size = digits_of(a), other = digits_of(b);
    return size != other ? (size > other) - (size < other)
                         : strncmp(a, b, size);
}

int text_compare(const char *left, const char *right)
{
    const char *a = left, *b = right;
    while (*a && *b) {
        if (digits_of(a) && digits_of(b)) {
            int order = compare_numbers(a, b);
            if (order)
                return order;
            a += digits_of(a);
            b += digits_of(b);
        } else if (*a == *b) {
            a++, b++;
        } else {
            break;
        }
    }
    int order = (unsigned char)*a - (unsigned char)*b;
    return order ? order : strcmp(left, right);
}
