/* remote_publish.c - Manages the uploads of this process by their temporary
 * names, and sends the request that completes one.
 *
 * That request may be executed although its response is lost. So before a
 * retry, the object is examined: each upload has a token, which identifies the
 * writer of the current object.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_publish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_call.h"
#include "remote_file.h"
#include "remote_pool.h"
#include "remote_upload.h"
#include "remote_url.h"

enum {
    DIGITS = 16,     /* of a temporary name, as in temporary.h */
    MOST_OF_A = 229, /* size of a name that is never cut in it */
};

/* --- Uploads in progress ----------------------------------------------------
 */

struct aside {
    struct aside *next;
    char *path; /* the temporary path */
    struct vv_remote_upload *upload;
    bool is_open;
    bool is_done; /* published or aborted */
};

static struct aside *all; /* guarded by the lock of the module */

static int remote_publish_fail_memory(void)
{
    return vv_remote_fail(ENOMEM, "no memory for a file");
}

/* Returns the final path for "DIRECTORY/.NAME.0123456789abcdef.tmp", to be
 * freed; NULL if it is not a temporary name. */
static char *path_behind(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    size_t size = strlen(name), rest = DIGITS + 5; /* ".", digits, ".tmp" */
    if (*name != '.' || size < rest + 2)
        return NULL;
    const char *end = name + size - rest;
    if (*end != '.' || strspn(end + 1, "0123456789abcdef") != DIGITS ||
        strcmp(end + 1 + DIGITS, ".tmp") != 0)
        return NULL;
    struct vv_remote_text behind = { .at = NULL };
    vv_remote_add_bytes(&behind, path, (size_t)(name - path));
    vv_remote_add_bytes(&behind, name + 1, (size_t)(end - name - 1));
    return vv_remote_take(&behind);
}

/* Returns the upload that is not done with a path, or the entry of an
 * upload. */
static struct aside *remote_publish_find(
    const char *path, const struct vv_remote_upload *upload)
{
    vv_remote_lock();
    struct aside *a = all;
    while (a && !(upload ? a->upload == upload
                         : path && !a->is_done && strcmp(a->path, path) == 0))
        a = a->next;
    vv_remote_unlock();
    return a;
}

static void free_aside(struct aside *a)
{
    if (!a)
        return;
    vv_remote_upload_free(a->upload);
    free(a->path);
    free(a);
}

/* Marks an entry as closed or as done, and frees it once it is both. */
static void remote_publish_let_go(struct aside *a, bool is_closed)
{
    vv_remote_lock();
    a->is_open &= !is_closed;
    a->is_done |= !is_closed;
    bool is_over = a->is_done && !a->is_open;
    struct aside **link = &all;
    while (is_over && *link != a)
        link = &(*link)->next;
    if (is_over)
        *link = a->next;
    vv_remote_unlock();
    if (is_over)
        free_aside(a);
}

static int remote_publish_make(const struct vv_remote_settings *settings,
    const char *path, const char *behind)
{
    struct aside *a = calloc(1, sizeof *a);
    if (a) {
        a->path = vv_remote_copy(path);
        a->upload = vv_remote_upload_new(settings, behind);
    }
    int result = a && a->path && a->upload ? vv_remote_open_upload(a->upload)
                                           : remote_publish_fail_memory();
    if (result < 0) {
        free_aside(a);
        return result;
    }
    a->is_open = true;
    vv_remote_lock();
    a->next = all;
    all = a;
    vv_remote_unlock();
    return result;
}

static int fail_web(void)
{
    return vv_remote_fail(EROFS, "a web server is read-only");
}

int vv_remote_create(
    const struct vv_remote_settings *settings, const char *path)
{
    if (vv_remote_scheme_of(path) != VV_REMOTE_S3)
        return fail_web();
    if (remote_publish_find(path, NULL))
        return -EEXIST;
    char *behind = path_behind(path);
    if (!behind)
        return vv_remote_fail(EOPNOTSUPP,
            "a store takes whole files only; existing files cannot "
            "be appended to");
    int result = strlen(strrchr(behind, '/') + 1) > MOST_OF_A
                     ? vv_remote_fail(ENAMETOOLONG,
                           "the name is longer than %d bytes", MOST_OF_A)
                     : remote_publish_make(settings, path, behind);
    free(behind);
    return result;
}

int vv_remote_look_up(
    const struct vv_remote_settings *settings, const char *path)
{
    return remote_publish_find(path, NULL)
               ? vv_remote_fail(EOPNOTSUPP, "a store has no file locks")
               : vv_remote_open_file(settings, path);
}

static struct aside *of_descriptor(int descriptor)
{
    struct vv_remote_upload *upload = vv_remote_upload_of(descriptor);
    return upload ? remote_publish_find(NULL, upload) : NULL;
}

int vv_remote_end(int descriptor)
{
    struct aside *a = of_descriptor(descriptor);
    int result = vv_remote_close(descriptor);
    if (a)
        remote_publish_let_go(a, true);
    return result;
}

int64_t vv_remote_write_at(
    int descriptor, const void *bytes, size_t size, uint64_t offset)
{
    struct aside *a = of_descriptor(descriptor);
    if (!a || a->is_done)
        return -EBADF;
    return vv_remote_upload_write(a->upload, bytes, size, offset);
}

int vv_remote_reserve(int descriptor, uint64_t size)
{
    struct aside *a = of_descriptor(descriptor);
    if (a)
        vv_remote_upload_expect(a->upload, size);
    return -EOPNOTSUPP;
}

int vv_remote_sync(int descriptor)
{
    struct aside *a = of_descriptor(descriptor);
    return a && !a->is_done ? vv_remote_upload_flush(a->upload) : 0;
}

/* --- Identification of the writer -------------------------------------------
 */

enum owner {
    NOBODY_KNOWS,
    NOBODYS, /* the name does not exist */
    OTHERS,
    OURS,
    OURS_IN_NAME /* with other content */
};

/* Compares an object with the upload. If a store does not keep tokens, an
 * object with the same bytes counts as ours. */
static enum owner judge(
    const struct vv_remote_upload *u, const struct vv_remote_answer *a)
{
    char tag[VV_REMOTE_TAG_SIZE];
    vv_remote_upload_tag(u, tag);
    bool has_tag = strcmp(tag, a->mark.tag) == 0;
    if (strcmp(a->token, u->token) != 0 && (*a->token || !has_tag))
        return OTHERS;
    bool is_other = !u->id && !has_tag && vv_remote_is_sum(a);
    return is_other || (a->has_length && a->length != u->size) ? OURS_IN_NAME
                                                               : OURS;
}

static enum owner request_owner(const struct vv_remote_upload *u)
{
    struct vv_remote_change c = { .settings = u->settings,
        .path = u->path,
        .query = "",
        .method = VV_REMOTE_HEAD };
    int result = vv_remote_change(&c);
    free(c.text.at);
    return result == 0         ? judge(u, &c.answer)
           : result == -ENOENT ? NOBODYS
                               : NOBODY_KNOWS;
}

/* --- Publication ------------------------------------------------------------
 */

struct ending {
    struct vv_remote_upload *u;
    struct vv_remote_change change;
    bool is_new;
    bool has_conditions; /* the store supports conditions */
    bool was_cut;        /* an attempt may have been executed */
    bool is_unsure;      /* it may exist; the state is unknown */
    bool is_there;       /* it exists, with wrong content */
    char *order;
    char *query;
    char name[40]; /* error code of the store */
};

static int remote_publish_prepare(struct ending *e)
{
    struct vv_remote_upload *u = e->u;
    struct vv_remote_change *c = &e->change;
    *c = (struct vv_remote_change){ .settings = u->settings,
        .path = u->path,
        .query = "",
        .method = VV_REMOTE_PUT,
        .bytes = u->first.bytes,
        .size = u->first.size,
        .is_once = true,
        .token = u->token };
    if (!u->id)
        return 0;
    struct vv_remote_text query = { .at = NULL };
    vv_remote_add(&query, "?uploadId=");
    vv_remote_add_encoded(&query, u->id, true);
    e->query = vv_remote_take(&query);
    e->order = vv_remote_upload_order(u);
    if (!e->query || !e->order)
        return remote_publish_fail_memory();
    c->query = e->query;
    c->method = VV_REMOTE_POST;
    c->bytes = (const unsigned char *)e->order;
    c->size = strlen(e->order);
    c->token = NULL; /* was set when the upload was begun */
    return 0;
}

/* Checks the body of the response. It can begin with status 200 and contain an
 * error: the status was sent before the store had finished. */
static void check_order(struct vv_remote_change *c)
{
    const char *body = c->text.at ? c->text.at : "";
    if (c->verdict != VV_REMOTE_GOOD ||
        strstr(body, "<CompleteMultipartUploadResult"))
        return;
    struct vv_remote_answer as_said = c->answer;
    as_said.code = 500;
    c->verdict =
        vv_remote_refusal(&as_said, body, &c->number, c->why, sizeof c->why);
    c->is_unsure = true;
}

static void end_once(struct ending *e)
{
    struct vv_remote_change *c = &e->change;
    c->is_new = e->is_new && e->has_conditions && !e->is_there;
    vv_remote_change_once(c);
    if (c->method == VV_REMOTE_POST)
        check_order(c);
    else if (c->verdict == VV_REMOTE_GOOD &&
             !vv_remote_tag_fits(&c->answer, c->md5))
        vv_remote_change_find(c, VV_REMOTE_AGAIN, EIO,
            "the server returned a wrong ETag for the bytes that were sent");
    vv_remote_name_of_refusal(
        c->text.at ? c->text.at : "", e->name, sizeof e->name);
}

/* Returns true if the outcome is unknown, or if a retry may succeed. */
static bool is_open_question(const struct ending *e)
{
    const struct vv_remote_change *c = &e->change;
    return c->verdict == VV_REMOTE_AGAIN || c->is_unsure ||
           c->answer.code == 412 || c->answer.code == 409 ||
           strcmp(e->name, "NoSuchUpload") == 0;
}

static int fail_taken(struct ending *e)
{
    e->is_unsure = false;
    return vv_remote_fail(EEXIST, "the file already exists");
}

/* Examines the name, because the store does not support conditions. Another
 * process may create it afterwards. */
static int look_first(struct ending *e)
{
    enum owner whose = request_owner(e->u);
    e->has_conditions = false;
    return whose == OTHERS ? fail_taken(e) : -EAGAIN;
}

static const char found_other[] =
    "the file in the store differs from what was sent";

/* Determines the outcome from the current object, whatever the response was. */
static int settle_by_request(struct ending *e)
{
    struct vv_remote_change *c = &e->change;
    bool is_good = c->verdict == VV_REMOTE_GOOD;
    enum owner whose = request_owner(e->u);
    e->is_there = whose == OURS_IN_NAME;
    bool was_asked = e->was_cut || c->answer.code > 0; /* by a store */
    e->is_unsure = (whose == NOBODY_KNOWS && was_asked) ||
                   (whose == NOBODYS && is_good) ||
                   (whose == NOBODYS && e->was_cut &&
                       strcmp(e->name, "NoSuchUpload") == 0);
    if (whose == OURS || (is_good && whose == NOBODY_KNOWS))
        return 0;
    if (is_good && whose == OTHERS)
        return 0; /* written after ours */
    if (e->is_new && whose == OTHERS)
        return fail_taken(e);
    if (is_good)
        vv_remote_change_find(c, VV_REMOTE_AGAIN, EIO, found_other);
    return -EAGAIN;
}

/* Evaluates an attempt: returns 0 if the object is published, -EAGAIN to retry,
 * or a failure. */
static int remote_publish_settle(struct ending *e)
{
    const struct vv_remote_change *c = &e->change;
    bool is_good = c->verdict == VV_REMOTE_GOOD;
    e->was_cut |= c->is_unsure;
    if (is_good && c->method == VV_REMOTE_PUT)
        return 0;
    if (c->answer.code == 501 && c->is_new)
        return look_first(e);
    if (!is_good && !is_open_question(e) && !e->is_unsure)
        return e->is_there ? vv_remote_fail(EIO, "%s", found_other)
                           : vv_remote_change_fail(c, 1);
    return settle_by_request(e);
}

static int try_all(struct ending *e)
{
    const struct vv_remote_settings *settings = e->u->settings;
    for (unsigned failed = 0;;) {
        end_once(e);
        int result = remote_publish_settle(e);
        if (result != -EAGAIN)
            return result;
        if (++failed >= settings->attempts)
            return vv_remote_change_fail(&e->change, failed);
        vv_remote_wait(settings, &e->change.answer, failed, NULL);
    }
}

/* Removes our object if the store damaged it and it replaced nothing. */
static void remote_publish_take_back(const struct ending *e)
{
    if (e->is_there && e->is_new)
        vv_remote_remove(e->u->settings, e->u->path);
}

static int remote_publish_publish(struct vv_remote_upload *u, bool is_new)
{
    struct ending e = { .u = u, .is_new = is_new, .has_conditions = true };
    int result = vv_remote_upload_flush(u);
    if (!result)
        result = remote_publish_prepare(&e);
    if (!result)
        result = try_all(&e);
    if (result && e.is_unsure)
        result = vv_remote_fail(EINPROGRESS,
            "it is unknown whether the file was written: %s", e.change.why);
    else if (result)
        remote_publish_take_back(&e);
    free(e.change.text.at);
    free(e.order);
    free(e.query);
    return result;
}

int vv_remote_rename(const struct vv_remote_settings *settings,
    const char *from, const char *to, bool is_new)
{
    struct aside *a = remote_publish_find(from, NULL);
    (void)settings;
    if (!a)
        return vv_remote_fail(
            EOPNOTSUPP, "a file in a store cannot be renamed");
    int result = vv_remote_upload_call(a->upload, to);
    if (!result)
        result = remote_publish_publish(a->upload, is_new);
    if (!result)
        remote_publish_let_go(a, false);
    return result;
}

/* --- Removing ---------------------------------------------------------------
 */

int vv_remote_remove(
    const struct vv_remote_settings *settings, const char *path)
{
    struct aside *a = remote_publish_find(path, NULL);
    if (vv_remote_scheme_of(path) != VV_REMOTE_S3)
        return fail_web();
    if (a) {
        vv_remote_upload_abort(a->upload);
        remote_publish_let_go(a, false);
        return 0;
    }
    char *behind = path_behind(path);
    free(behind);
    if (behind)
        return -ENOENT;
    struct vv_remote_change c = { .settings = settings,
        .path = path,
        .query = "",
        .method = VV_REMOTE_DELETE };
    int result = vv_remote_change(&c);
    free(c.text.at);
    return result;
}
