/* heading.c - Prints headings.
 *
 * SPDX-License-Identifier: MIT
 */
#include "heading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "element_text.h"
#include "json_out.h"
#include "left_out.h"
#include "store_path.h"
#include "style.h"
#include "units.h"

size_t value_count(const struct outline *outline)
{
    size_t count = 0;
    for (size_t i = 0; i < outline->reached; i++)
        count += outline_saved(outline, outline->order[i]).has_value;
    return count;
}

static bool is_named(const varve_metadata *m, const char *name)
{
    return m->kind == VARVE_METADATA_INTEGER && strcmp(m->name, name) == 0;
}

static const varve_metadata *find(const varve_reader *reader, const char *name)
{
    const varve_metadata *m;
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)); i++) {
        if (is_named(m, name))
            return m;
    }
    return NULL;
}

/* Prints only the start of a text; configurations of Keras are long. */
static void print_beginning(const char *text)
{
    enum { SHOWN = 72 };
    char cut[SHOWN + sizeof "..."];
    size_t size = strlen(text);
    size_t shown = text_beginning(text, size, SHOWN);
    snprintf(
        cut, sizeof cut, "%.*s%s", (int)shown, text, shown < size ? "..." : "");
    json_print_text(stdout, cut);
}

static void print_metadata(const varve_metadata *m, bool for_json)
{
    char text[ELEMENT_TEXT_SIZE];
    switch (m->kind) {
    case VARVE_METADATA_INTEGER: printf("%" PRId64, m->integer); break;
    case VARVE_METADATA_REAL:
        fputs(real_text(m->real, for_json, text), stdout);
        break;
    case VARVE_METADATA_BOOLEAN:
        fputs(m->integer ? "true" : "false", stdout);
        break;
    case VARVE_METADATA_STRING:
        if (for_json)
            json_print_text(stdout, m->string);
        else
            print_beginning(m->string);
        break;
    }
}

static void print_other_metadata(
    const struct style *style, const varve_reader *reader)
{
    const varve_metadata *m;
    bool first = true;
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)); i++) {
        if (is_named(m, "step") || is_named(m, "time"))
            continue;
        fputs(first ? "" : style->dot, stdout);
        print_clean(stdout, m->name);
        fputs(" ", stdout);
        print_metadata(m, false);
        first = false;
    }
    if (!first)
        putchar('\n');
}

void heading_print(const struct settings *settings, const struct style *style,
    const struct outline *outline)
{
    const varve_reader *reader = outline->reader;
    const varve_metadata *step = find(reader, "step");
    const varve_metadata *time = find(reader, "time");
    uint64_t counter = varve_reader_counter(reader);
    size_t values = value_count(outline);
    char size[UNITS_TEXT_SIZE];
    char when[UNITS_TEXT_SIZE];
    varve_format format = varve_reader_format(reader);
    fputs(style->bold, stdout);
    print_clean(stdout, shown_path(varve_reader_path(reader)));
    fputs(style->plain, stdout);
    if (format != VARVE_FORMAT_VARVE)
        printf("%s%s", style->dot, varve_format_name(format));
    if (step)
        printf("%sstep %" PRId64, style->dot, step->integer);
    printf("%s%zu %s, %s", style->dot, values, values == 1 ? "value" : "values",
        size_text(settings->units, outline->nodes[outline->root].bytes, size));
    if (counter)
        printf("%ssave %" PRIu64, style->dot, counter);
    if (time)
        printf("%s%s", style->dot, time_text(time->integer, when));
    putchar('\n');
    print_other_metadata(style, reader);
}

void heading_print_json(const char *schema, const varve_reader *reader)
{
    const varve_metadata *m;
    printf("\"schema\":\"%s\",\"file\":", schema);
    json_print_text(stdout, shown_path(varve_reader_path(reader)));
    printf(",\"format\":\"%s\",\"size\":%" PRIu64 ",\"counter\":%" PRIu64
           ",\"metadata\":{",
        varve_format_name(varve_reader_format(reader)),
        varve_reader_size(reader), varve_reader_counter(reader));
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)); i++) {
        fputs(i ? "," : "", stdout);
        json_print_text(stdout, m->name);
        putchar(':');
        print_metadata(m, true);
    }
    putchar('}');
    left_out_print_json(reader);
}
