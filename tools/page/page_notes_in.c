/* page_notes_in.c - Determines the schema of notes, and reports errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_notes_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "notes.h"

bool notes_fail(struct notes *notes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(notes->why, sizeof notes->why, format, arguments);
    va_end(arguments);
    return false;
}

/* Parses an extent. One that exceeds the integers of JSON is null. */
static bool take_extent(const json_t *from, uint64_t *extent)
{
    *extent =
        json_is_null(from) ? UINT64_MAX : (uint64_t)json_integer_value(from);
    return json_is_null(from) ||
           (json_is_integer(from) && json_integer_value(from) >= 0);
}

bool notes_type(varve_tensor *type, const char *dtype, const json_t *shape)
{
    *type = (varve_tensor){ .rank = (uint32_t)json_array_size(shape) };
    if (!dtype && !shape)
        return true;
    if (!dtype || !json_is_array(shape) ||
        json_array_size(shape) > VARVE_MAX_RANK)
        return false;
    for (int i = 1; i <= VARVE_DTYPE_COUNT && !type->dtype; i++) {
        if (strcmp(dtype, varve_dtype_name((varve_dtype)i)) == 0)
            type->dtype = (varve_dtype)i;
    }
    bool good = type->dtype != 0;
    for (uint32_t i = 0; good && i < type->rank; i++)
        good = take_extent(json_array_get(shape, i), &type->shape[i]);
    return good;
}

static bool take(struct notes *n)
{
    const char *schema =
        json_string_value(json_object_get(n->source, "schema"));
    if (schema && strcmp(schema, "varve.report/1") == 0)
        return notes_of_report(n);
    if (schema && strcmp(schema, "varve.notes/1") == 0)
        return notes_of_items(n);
    return notes_fail(n,
        "expected the schema varve.report/1 or varve.notes/1, found %.80s",
        schema ? schema : "none");
}

static int complain_notes(
    const struct settings *settings, const char *file, const char *why)
{
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_FOREIGN,
                                  .code = "NOTES",
                                  .what = "cannot read",
                                  .file = file,
                                  .why = why });
}

/* Writes the page, and releases `source`. */
static int put(const struct settings *settings, const struct page_to *to,
    const struct target *target, json_t *source, const char *file)
{
    struct notes n = { .source = source, .reader = target->reader };
    int outcome;
    noted_begin(&n.noted, n.reader);
    if (take(&n)) {
        struct page_overlay overlay =
            noted_overlay(&n.noted, n.marks, n.mark_count);
        outcome = page_output(settings, to, target, &overlay);
    } else {
        outcome = complain_notes(settings, file, n.why);
    }
    noted_clear(&n.noted);
    json_decref(source);
    return outcome;
}

int page_with_notes(const struct settings *settings, const struct page_to *to,
    const struct target *target, const char *file)
{
    char where[600];
    json_error_t error;
    FILE *from = fopen(file, "rb");
    if (!from)
        return complain_system(settings, "cannot read", file);
    json_t *source = json_loadf(from, 0, &error);
    fclose(from);
    if (source)
        return put(settings, to, target, source, file);
    snprintf(where, sizeof where, "%.500s:%d", file, error.line);
    return complain_notes(settings, where, error.text);
}

int page_with_report(const struct settings *settings, const struct page_to *to,
    const struct target *target, const char *report)
{
    json_t *source = json_loads(report, 0, NULL);
    return source ? put(settings, to, target, source, "the report")
                  : complain_memory(settings);
}
