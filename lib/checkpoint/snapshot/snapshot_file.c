/* snapshot_file.c - Writes a snapshot as a checkpoint, and reads one.
 *
 * Both use a replica of the graph whose variables point to the memory of the
 * snapshot. So the format and the rules for restoring are the same as for any
 * graph. Values are read into a second block, which replaces the first one
 * after everything has succeeded.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/snapshot.h>

#include <string.h>

#include <varve/restoration.h>

#include "allocator.h"
#include "background.h"
#include "carried.h"
#include "failure.h"
#include "item_copy.h"
#include "memory_table.h"
#include "read.h"
#include "replica.h"
#include "snapshot.h"
#include "state.h"
#include "try.h"
#include "variable.h"
#include "write.h"
#include "write_options.h"

/* A value of the replica, by place in the walk. */
struct stand_in {
    struct vv_item *item;   /* NULL: not part of the snapshot */
    const varve_node *node; /* the node of the program */
    struct vv_buffer bytes; /* bytes of a state or strings that were read;
                               for a variable that is not part of the
                               snapshot, a buffer to read into */
    bool is_read;
};

struct shadow {
    struct varve_snapshot *snapshot;
    const varve_allocator *allocator;
    struct vv_walk walk;
    struct stand_in *stand_ins;
    bool is_reading;
    unsigned char *block; /* the second block, laid out as that of the
                             snapshot */
    varve_graph *graph;
    struct vv_replica replica;
};

/* --- Where values lie --------------------------------------------------- */

static struct stand_in *stand_in_of(
    const struct shadow *s, const varve_node *node)
{
    return &s->stand_ins[vv_walk_place(&s->walk, node)];
}

static void snapshot_file_place(
    void *user, const varve_node *node, varve_tensor *view)
{
    const struct shadow *s = user;
    const struct vv_item *item = stand_in_of(s, node)->item;
    if (!item && s->is_reading) {
        view->data = stand_in_of(s, node)->bytes.data;
    } else if (!item) {
        view->data = node->variable->tensor.data;
        view->memory = node->variable->tensor.memory;
    } else if (!s->is_reading || !item->copy) {
        view->data = item->copy;
    } else {
        view->data =
            s->block + ((unsigned char *)item->copy - s->snapshot->block);
    }
}

static void *snapshot_file_state_of(void *user, const varve_node *node)
{
    const struct shadow *s = user;
    return stand_in_of(s, node);
}

static varve_status snapshot_file_save_state(void *self, varve_sink *sink)
{
    const struct stand_in *stand_in = self;
    if (stand_in->item) {
        varve_put(sink, stand_in->item->bytes.data, stand_in->item->bytes.size);
        return VARVE_OK;
    }
    const struct vv_node_state *state = vv_state_of(stand_in->node);
    return state->callbacks.save(state->self, sink);
}

/* Also called with the previous bytes if the restoration is undone. */
static varve_status load_state(void *self, const void *bytes, size_t size)
{
    struct stand_in *stand_in = self;
    stand_in->bytes.size = 0;
    stand_in->bytes.failed = false;
    if (size)
        vv_buffer_add(&stand_in->bytes, bytes, size);
    stand_in->is_read = true;
    return stand_in->bytes.failed ? VARVE_NO_MEMORY : VARVE_OK;
}

/* --- The replica -------------------------------------------------------- */

/* Values that are not part of the snapshot are read as well, and dropped. */
static bool make_stand_in(
    const struct shadow *s, struct stand_in *stand_in, const varve_node *node)
{
    stand_in->node = node;
    if (!s->is_reading || stand_in->item || !node->variable)
        return true;
    const varve_tensor *tensor = &node->variable->tensor;
    size_t size = (size_t)varve_tensor_size(tensor);
    if (!vv_needs_copy_in(tensor)) {
        if (size)
            vv_buffer_add(&stand_in->bytes, tensor->data, size);
    } else {
        void *room = vv_buffer_extend(&stand_in->bytes, size);
        if (room)
            memset(room, 0, size);
    }
    return !stand_in->bytes.failed;
}

static varve_status make_stand_ins(struct shadow *s, varve_error *error)
{
    s->stand_ins =
        vv_allocate_zeroed(s->allocator, s->walk.count * sizeof *s->stand_ins);
    if (!s->stand_ins)
        return vv_fail_memory(error, "a copy of a graph");
    for (size_t i = 0; i < s->walk.count; i++)
        vv_buffer_init(&s->stand_ins[i].bytes, s->allocator);
    for (size_t i = 0; i < s->snapshot->count; i++) {
        struct vv_item *item = &s->snapshot->items[i];
        stand_in_of(s, item->node)->item = item;
    }
    for (size_t i = 0; i < s->walk.count; i++)
        if (!make_stand_in(s, &s->stand_ins[i], s->walk.steps[i].node))
            return vv_fail_memory(error, "a copy of a graph");
    return VARVE_OK;
}

static varve_status snapshot_file_make_graph(
    struct shadow *s, varve_error *error)
{
    const struct vv_replica_values values = {
        .place = snapshot_file_place,
        .callbacks = { .save = snapshot_file_save_state, .load = load_state },
        .state = snapshot_file_state_of,
        .user = s,
    };
    s->graph = vv_graph_new_in(&s->snapshot->context);
    VV_TRY(varve_graph_check(s->graph, error));
    return vv_replica_make(&s->replica, s->graph, &s->walk, &values, error);
}

static varve_status snapshot_file_begin(struct shadow *s,
    struct varve_snapshot *snapshot, bool is_reading, varve_error *error)
{
    *s = (struct shadow){
        .snapshot = snapshot,
        .allocator = &snapshot->context.allocator,
        .is_reading = is_reading,
    };
    VV_TRY(vv_snapshot_check(snapshot, error));
    VV_TRY(vv_walk_begin(&s->walk, snapshot->root, error));
    vv_snapshot_point(snapshot);
    varve_status status = make_stand_ins(s, error);
    /* A file is read into a second block, so that a failure leaves the snapshot
     * unchanged. */
    if (!status && is_reading && snapshot->block_size) {
        s->block = vv_allocate_value(s->allocator, snapshot->block_size);
        if (!s->block)
            status = vv_fail_memory(error, "a second snapshot");
        else
            memcpy(s->block, snapshot->block, snapshot->block_size);
    }
    return status ? status : snapshot_file_make_graph(s, error);
}

static void snapshot_file_end(struct shadow *s)
{
    if (s->replica.nodes)
        vv_replica_clear(&s->replica);
    varve_graph_free(s->graph);
    for (size_t i = 0; s->stand_ins && i < s->walk.count; i++)
        vv_buffer_clear(&s->stand_ins[i].bytes);
    vv_release(
        s->allocator, s->stand_ins, s->walk.count * sizeof *s->stand_ins);
    if (s->block)
        vv_release_value(s->allocator, s->block, s->snapshot->block_size);
    if (s->walk.steps)
        vv_walk_end(&s->walk);
}

/* --- Writing ------------------------------------------------------------ */

/* Refuses options for dirty values. The replica does not track changes. */
static varve_status snapshot_file_check_options(
    const varve_write_options *options, varve_error *error)
{
    VV_TRY(vv_write_options_check(options, error));
    const varve_increment_options none = { 0 };
    const varve_increment_options *o = options ? &options->increment : &none;
    const char *name = o->only_dirty ? "increment.only_dirty"
                       : o->track    ? "increment.track"
                                     : NULL;
    return name ? vv_fail(error, VARVE_MISUSE,
                      "varve_snapshot_write: `%s` must be false: all values of "
                      "a snapshot are written",
                      name)
                : VARVE_OK;
}

/* Returns the copy of a node of the program, or NULL if the snapshot does not
 * have it. */
static varve_node *twin(const void *user, varve_node *node)
{
    const struct shadow *s = user;
    return vv_walk_has(&s->walk, node)
               ? s->replica.nodes[vv_walk_place(&s->walk, node)]
               : NULL;
}

static varve_status snapshot_file_check_waiting(
    const struct vv_carried *carried, varve_node *root,
    varve_pending_policy policy, varve_error *error)
{
    struct vv_walk walk;
    VV_TRY(vv_walk_begin(&walk, root, error));
    varve_status status = vv_carried_check(carried, &walk, policy, error);
    vv_walk_end(&walk);
    return status;
}

/* Writes the snapshot with pending values. The replica has no restorations, so
 * the pending values of the program are added to it. */
static varve_status write_with_waiting(struct shadow *s, const char *path,
    const varve_write_options *options, uint64_t counter, varve_error *error)
{
    varve_node *root = s->replica.nodes[0];
    const struct vv_save_request request = {
        .root = root, .target = path, .options = options, .counter = counter
    };
    varve_pending_policy policy =
        options ? options->pending : VARVE_PENDING_CARRY;
    if (policy == VARVE_PENDING_OMIT)
        return vv_save_now(&request, error);
    struct vv_carried *carried = vv_carried_new(s->graph);
    if (!carried)
        return vv_fail_memory(error, "pending values");
    carried->twin = twin;
    carried->twin_user = s;
    varve_status status = vv_carry(carried, s->snapshot->graph, error);
    if (!status)
        status = snapshot_file_check_waiting(carried, root, policy, error);
    if (!status)
        status = vv_save_now(&request, error);
    if (status && carried->failure.status && error)
        *error = carried->failure;
    vv_carried_free(carried);
    return status;
}

varve_status varve_snapshot_write(varve_snapshot *snapshot, const char *path,
    const varve_write_options *options, varve_error *error)
{
    struct shadow s;
    if (!snapshot)
        return vv_fail_none(error, "snapshot", "varve_snapshot_new");
    VV_TRY(snapshot_file_check_options(options, error));
    bool keeps = options && options->keep_counter;
    varve_status status = snapshot_file_begin(&s, snapshot, false, error);
    if (!status)
        status = vv_background_settle(snapshot->graph, error);
    if (!status && !(options && options->no_sync))
        status = vv_items_sync_states(snapshot, error);
    if (!status)
        status = write_with_waiting(
            &s, path, options, keeps ? snapshot->counter : 0, error);
    snapshot_file_end(&s);
    return status;
}

/* --- Reading ------------------------------------------------------------ */

/* Collects the strings that were read, before the snapshot changes. */
static varve_status snapshot_file_reserve(struct shadow *s, varve_error *error)
{
    for (size_t i = 0; i < s->walk.count; i++) {
        struct stand_in *stand_in = &s->stand_ins[i];
        const varve_node *made = s->replica.nodes[i];
        if (!stand_in->item || !made->variable ||
            made->variable->tensor.dtype != VARVE_STRING)
            continue;
        const varve_string *strings = made->variable->tensor.data;
        uint64_t count = varve_tensor_count(&made->variable->tensor);
        for (uint64_t k = 0; k < count; k++)
            if (strings[k].size)
                vv_buffer_add(
                    &stand_in->bytes, strings[k].data, (size_t)strings[k].size);
        stand_in->is_read = true;
        if (stand_in->bytes.failed)
            return vv_fail_memory(error, "strings of a snapshot");
    }
    return VARVE_OK;
}

static void snapshot_file_take_over(struct shadow *s)
{
    vv_tracking_forget(s->snapshot);
    if (s->block)
        memcpy(s->snapshot->block, s->block, s->snapshot->block_size);
    for (size_t i = 0; i < s->walk.count; i++) {
        struct stand_in *stand_in = &s->stand_ins[i];
        if (stand_in->item && stand_in->is_read)
            vv_buffer_swap(&stand_in->item->bytes, &stand_in->bytes);
    }
}

static varve_status read_into(struct shadow *s, const char *path,
    const varve_read_options *options, varve_error *error)
{
    varve_read_options whole = options ? *options : (varve_read_options){ 0 };
    VV_TRY(vv_check_unrestored(options, "varve_snapshot_read", true, error));
    if (whole.passes == VARVE_PASSES_AUTO) /* the copy cannot be left
                                              partially restored */
        whole.passes = VARVE_TWO_PASSES;
    varve_restoration *r = varve_read(s->replica.nodes[0], path, &whole, error);
    if (!r)
        return error->status;
    varve_restoration_free(r);
    VV_TRY(snapshot_file_reserve(s, error));
    snapshot_file_take_over(s);
    return VARVE_OK;
}

varve_status varve_snapshot_read(varve_snapshot *snapshot, const char *path,
    const varve_read_options *options, varve_error *error)
{
    struct shadow s;
    varve_error reason = { 0 };
    if (!snapshot)
        return vv_fail_none(error, "snapshot", "varve_snapshot_new");
    varve_status status = snapshot_file_begin(&s, snapshot, true, &reason);
    if (!status)
        status = read_into(&s, path, options, &reason);
    snapshot_file_end(&s);
    if (status && error)
        *error = reason;
    return status;
}
