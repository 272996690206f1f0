/* graphs.c - Compares kinds, tags, names and metadata.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "element_text.h"

bool graphs_are_comparable(const struct side *a, const struct side *b)
{
    return varve_reader_format(a->target.reader) ==
           varve_reader_format(b->target.reader);
}

/* --- Nodes -------------------------------------------------------------- */

#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
static void
append(char note[NOTE_SIZE], const char *format, ...)
{
    size_t used = strlen(note);
    va_list arguments;
    if (used && used + 3 < NOTE_SIZE)
        used += (size_t)snprintf(note + used, NOTE_SIZE - used, "; ");
    va_start(arguments, format);
    vsnprintf(note + used, NOTE_SIZE - used, format, arguments);
    va_end(arguments);
}

static bool has_tag(const struct side *s, uint32_t node, const char *tag)
{
    const char *other;
    for (size_t i = 0; (other = varve_reader_tag_at(s->target.reader, node, i));
         i++) {
        if (strcmp(other, tag) == 0)
            return true;
    }
    return false;
}

/* Reports tags that only one node has. */
static void compare_tags(const struct side *a, uint32_t x, const struct side *b,
    uint32_t y, const char *name, char note[NOTE_SIZE])
{
    const char *tag;
    for (size_t i = 0; (tag = varve_reader_tag_at(a->target.reader, x, i));
         i++) {
        if (!has_tag(b, y, tag))
            append(note, "tag %.60s in %s alone", tag, name);
    }
}

static const char *or_none(const char *name)
{
    return name ? name : "none";
}

bool nodes_differ(const struct side *a, const varve_saved_node *x,
    const struct side *b, const varve_saved_node *y, char note[NOTE_SIZE])
{
    note[0] = '\0';
    if (x->kind != y->kind)
        append(
            note, "%s in A, %s in B", kind_name(x->kind), kind_name(y->kind));
    compare_tags(a, x->id, b, y->id, "A", note);
    compare_tags(b, y->id, a, x->id, "B", note);
    if (strcmp(or_none(x->global_name), or_none(y->global_name)) != 0)
        append(note, "global name %.100s in A, %.100s in B",
            or_none(x->global_name), or_none(y->global_name));
    return note[0] != '\0';
}

/* --- Metadata ----------------------------------------------------------- */

static void value_text(const varve_metadata *m, char *text, size_t size)
{
    char real[ELEMENT_TEXT_SIZE];
    switch (m->kind) {
    case VARVE_METADATA_INTEGER:
        snprintf(text, size, "%" PRId64, m->integer);
        break;
    case VARVE_METADATA_REAL:
        snprintf(text, size, "%s", real_text(m->real, false, real));
        break;
    case VARVE_METADATA_BOOLEAN:
        snprintf(text, size, "%s", m->integer ? "true" : "false");
        break;
    case VARVE_METADATA_STRING: snprintf(text, size, "'%s'", m->string); break;
    }
}

static const varve_metadata *find(const varve_reader *reader, const char *name)
{
    const varve_metadata *m;
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)); i++) {
        if (strcmp(m->name, name) == 0)
            return m;
    }
    return NULL;
}

static bool have_one_meaning(const varve_metadata *a, const varve_metadata *b)
{
    if (!a || !b || a->kind != b->kind)
        return false;
    if (a->kind == VARVE_METADATA_STRING)
        return strcmp(a->string, b->string) == 0;
    if (a->kind == VARVE_METADATA_REAL)
        return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    return a->integer == b->integer;
}

static void report_difference(const varve_metadata *a, const varve_metadata *b,
    on_metadata *call, void *user)
{
    char one[120] = "none", other[120] = "none";
    char note[NOTE_SIZE];
    if (have_one_meaning(a, b))
        return;
    if (a)
        value_text(a, one, sizeof one);
    if (b)
        value_text(b, other, sizeof other);
    snprintf(note, sizeof note, "%s in A, %s in B", one, other);
    call(user, a ? a->name : b->name, note);
}

void metadata_differences(
    const struct side *a, const struct side *b, on_metadata *call, void *user)
{
    const varve_reader *one = a->target.reader, *other = b->target.reader;
    const varve_metadata *m;
    char note[NOTE_SIZE];
    for (size_t i = 0; (m = varve_reader_metadata_at(one, i)); i++)
        report_difference(m, find(other, m->name), call, user);
    for (size_t i = 0; (m = varve_reader_metadata_at(other, i)); i++) {
        if (!find(one, m->name))
            report_difference(NULL, m, call, user);
    }
    if (varve_reader_counter(one) == varve_reader_counter(other))
        return;
    snprintf(note, sizeof note, "%" PRIu64 " in A, %" PRIu64 " in B",
        varve_reader_counter(one), varve_reader_counter(other));
    call(user, "save counter", note);
}
