/* left_out.c - Groups consecutive entries of the same kind.
 *
 * SPDX-License-Identifier: MIT
 */
#include "left_out.h"

#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "json_out.h"
#include "style.h"

enum { MOST_KINDS = 8, FEW = 3 };

/* Prints a warning for the entries of one kind, starting at `first`. Returns
 * their number. */
static size_t report_kind(
    const struct settings *settings, const varve_reader *reader, size_t first)
{
    char paths[256], why[640];
    const char *path, *what, *kind = NULL;
    size_t count = 0, used = 0;
    while (varve_reader_left_out_at(reader, first + count, &path, &what) &&
           (!kind || strcmp(kind, what) == 0)) {
        kind = what;
        if (count < FEW && used < sizeof paths)
            used += (size_t)snprintf(paths + used, sizeof paths - used, "%s%s",
                count ? ", " : "", *path ? path : "/");
        count++;
    }
    if (count == 0)
        return 0;
    snprintf(why, sizeof why, "%s%s (%zu): %s", paths,
        count > FEW ? ", ..." : "", count, kind);
    print_warning(settings, varve_reader_path(reader), "left out", why);
    return count;
}

void left_out_report(
    const struct settings *settings, const varve_reader *reader)
{
    size_t at = 0, count, kinds = 0, rest = 0;
    const char *path, *what;
    char why[64];
    while (
        kinds++ < MOST_KINDS && (count = report_kind(settings, reader, at)) > 0)
        at += count;
    while (varve_reader_left_out_at(reader, at + rest, &path, &what))
        rest++;
    snprintf(why, sizeof why, "%zu more, which --json lists", rest);
    if (rest > 0)
        print_warning(settings, varve_reader_path(reader), "left out", why);
}

json_t *left_out_json(const varve_reader *reader)
{
    const char *path, *what;
    json_t *list = NULL;
    for (size_t i = 0; varve_reader_left_out_at(reader, i, &path, &what); i++) {
        list = list ? list : json_array();
        json_array_append_new(list,
            json_pack("{s:o, s:o}", "path", json_bytes(path, strlen(path)),
                "what", json_bytes(what, strlen(what))));
    }
    return list;
}

void left_out_print_json(const varve_reader *reader)
{
    json_t *list = left_out_json(reader);
    if (!list)
        return;
    fputs(",\"left_out\":", stdout);
    json_dumpf(list, stdout, JSON_COMPACT);
    json_decref(list);
}
