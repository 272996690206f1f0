/* svg.c - Implements the parts that all drawings share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "svg.h"

#include <string.h>

#include "heading.h"
#include "look.h"
#include "store_path.h"
#include "style.h"
#include "units.h"

/* Names and notes are monospaced, so that their width is known without the
 * font: n and m in a box with two lines, p and q in one with a single line. */
static const char styles[] =
    "<style>"
    ".w{fill:#ffffff}"
    "text{fill:#1e293b}"
    ".t,.s,.l{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,"
    "sans-serif}"
    ".t{font-size:17px;font-weight:600}"
    ".s{font-size:12px;fill:#64748b}"
    ".l{font-size:11px;fill:#475569}"
    ".n,.m,.p,.q{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',"
    "'Liberation Mono',monospace}"
    ".n{font-size:12px;font-weight:600}"
    ".m{font-size:10px;fill:#64748b}"
    ".p{font-size:10px;font-weight:600}"
    ".q{font-size:9px;fill:#64748b}"
    ".e{fill:none;stroke:#cbd5e1;stroke-width:1.4}"
    ".g{fill:#ffffff;stroke:#94a3b8;stroke-dasharray:4 3}"
    ".z{fill:#e2e8f0}"
    ".u{fill-opacity:.6}";

static const char dark_styles[] =
    "@media(prefers-color-scheme:dark){"
    ".w,.g{fill:#0f172a}text{fill:#e2e8f0}"
    ".s,.l,.m,.q{fill:#94a3b8}.e,.g{stroke:#475569}.z{fill:#334155}";

/* Edges that are not in the tree. */
static const struct {
    const char *name;
    const char *color;
    const char *dark;
    const char *style;
} links[SVG_LINK_COUNT] = {
    { "slot of", "#ea580c", "#fb923c",
        "stroke-width:1;stroke-dasharray:4 3;stroke-opacity:.8" },
    { "further name", "#0f766e", "#2dd4bf", "stroke-width:1.3" },
    { "closes a cycle", "#be185d", "#f472b6", "stroke-width:1.8" },
};

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

/* Counts one code point at a time; a control character is printed as one
 * column. */
size_t svg_columns(const char *text)
{
    size_t columns = 0;
    while (*text) {
        const char *begin = text;
        char one[8] = "";
        unsigned long point = text_next(&text);
        memcpy(one, begin, (size_t)(text - begin));
        columns += point_steers(point) ? 1 : text_width(one);
    }
    return columns;
}

void svg_print_cut(FILE *to, const char *text, size_t most)
{
    if (svg_columns(text) <= most) {
        svg_print(to, text);
        return;
    }
    for (size_t used = 0; *text;) {
        const char *begin = text;
        char one[8] = "";
        text_next(&text);
        memcpy(one, begin, (size_t)(text - begin));
        used += svg_columns(one);
        if (used >= most)
            break;
        print_point(to, begin, text);
    }
    fputs("…", to);
}

/* Prints the heading on one line, so that nothing overlaps. */
static void print_heading(const struct settings *settings,
    const struct outline *outline, double width, FILE *to)
{
    enum { MOST_OF_PATH = 40 };
    char size[UNITS_TEXT_SIZE];
    const char *file = shown_path(varve_reader_path(outline->reader));
    const char *slash = strrchr(file, '/');
    varve_saved_node root = outline_saved(outline, outline->root);
    size_t values = value_count(outline);
    size_t path = text_width(root.path);
    double facts = 7.0 * (double)(path < MOST_OF_PATH ? path : MOST_OF_PATH);
    fprintf(to, "<text y=\"32\"><tspan class=\"t\" x=\"%d\">", SVG_MARGIN);
    svg_print_cut(
        to, slash ? slash + 1 : file, (size_t)((width - facts - 250) / 11));
    fputs("</tspan><tspan class=\"s\" dx=\"14\">", to);
    if (*root.path) {
        svg_print_cut(to, root.path, MOST_OF_PATH);
        fputs(" · ", to);
    }
    fprintf(to, "%zu %s, %s</tspan></text>\n", values,
        values == 1 ? "value" : "values",
        size_text(settings->units, outline->nodes[outline->root].bytes, size));
}

/* Prints a swatch or a line, and a word, for each kind that is used. */
static void print_legend(unsigned kinds, FILE *to)
{
    double x = SVG_MARGIN;
    for (int i = 0; i < LOOK_COUNT + SVG_LINK_COUNT; i++) {
        if (!(kinds >> i & 1))
            continue;
        const char *name =
            i < LOOK_COUNT ? looks[i].name : links[i - LOOK_COUNT].name;
        double swatch = i < LOOK_COUNT ? 11 : 20;
        if (i < LOOK_COUNT)
            fprintf(to,
                "<rect class=\"k%d\" x=\"%.1f\" y=\"45\" width=\"11\" "
                "height=\"11\" rx=\"3\"/>",
                i, x);
        else
            fprintf(to, "<path class=\"a%d\" d=\"M%.1f 50.5h%.0f\"/>",
                i - LOOK_COUNT, x, swatch);
        fprintf(to, "<text class=\"l\" x=\"%.1f\" y=\"54.5\">%s</text>\n",
            x + swatch + 6, name);
        x += swatch + 6.4 * (double)strlen(name) + 20;
    }
}

static void print_styles(FILE *to)
{
    fputs(styles, to);
    for (int i = 0; i < LOOK_COUNT; i++)
        fprintf(to, ".k%d{fill:%s;stroke:%s}.d%d{fill:%s}", i, looks[i].fill,
            looks[i].line, i, looks[i].deep);
    for (int i = 0; i < SVG_LINK_COUNT; i++)
        fprintf(to, ".a%d{fill:none;stroke:%s;%s}.b%d{fill:%s}", i,
            links[i].color, links[i].style, i, links[i].color);
    fputs(dark_styles, to);
    for (int i = 0; i < LOOK_COUNT; i++)
        fprintf(to, ".k%d{fill:%s;stroke:%s}.d%d{fill:%s}", i,
            looks[i].dark_fill, looks[i].dark_line, i, looks[i].dark_line);
    for (int i = 0; i < SVG_LINK_COUNT; i++)
        fprintf(to, ".a%d{stroke:%s}.b%d{fill:%s}", i, links[i].dark, i,
            links[i].dark);
    fputs("}</style>\n", to);
}

void svg_begin(const struct settings *settings, const struct outline *outline,
    const double size[2], unsigned kinds, FILE *to)
{
    fprintf(to,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
        "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
        size[0], size[1], size[0], size[1]);
    print_styles(to);
    fputs("<rect class=\"w\" width=\"100%\" height=\"100%\"/>\n", to);
    print_heading(settings, outline, size[0], to);
    print_legend(kinds, to);
}

void svg_end(FILE *to)
{
    fputs("</svg>\n", to);
}
