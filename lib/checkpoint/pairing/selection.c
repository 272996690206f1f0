/* selection.c - Copies read options and parses rename files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "selection.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "name.h"
#include "pattern.h"
#include "try.h"

enum { MAX_RENAME_FILE = 16 << 20 };

/* --- Renames ------------------------------------------------------------ */

static const char *without_slash(const char *path)
{
    return *path == '/' ? path + 1 : path;
}

static varve_status selection_add_rename(struct vv_selection *s,
    const char *program, const char *file, const char *where,
    varve_error *error)
{
    if (!program || !file)
        return vv_fail(error, VARVE_MISUSE,
            "%s: the program path or the file path is NULL", where);
    program = without_slash(program);
    file = without_slash(file);
    if (!vv_pattern_same_wildcards(program, file))
        return vv_fail(error, VARVE_MISUSE,
            "%s: both sides need the same wildcards, found \"%.200s\" and "
            "\"%.200s\"",
            where, program, file);
    if (!vv_grow_array(s->allocator, &s->renames, &s->rename_capacity,
            s->rename_count, sizeof *s->renames))
        return vv_fail_memory(error, "renames");
    struct vv_rename *rename = &s->renames[s->rename_count];
    *rename = (struct vv_rename){
        .program = vv_copy_string(s->allocator, program),
        .file = vv_copy_string(s->allocator, file),
        .is_of_slot = vv_pattern_is_of_slot(program),
    };
    s->rename_count++;
    s->has_slots |= rename->is_of_slot;
    if (!rename->program || !rename->file ||
        !vv_rename_parts_begin(
            &rename->parts, s->allocator, rename->program, rename->file))
        return vv_fail_memory(error, "renames");
    return VARVE_OK;
}

/* Adds a rename to the index. */
static bool index_rename(struct vv_selection *s, uint32_t number)
{
    struct vv_rename *rename = &s->renames[number];
    const struct vv_rename_parts *parts = &rename->parts;
    if (!rename->is_of_slot)
        return vv_rename_index_add(&s->index, number, parts, &rename->stage);
    struct vv_text last = parts->names[parts->name_count - 1].pattern;
    struct vv_text base, inside = { NULL, 0 };
    vv_name_split(last, &base, &inside);
    return vv_rename_index_add_slot(&s->index, number, inside);
}

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r", text[size - 1]))
        text[--size] = '\0';
    return text;
}

/* Parses a line: `program -> file`, an empty line or a comment. */
static varve_status add_rename_line(
    struct vv_selection *s, char *line, const char *where, varve_error *error)
{
    line = trim(line);
    if (*line == '\0' || *line == '#')
        return VARVE_OK;
    char *arrow = strstr(line, "->");
    if (!arrow)
        return vv_fail(error, VARVE_MISUSE,
            "%s: expected `program -> file`, found \"%.200s\"", where, line);
    *arrow = '\0';
    return selection_add_rename(s, trim(line), trim(arrow + 2), where, error);
}

static varve_status add_rename_lines(
    struct vv_selection *s, char *text, const char *path, varve_error *error)
{
    char where[512];
    unsigned long number = 1;
    while (text) {
        char *end = strchr(text, '\n');
        if (end)
            *end = '\0';
        char decimal[24];
        vv_decimal(number++, decimal);
        size_t size = strlen(path);
        size_t kept = size < 400 ? size : 400;
        memcpy(where, path, kept);
        memcpy(where + kept, ":", 1);
        strcpy(where + kept + 1, decimal);
        VV_TRY(add_rename_line(s, text, where, error));
        text = end ? end + 1 : NULL;
    }
    return VARVE_OK;
}

static varve_status read_rename_file(struct vv_selection *s,
    const struct vv_context *context, const char *path, varve_error *error)
{
    int file;
    uint64_t size;
    varve_error reason = { 0 };
    if (vv_file_open(context, path, &file, &size, &reason))
        return vv_fail_because(error, &reason, "rename.file");
    char *text = NULL;
    varve_status status = VARVE_OK;
    if (size > MAX_RENAME_FILE)
        status = vv_fail(error, VARVE_LIMIT,
            "%s: a file of renames may have at most %d bytes, found %llu", path,
            MAX_RENAME_FILE, (unsigned long long)size);
    else if (!(text = vv_allocate(s->allocator, (size_t)size + 1)))
        status = vv_fail_memory(error, "renames");
    else
        status =
            vv_file_read(context, file, path, text, (size_t)size, 0, error);
    vv_file_close(context, file);
    if (!status) {
        text[size] = '\0';
        if (strlen(text) != size || !vv_utf8_is_valid(text, (size_t)size))
            status =
                vv_fail(error, VARVE_BAD_NAME, "%s: not valid UTF-8", path);
        else
            status = add_rename_lines(s, text, path, error);
    }
    vv_release(s->allocator, text, (size_t)size + 1);
    return status;
}

/* --- All ---------------------------------------------------------------- */

static bool selection_copy(struct vv_selection *s, char **to, const char *from)
{
    *to = from ? vv_copy_string(s->allocator, from) : NULL;
    return !from || *to;
}

static varve_status selection_fill(struct vv_selection *s,
    const struct vv_context *context, varve_error *error)
{
    const varve_read_options *o = &s->options;
    if (!selection_copy(s, &s->only, o->only) ||
        !selection_copy(s, &s->except, o->except) ||
        !selection_copy(s, &s->resize, o->resize) ||
        !selection_copy(s, &s->cast_only, o->cast_only) ||
        !selection_copy(s, &s->expect_missing, o->expect.missing) ||
        !selection_copy(s, &s->expect_unexpected, o->expect.unexpected))
        return vv_fail_memory(error, "the options of a read");
    for (size_t i = 0; i < o->rename.count; i++)
        VV_TRY(selection_add_rename(s, o->rename.list[i].program,
            o->rename.list[i].file, "a rename", error));
    if (o->rename.file)
        VV_TRY(read_rename_file(s, context, o->rename.file, error));
    if (s->rename_count > UINT32_MAX)
        return vv_fail(error, VARVE_LIMIT, "more than 2^32 - 1 renames");
    for (size_t i = 0; i < s->rename_count; i++) {
        if (!index_rename(s, (uint32_t)i))
            return vv_fail_memory(error, "renames");
    }
    return VARVE_OK;
}

/* Checks that the reserved fields of the options and of their parts are zero.
 */
static varve_status selection_check_resize_buffers(
    const varve_read_options *options, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    if (!options)
        return VARVE_OK;
    VV_TRY(VV_CHECK_ROOM(options->rename.reserved, error));
    VV_TRY(vv_check_list(
        options->rename.list, options->rename.count, "rename.list", error));
    VV_TRY(VV_CHECK_ROOM(options->expect.reserved, error));
    VV_TRY(VV_CHECK_ROOM(options->foreign.reserved, error));
    VV_TRY(VV_CHECK_ROOM(options->salvage.reserved, error));
    return VV_CHECK_ROOM(options->resources.reserved, error);
}

varve_status vv_selection_begin(struct vv_selection *s,
    const struct vv_context *context, const varve_read_options *options,
    varve_error *error)
{
    *s = (struct vv_selection){ .allocator = &context->allocator };
    vv_rename_index_init(&s->index, s->allocator);
    VV_TRY(selection_check_resize_buffers(options, error));
    if (options)
        s->options = *options;
    if (s->options.salvage.on && s->options.no_verify)
        return vv_fail(error, VARVE_MISUSE,
            "read options: `salvage.on` and `no_verify` exclude each other");
    if ((unsigned)s->options.cast > VARVE_CAST_ANY)
        return vv_fail(error, VARVE_MISUSE,
            "read options: `cast` must be a varve_cast, found %d",
            (int)s->options.cast);
    if ((unsigned)s->options.passes > VARVE_TWO_PASSES)
        return vv_fail(error, VARVE_MISUSE,
            "read options: `passes` must be a varve_passes, found %d",
            (int)s->options.passes);
    if (s->options.cast_only && !s->options.cast)
        return vv_fail(error, VARVE_MISUSE,
            "read options: `cast_only` has no effect without `cast`");
    varve_status status = selection_fill(s, context, error);
    if (status)
        vv_selection_end(s);
    return status;
}

void vv_selection_end(struct vv_selection *s)
{
    const varve_allocator *a = s->allocator;
    for (size_t i = 0; i < s->rename_count; i++) {
        vv_rename_parts_end(&s->renames[i].parts, a);
        vv_release_string(a, s->renames[i].program);
        vv_release_string(a, s->renames[i].file);
    }
    if (s->index.allocator)
        vv_rename_index_clear(&s->index);
    vv_release(a, s->renames, s->rename_capacity * sizeof *s->renames);
    vv_release_string(a, s->only);
    vv_release_string(a, s->except);
    vv_release_string(a, s->resize);
    vv_release_string(a, s->cast_only);
    vv_release_string(a, s->expect_missing);
    vv_release_string(a, s->expect_unexpected);
    *s = (struct vv_selection){ .allocator = a };
}

varve_status vv_read_options_check(const struct vv_context *context,
    const varve_read_options *options, varve_error *error)
{
    struct vv_selection selection;
    varve_status status =
        vv_selection_begin(&selection, context, options, error);
    if (!status)
        vv_selection_end(&selection);
    return status;
}

void vv_choose_opening(
    struct vv_context *context, const varve_read_options *options)
{
    context->dots = options && options->foreign.dots;
    context->no_hdf5 = options && options->foreign.no_hdf5;
    context->follows_links = options && options->foreign.follow_links;
    context->salvages = options && options->salvage.on;
}
