/* page.c - a page from top to bottom: what is around the data, the graph, what
 * a caller says of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/page.h>

#include "failure.h"
#include "file.h"
#include "page_graph.h"
#include "page_notes.h"
#include "page_out.h"
#include "page_text.h"
#include "publish.h"
#include "reader.h"
#include "try.h"

static void add_all(struct vv_page_out *out, const char *const *texts)
{
    for (; *texts && !out->status; texts++)
        vv_page_out_text(out, *texts);
}

static varve_status print(struct vv_page_out *out, varve_reader *reader,
    const varve_page_options *options)
{
    vv_page_out_begin(out, &reader->context.allocator);
    add_all(out, vv_page_before);
    vv_page_out_text(out, "{\"schema\":\"varve.page/1\",\"title\":");
    vv_page_out_maybe(out, options->title);
    vv_page_out_text(out, ",\"chosen\":");
    vv_page_out_maybe(out, options->chosen);
    vv_page_out_text(out, ",\n");
    vv_page_add_file(out, reader);
    vv_page_add_graph(out, reader);
    vv_page_add_notes(out, reader, options);
    vv_page_out_text(out, "}");
    add_all(out, vv_page_behind);
    return vv_page_out_end(out);
}

static varve_status check(varve_reader *reader,
    const varve_page_options **options, varve_error *error)
{
    static const varve_page_options none;
    if (!reader)
        return vv_fail(error, VARVE_MISUSE, "expected a reader, found NULL");
    VV_TRY(VV_CHECK_OPTIONS(*options, error));
    if (!*options)
        *options = &none;
    return vv_page_check_options(*options, error);
}

/* --- To a callback ------------------------------------------------------ */

struct receiver {
    varve_on_page_bytes *on_bytes;
    void *user;
};

static varve_status pass_on(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    const struct receiver *receiver = user;
    varve_status status = receiver->on_bytes(receiver->user, bytes, size);
    return status ? vv_fail(error, vv_status_of_callback(status),
                        "a page: on_bytes failed with %s",
                        varve_status_name(status))
                  : VARVE_OK;
}

varve_status varve_page_print(varve_reader *reader,
    varve_on_page_bytes *on_bytes, void *user,
    const varve_page_options *options, varve_error *error)
{
    struct receiver receiver = { on_bytes, user };
    VV_TRY(check(reader, &options, error));
    if (!on_bytes)
        return vv_fail(
            error, VARVE_MISUSE, "on_bytes: expected a function, found NULL");
    struct vv_page_out out = {
        .sink = pass_on,
        .user = &receiver,
        .error = error,
    };
    return print(&out, reader, options);
}

/* --- To a file ---------------------------------------------------------- */

struct place {
    const struct vv_publication *publication;
    uint64_t offset;
};

static varve_status write_piece(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    struct place *place = user;
    const struct vv_publication *p = place->publication;
    VV_TRY(vv_file_write(
        p->context, p->file, p->path, bytes, size, place->offset, error));
    place->offset += size;
    return VARVE_OK;
}

varve_status varve_page_write(varve_reader *reader, const char *path,
    const varve_page_options *options, varve_error *error)
{
    struct vv_publication publication;
    struct place place = { .publication = &publication };
    struct vv_page_out out = {
        .sink = write_piece,
        .user = &place,
        .error = error,
    };
    VV_TRY(check(reader, &options, error));
    if (!path)
        return vv_fail(error, VARVE_MISUSE, "expected a path, found NULL");
    int flags = (options->no_sync ? VV_PUBLISH_NO_SYNC : 0) |
                (options->no_replace ? VV_PUBLISH_NO_REPLACE : 0);
    VV_TRY(
        vv_publish_begin(&publication, &reader->context, path, flags, error));
    return vv_publish_end(&publication, print(&out, reader, options), error);
}
