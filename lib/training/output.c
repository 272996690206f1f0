/* output.c - Saves the length of an output file, and a digest of the end of its
 * text, as a state.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/output.h>

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "checksum.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "output_file.h"
#include "state.h"
#include "system.h"
#include "try.h"

/* Size of a state: the length, then a digest of up to MOST_READ bytes before
 * it. The digest is missing if the file could not be read, and in older
 * checkpoints. */
enum {
    LENGTH_SIZE = 8,
    STATE_SIZE = LENGTH_SIZE + sizeof(struct vv_digest),
    MOST_READ = 4096
};

#define FILE_TEXT "the output file" /* in messages of failed calls */

struct output {
    struct vv_state_guard guard; /* must be the first member */
    const struct vv_system *system;
    FILE *stream; /* NULL if it is a descriptor */
    int descriptor;
    bool owns_descriptor;
    varve_output_callbacks callbacks;
    void *self;
    /* number of bytes in the file when it was added, saved or truncated last;
     * later bytes are new */
    uint64_t known;
    int sync_error;          /* errno of a failed sync, or 0 */
    uint64_t device, serial; /* of the file when it was added */
    /* ring of the outputs of the same file in the graph; NULL: not in the
     * graph */
    struct output *next;
};

/* --- Length ----------------------------------------------------------------
 */

static varve_status output_flush(struct output *o, varve_error *error)
{
    varve_status status =
        o->callbacks.flush ? o->callbacks.flush(o->self) : VARVE_OK;
    if (status)
        return vv_fail(error, vv_status_of_callback(status),
            "its flush callback failed with %s", varve_status_name(status));
    if (!o->stream)
        return VARVE_OK;
    if (vv_output_stream_has_failed(o->stream))
        return vv_fail(error, VARVE_IO,
            "the stream has its error flag set (ferror): a write failed, and "
            "its text may be lost");
    int result = vv_output_stream_flush(o->stream);
    return result < 0 ? vv_fail_system(error, -result, "fflush", FILE_TEXT)
                      : VARVE_OK;
}

static varve_status find_info(
    const struct output *o, struct vv_file_info *info, varve_error *error)
{
    int result = o->system->info(o->system->state, o->descriptor, info);
    return result < 0 ? vv_fail_system(error, -result, "fstat", FILE_TEXT)
                      : VARVE_OK;
}

/* Sets *length to the size of the file after a flush. */
static varve_status find_length(
    struct output *o, uint64_t *length, varve_error *error)
{
    struct vv_file_info info;
    VV_TRY(output_flush(o, error));
    VV_TRY(find_info(o, &info, error));
    if (info.kind != VV_REGULAR_FILE)
        return vv_fail(error, VARVE_MISUSE,
            "not a regular file: a pipe, terminal or device cannot be "
            "truncated");
    if (info.device != o->device || info.serial != o->serial)
        return vv_fail(error, VARVE_MISUSE,
            "the descriptor refers to another file than when the output was "
            "added: remove the output and add it again");
    *length = info.size;
    return VARVE_OK;
}

/* --- As a state ------------------------------------------------------------
 */

static void output_leave(struct output *o)
{
    struct output *before = o;
    while (before->next && before->next != o)
        before = before->next;
    before->next = o->next;
}

static void output_release(
    struct vv_state_guard *guard, const varve_allocator *allocator)
{
    struct output *o = (struct output *)guard;
    output_leave(o);
    if (o->owns_descriptor)
        vv_output_close(o->descriptor);
    vv_release(allocator, guard, sizeof *o);
}

static struct output *output_of(const varve_node *node)
{
    const struct vv_node_state *state = vv_state_of(node);
    return state && state->guard && state->guard->release == output_release
               ? (struct output *)state->guard
               : NULL;
}

/* Adds the output to the ring of its file. */
static void output_join(struct output *o, const varve_graph *graph)
{
    o->next = o;
    for (const varve_node *n = vv_newest_node(graph); n; n = vv_older_node(n)) {
        struct output *other = output_of(n);
        if (other && other->device == o->device && other->serial == o->serial) {
            o->next = other->next;
            other->next = o;
            return;
        }
    }
}

/* Flushes the other outputs of the file. All lengths that a save records for
 * one file must be equal, because a restoration truncates the file for each of
 * them. */
static varve_status flush_others(struct output *o, varve_error *error)
{
    for (struct output *other = o->next; other != o; other = other->next)
        VV_TRY(output_flush(other, error));
    return VARVE_OK;
}

static varve_status output_look(
    struct output *o, uint64_t *length, varve_error *error)
{
    VV_TRY(flush_others(o, error));
    VV_TRY(find_length(o, length, error));
    int is_at_end = vv_output_is_at_end(o->descriptor, *length);
    if (is_at_end < 0)
        return vv_fail_system(error, -is_at_end, "lseek", FILE_TEXT);
    if (!is_at_end)
        return vv_fail(error, VARVE_MISUSE,
            "the output is written before byte %" PRIu64
            ", not at its end: open the file for appending (\"a\", O_APPEND)",
            *length);
    o->known = *length;
    return VARVE_OK;
}

/* Computes the digest of the bytes before an offset; sets *is_known to false if
 * the file cannot be read. */
static varve_status find_digest(const struct output *o, uint64_t end,
    struct vv_digest *digest, bool *is_known, varve_error *error)
{
    unsigned char bytes[MOST_READ];
    size_t size = end < MOST_READ ? (size_t)end : MOST_READ;
    int result = vv_output_read(o->descriptor, end - size, bytes, size);
    if (result < 0)
        return vv_fail_system(error, -result, "pread", FILE_TEXT);
    *is_known = result > 0;
    if (*is_known)
        *digest = vv_digest_of(bytes, size);
    return VARVE_OK;
}

static varve_status output_save(void *self, varve_sink *sink)
{
    struct output *o = self;
    unsigned char bytes[LENGTH_SIZE];
    struct vv_digest digest;
    uint64_t length = 0;
    bool is_known = false;
    o->guard.failure.status = VARVE_OK;
    VV_TRY(output_look(o, &length, &o->guard.failure));
    VV_TRY(find_digest(o, length, &digest, &is_known, &o->guard.failure));
    vv_store64(bytes, length);
    varve_put(sink, bytes, sizeof bytes);
    if (is_known)
        varve_put(sink, digest.bytes, sizeof digest.bytes);
    return VARVE_OK;
}

/* Checks that the file still contains the text before the length. Otherwise
 * another file has replaced it, which must not be truncated. */
static varve_status check_text(const struct output *o, uint64_t length,
    const unsigned char *recorded, varve_error *error)
{
    struct vv_digest digest;
    bool is_known = false;
    VV_TRY(find_digest(o, length, &digest, &is_known, error));
    if (!is_known || memcmp(digest.bytes, recorded, sizeof digest.bytes) == 0)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISMATCH,
        "the first %" PRIu64
        " bytes of the output file differ from the recorded text: the file was "
        "rotated, replaced or edited; restore the file that the earlier run "
        "wrote, or exclude the output from the restore with `except`",
        length);
}

static varve_status check_length(
    struct output *o, const void *bytes, size_t size, varve_error *error)
{
    uint64_t there = 0;
    if (size != LENGTH_SIZE && size != STATE_SIZE)
        return vv_fail(error, VARVE_MISMATCH,
            "the saved length of an output must have 8 or 24 bytes, found %zu "
            "bytes",
            size);
    VV_TRY(find_length(o, &there, error));
    uint64_t length = vv_load64(bytes);
    if (there > o->known)
        there = o->known;
    if (length > there)
        return vv_fail(error, VARVE_MISMATCH,
            "the output file is too short: %" PRIu64
            " bytes were recorded, found %" PRIu64
            ": open the file that the earlier run wrote, for appending (\"a\"; "
            "\"w\" empties it)",
            length, there);
    if (size == STATE_SIZE)
        return check_text(
            o, length, (const unsigned char *)bytes + LENGTH_SIZE, error);
    return VARVE_OK;
}

static varve_status output_check(struct vv_state_guard *guard,
    const char *where, const void *bytes, size_t size, varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status =
        check_length((struct output *)guard, bytes, size, &reason);
    return status ? vv_fail_because(error, &reason, "%s", where) : VARVE_OK;
}

static varve_status output_cut(
    struct output *o, uint64_t length, varve_error *error)
{
    VV_TRY(output_flush(o, error));
    int result = vv_output_cut(o->descriptor, length);
    if (result < 0)
        return vv_fail_system(error, -result, "ftruncate", FILE_TEXT);
    o->known = length;
    if (o->stream)
        result = vv_output_stream_seek(o->stream, length);
    if (result < 0)
        return vv_fail_system(error, -result, "fseeko", FILE_TEXT);
    varve_status status =
        o->callbacks.seek ? o->callbacks.seek(o->self, length) : VARVE_OK;
    if (status)
        return vv_fail(error, vv_status_of_callback(status),
            "its seek callback failed with %s after the file was truncated "
            "to %" PRIu64 " bytes",
            varve_status_name(status), length);
    return VARVE_OK;
}

static varve_status output_load(void *self, const void *bytes, size_t size)
{
    struct output *o = self;
    o->guard.failure.status = VARVE_OK;
    VV_TRY(check_length(o, bytes, size, &o->guard.failure));
    return output_cut(o, vv_load64(bytes), &o->guard.failure);
}

/* Syncs the file. A failed sync is not repeated: the system may have dropped
 * the data, and would report success. */
static varve_status output_sync_file(
    struct vv_state_guard *guard, const char *where, varve_error *error)
{
    struct output *o = (struct output *)guard;
    varve_error reason = { 0 };
    if (!o->sync_error) {
        int result = o->system->sync(o->system->state, o->descriptor);
        o->sync_error = result < 0 ? -result : 0;
    }
    if (!o->sync_error)
        return VARVE_OK;
    vv_fail_system(&reason, o->sync_error, "fsync", FILE_TEXT);
    return vv_fail_because(error, &reason, "%s", where);
}

/* --- Adding ----------------------------------------------------------------
 */

static varve_status look_at_new(struct output *o, varve_error *error)
{
    struct vv_file_info info;
    int is_writable = vv_output_is_writable(o->descriptor);
    if (is_writable < 0)
        return vv_fail_system(error, -is_writable, "fcntl", FILE_TEXT);
    if (!is_writable)
        return vv_fail(error, VARVE_MISUSE, "the file is not open for writing");
    VV_TRY(find_info(o, &info, error));
    o->device = info.device;
    o->serial = info.serial;
    return find_length(o, &o->known, error);
}

static varve_node *output_add(
    varve_node *parent, const char *name, const struct output *wanted)
{
    static const varve_state_callbacks callbacks = { output_save, output_load };
    varve_graph *graph = parent->graph;
    const varve_allocator *a = &graph->context.allocator;
    struct output *o = vv_allocate(a, sizeof *o);
    if (!o) {
        if (wanted->owns_descriptor)
            vv_output_close(wanted->descriptor);
        return vv_graph_memory_error(graph);
    }
    *o = *wanted;
    o->guard = (struct vv_state_guard){ .check = output_check,
        .sync = output_sync_file,
        .release = output_release };
    o->system = graph->context.system;
    varve_error error = { 0 };
    varve_status status = look_at_new(o, &error);
    varve_node *node = status ? vv_graph_error(graph, status, "%s: %s",
                                    name ? name : "list element", error.message)
                              : vv_state_new(graph, &callbacks, o);
    if (vv_is_nil(node)) {
        output_release(&o->guard, a);
        return node;
    }
    output_join(o, graph);
    vv_state_of(node)->guard = &o->guard;
    node->value_state = VARVE_INITIALIZED;
    return vv_edge_attach(parent, name, node);
}

static varve_node *output_refuse(
    varve_node *parent, const char *name, const char *wanted)
{
    return vv_graph_error(parent->graph, VARVE_MISUSE, "%s: %s is NULL",
        name ? name : "list element", wanted);
}

varve_node *varve_add_output(varve_node *parent, const char *name, FILE *file)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    if (!file)
        return output_refuse(parent, name, "stream");
    int descriptor = vv_output_stream_descriptor(file);
    if (descriptor < 0)
        return vv_graph_error(parent->graph, VARVE_MISUSE,
            "%s: the stream has no file descriptor",
            name ? name : "list element");
    return output_add(parent, name,
        &(struct output){ .stream = file, .descriptor = descriptor });
}

varve_node *varve_add_output_descriptor(
    varve_node *parent, const char *name, int descriptor)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    return output_add(
        parent, name, &(struct output){ .descriptor = descriptor });
}

varve_node *varve_add_buffered_output(varve_node *parent, const char *name,
    int descriptor, const varve_output_callbacks *callbacks, void *self)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    if (!callbacks || !callbacks->flush)
        return output_refuse(parent, name, "the flush callback");
    return output_add(parent, name,
        &(struct output){
            .descriptor = descriptor, .callbacks = *callbacks, .self = self });
}

varve_node *varve_add_output_path(varve_node *parent, const char *name,
    const char *path, const varve_output_callbacks *callbacks, void *self)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    if (!path)
        return output_refuse(parent, name, "path");
    if (!callbacks || !callbacks->flush)
        return output_refuse(parent, name, "the flush callback");
    if (!callbacks->seek)
        return output_refuse(parent, name, "the seek callback");
    int descriptor = vv_output_open(path);
    if (descriptor < 0) {
        varve_error error = { 0 };
        vv_fail_system(&error, -descriptor, "open", path);
        return vv_graph_error(parent->graph, error.status, "%s: %s",
            name ? name : "list element", error.message);
    }
    return output_add(parent, name,
        &(struct output){ .descriptor = descriptor,
            .owns_descriptor = true,
            .callbacks = *callbacks,
            .self = self });
}
