/* list_text.c - Writes the lines of a list of files, and finds the first
 * difference between two lists.
 *
 * SPDX-License-Identifier: MIT
 */
#include "list_text.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "name.h"

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void vv_list_text_add(struct vv_buffer *text, const struct vv_listed_form *form)
{
    const char *name = last_part(form->path);
    char digest[33];
    vv_digest_text(&form->digest, digest);
    vv_path_add_name(text, name, strlen(name));
    vv_buffer_add_string(text, ": ");
    vv_buffer_add_decimal(text, form->records);
    vv_buffer_add_string(text, " records, ");
    vv_buffer_add_decimal(text, form->bytes);
    vv_buffer_add_string(text, " bytes, ");
    vv_buffer_add_string(text, form->what);
    vv_buffer_add_string(text, " ");
    vv_buffer_add_string(text, digest);
    vv_buffer_add_string(text, "\n");
}

/* --- Comparing ------------------------------------------------------------ */

/* Returns the size of the line at an offset, with its newline; 0 at the end. */
static size_t line_size(const char *text, size_t size, size_t at)
{
    const char *end = at < size ? memchr(text + at, '\n', size - at) : NULL;
    return end ? (size_t)(end - (text + at)) + 1 : size - at;
}

/* A line in a form for messages. */
struct quoted_entry {
    const char *text;
    int size;
};

static struct quoted_entry quote(const char *text, size_t size)
{
    enum { MOST = 400 };
    if (size == 0)
        return (struct quoted_entry){ "no more files", 15 };
    if (text[size - 1] == '\n')
        size--;
    return (struct quoted_entry){ text, size < MOST ? (int)size : MOST };
}

static varve_status fail_at(const struct vv_listed_texts *t, size_t at,
    uint64_t number, varve_error *error)
{
    size_t saved_size = line_size(t->saved, t->saved_size, at);
    size_t opened_size = line_size(t->opened, t->opened_size, at);
    struct quoted_entry saved = quote(t->saved + at, saved_size);
    struct quoted_entry opened = quote(t->opened + at, opened_size);
    return vv_fail(error, VARVE_MISMATCH,
        "%s: file %" PRIu64 " of the list differs from that of the saved "
        "position: expected %.*s; found %.*s: %s",
        t->name, number, saved.size, saved.text, opened.size, opened.text,
        saved_size == 0
            ? "if files were appended on purpose, set allow_appended"
            : "open the same files in the same order, or start an epoch with "
              "varve_records_rewind");
}

varve_status vv_list_text_compare(
    const struct vv_listed_texts *t, uint64_t *files, varve_error *error)
{
    size_t at = 0;
    uint64_t number = 0;
    while (at < t->saved_size || at < t->opened_size) {
        size_t saved = line_size(t->saved, t->saved_size, at);
        size_t opened = line_size(t->opened, t->opened_size, at);
        if (saved == 0 && t->allow_appended && number > 0)
            break;
        if (saved != opened || memcmp(t->saved + at, t->opened + at, saved))
            return fail_at(t, at, number, error);
        at += saved;
        number++;
    }
    *files = number;
    return VARVE_OK;
}
