/* svg.c - what the drawings share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "svg.h"

#include <string.h>

#include "heading.h"
#include "look.h"
#include "style.h"
#include "units.h"

/* Names and notes are monospaced, so that their width is known without the
 * font. */
static const char styles[] =
    "<style>"
    "text{fill:#1e293b}"
    ".t,.s,.l{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,"
    "sans-serif}"
    ".t{font-size:17px;font-weight:600}"
    ".s{font-size:12px;fill:#64748b}"
    ".l{font-size:11px;fill:#475569}"
    ".n,.m{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',"
    "'Liberation Mono',monospace}"
    ".n{font-size:12px;font-weight:600}"
    ".m{font-size:10px;fill:#64748b}"
    ".e{fill:none;stroke:#cbd5e1;stroke-width:1.4}"
    ".a{fill:none;stroke:#c2410c;stroke-width:1;stroke-dasharray:3 4;"
    "stroke-opacity:.5}"
    ".g{fill:#fffaf7;stroke:#e7b9a5;stroke-dasharray:4 3}";

static void print_point(FILE *to, const char *begin, const char *end)
{
    const char *next = begin;
    unsigned long point = text_next(&next);
    if (point == '&')
        fputs("&amp;", to);
    else if (point == '<')
        fputs("&lt;", to);
    else if (point == '>')
        fputs("&gt;", to);
    else if (point == '"')
        fputs("&quot;", to);
    else if (point_steers(point) || point == 0xfffe || point == 0xffff)
        fputs("&#xFFFD;", to);
    else
        fwrite(begin, 1, (size_t)(end - begin), to);
}

void svg_print(FILE *to, const char *text)
{
    while (*text) {
        const char *begin = text;
        text_next(&text);
        print_point(to, begin, text);
    }
}

void svg_print_cut(FILE *to, const char *text, size_t most)
{
    if (text_width(text) <= most) {
        svg_print(to, text);
        return;
    }
    for (size_t used = 0; *text;) {
        const char *begin = text;
        char one[8] = "";
        text_next(&text);
        memcpy(one, begin, (size_t)(text - begin));
        used += text_width(one);
        if (used >= most)
            break;
        print_point(to, begin, text);
    }
    fputs("…", to);
}

static void print_heading(const struct settings *settings,
    const struct outline *outline, double width, FILE *to)
{
    char size[UNITS_TEXT_SIZE];
    const char *file = varve_reader_path(outline->reader);
    const char *slash = strrchr(file, '/');
    varve_saved_node root = outline_saved(outline, outline->root);
    size_t values = value_count(outline);
    fprintf(to, "<text class=\"t\" x=\"%d\" y=\"36\">", SVG_MARGIN);
    svg_print_cut(to, slash ? slash + 1 : file, (size_t)(width / 12));
    fprintf(to, "</text>\n<text class=\"s\" x=\"%d\" y=\"56\">", SVG_MARGIN);
    if (*root.path) {
        svg_print_cut(to, root.path, 60);
        fputs(" · ", to);
    }
    fprintf(to, "%zu %s, %s</text>\n", values, values == 1 ? "value" : "values",
        size_text(settings->units, outline->nodes[outline->root].bytes, size));
}

/* From the right: a swatch and a word for each kind there is. */
static void print_legend(double width, unsigned kinds, FILE *to)
{
    double x = width - SVG_MARGIN + 14;
    for (int i = LOOK_COUNT - 1; i >= 0; i--) {
        if (!(kinds >> i & 1))
            continue;
        x -= 5.8 * (double)strlen(looks[i].name) + 32;
        fprintf(to,
            "<rect x=\"%.1f\" y=\"27\" width=\"11\" height=\"11\" "
            "rx=\"3\" fill=\"%s\" stroke=\"%s\"/><text class=\"l\" "
            "x=\"%.1f\" y=\"36.5\">%s</text>\n",
            x, looks[i].fill, looks[i].line, x + 17, looks[i].name);
    }
}

void svg_begin(const struct settings *settings, const struct outline *outline,
    const double size[2], unsigned kinds, FILE *to)
{
    fprintf(to,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
        "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n%s",
        size[0], size[1], size[0], size[1], styles);
    for (int i = 0; i < LOOK_COUNT; i++)
        fprintf(to, ".k%d{fill:%s;stroke:%s}.d%d{fill:%s}", i, looks[i].fill,
            looks[i].line, i, looks[i].deep);
    fputs("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        to);
    print_heading(settings, outline, size[0], to);
    print_legend(size[0], kinds, to);
}

void svg_end(FILE *to)
{
    fputs("</svg>\n", to);
}
