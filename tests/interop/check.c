/* check.c - Compares checkpoints of other programs with the content that these
 * programs report (manifest.py), then repeats this after converting each to a
 * graph and to a Varve file.
 *
 *     check LINES DIRECTORY COPY
 *
 * The files are in DIRECTORY; COPY is the path of a temporary file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "compare.h"
#include "lines.h"

#ifdef VV_HAVE_ZLIB
static const bool has_zlib = true;
#else
static const bool has_zlib = false;
#endif

enum { PATH_SIZE = 4096 };

struct check {
    const char *directory, *copy;
    size_t read, refused, failed;
};

/* Opens the file, or the Varve file made from it. */
static varve_reader *open_one(
    const char *path, const char *copy, varve_error *error)
{
    varve_write_options options = { .keep_counter = true, .no_sync = true };
    if (!copy)
        return varve_reader_open(path, NULL, error);
    varve_graph *graph = varve_graph_from(path, NULL, error);
    if (!graph)
        return NULL;
    options.metadata = varve_graph_metadata(graph, &options.metadata_count);
    varve_status status =
        varve_write(varve_graph_root(graph), copy, &options, error);
    varve_graph_free(graph);
    return status ? NULL : varve_reader_open(copy, NULL, error);
}

/* Returns the expected status of a rejected file; NULL if it should open. */
static const char *expected_refusal(struct lines *lines)
{
    const char *status = NULL;
    if (line_is(lines, "needs")) {
        bool is_there = strcmp(lines->fields[1], "zlib") == 0 && has_zlib;
        status = is_there ? NULL : "VARVE_TOO_NEW";
        lines_next(lines);
    }
    return line_is(lines, "refused") ? lines->fields[1] : status;
}

static void pass_over(struct lines *lines)
{
    while (!line_is(lines, "refused") && !line_is(lines, "end")
        && lines_next(lines))
        ;
}

/* Checks one file, starting after its line "file". */
static void check_one(
    struct check *check, const char *path, struct lines *lines)
{
    varve_error error = { 0 };
    const char *refusal = expected_refusal(lines);
    varve_reader *reader = open_one(path, check->copy, &error);
    const char *found = varve_status_name(error.status);
    if (refusal && !reader && strcmp(refusal, found) == 0) {
        check->refused++;
        pass_over(lines);
    } else if (refusal || !reader) {
        printf("%s: expected %s, found %s: %s\n", path,
            refusal ? refusal : "a checkpoint",
            reader ? "a checkpoint" : found, error.message);
        check->failed++;
        pass_over(lines);
    } else if (compare_checkpoint(reader, path, lines)) {
        check->failed++;
    } else {
        check->read++;
    }
    varve_reader_free(reader);
}

static bool check_all(struct check *check, const char *path)
{
    struct lines lines;
    char name[PATH_SIZE];
    if (!lines_open(&lines, path)) {
        fprintf(stderr, "check: cannot read %s\n", path);
        return false;
    }
    while (lines_next(&lines)) {
        snprintf(name, sizeof name, "%s/%s", check->directory,
            lines.fields[1]);
        if (!line_is(&lines, "file") || !lines_next(&lines)) {
            fprintf(stderr, "check: line %zu of %s\n", lines.number, path);
            check->failed++;
            break;
        }
        check_one(check, name, &lines);
    }
    lines_close(&lines);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: check LINES DIRECTORY COPY\n");
        return 2;
    }
    struct check itself = { .directory = argv[2] };
    struct check copied = { .directory = argv[2], .copy = argv[3] };
    if (!check_all(&itself, argv[1]) || !check_all(&copied, argv[1]))
        return 2;
    remove(argv[3]);
    printf("%zu checkpoints: %zu read, %zu rejected as expected, %zu failed\n",
        itself.read + itself.refused + itself.failed, itself.read,
        itself.refused, itself.failed);
    if (copied.failed)
        printf("as Varve files: %zu failed\n", copied.failed);
    return itself.failed || copied.failed || !(itself.read + itself.refused);
}
