/* test_bundle_objects.c - Tests encoding objects for TensorFlow checkpoints.
 *
 * test_bundle_target.c tests that whole graphs are encoded as by TensorFlow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_objects.h"

#include <string.h>

#include "support/test.h"
#include "bundle.h"
#include "drafts.h"
#include "hex.h"
#include "support/index_sample.h"
#include "support/test_context.h"

#define VALUE "/.ATTRIBUTES/VARIABLE_VALUE"

/* Node 0: a (1), "d.x/y" (2); node 1: w (3), back (0), state (4); a slot of 1
 * for 3 and one of the root (5, 6). */
static void build(struct drafted *t)
{
    draft_begin(t);
    uint32_t a = vv_draft_node(&t->d, VARVE_OBJECT);
    uint32_t d = vv_draft_node(&t->d, VARVE_OBJECT);
    uint32_t w = add_floats(t, 0), m = add_floats(t, 4), n = add_floats(t, 8);
    uint32_t state = vv_draft_node(&t->d, VARVE_STATE);
    vv_draft_state(&t->d, state, 3, &(struct vv_place){ 0 });
    add_edge(t, 0, "a", a);
    add_edge(t, 0, "d.x/y", d);
    add_edge(t, a, "w", w);
    add_edge(t, d, "w", w);
    add_edge(t, a, "back", 0);
    add_edge(t, a, "state", state);
    vv_draft_slot(&t->d, a, w, "m/n", 3, m);
    vv_draft_slot(&t->d, 0, w, "m", 1, n);
}

static bool leads(const struct drafted *t, const char *key, uint32_t node)
{
    struct vv_buffer scratch;
    vv_buffer_init(&scratch, test_allocator());
    bool result = vv_bundle_key_leads(
        &t->in.parsed.index, key, strlen(key), node, &scratch);
    vv_buffer_clear(&scratch);
    return result;
}

TEST(bundle_key, are_reachable_by_any_path_and_as_a_slot)
{
    static const struct {
        const char *key;
        uint32_t node;
        bool leads;
    } rows[] = {
        { "a/w" VALUE, 4, true },
        { "d..x.Sy/w" VALUE, 4, true },
        { "a/back/a/w" VALUE, 4, true },
        { "a/state/.ATTRIBUTES/py_state", 3, true },
        { "/.ATTRIBUTES/any", 0, true },
        { ".ATTRIBUTES/any", 0, true },
        { "a/.ATTRIBUTES/table-keys", 1, true },
        { "a/w/.OPTIMIZER_SLOT/a/m.Sn" VALUE, 6, true },
        { "d..x.Sy/w/.OPTIMIZER_SLOT/a/back/a/m.Sn" VALUE, 6, true },
        { "a/w/.OPTIMIZER_SLOT//m" VALUE, 5, true },
        { "a/w/.OPTIMIZER_SLOT/m" VALUE, 5, true },
        { "a/w" VALUE, 3, false },
        { "a/w", 4, false },
        { "a/v" VALUE, 4, false },
        { "a/w/w" VALUE, 4, false },
        { "a//w" VALUE, 4, false },
        { "d.x/w" VALUE, 4, false },
        { "a/w/.OPTIMIZER_SLOT/a/n" VALUE, 6, false },
        { "a/w/.OPTIMIZER_SLOT/w/m.Sn" VALUE, 6, false },
        { "a/w/.OPTIMIZER_SLOT/", 6, false },
        { "a/w/.OPTIMIZER_SLOT/a/m.Sn", 6, false },
        { "", 0, false },
        { ".", 0, false },
    };
    struct drafted t;
    varve_error error = { 0 };
    build(&t);
    cr_assert_ok(draft_end(&t, &error), error);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(leads(&t, rows[i].key, rows[i].node), rows[i].leads,
            "%s", rows[i].key);
    draft_free(&t);
}

/* That whole graphs are encoded as TensorFlow does it is in
 * test_bundle_target.c. */

/* The sample as a graph to be written. */
struct outgoing {
    struct sample sample;
    struct vv_index index;
    struct vv_context context;
    struct vv_saved_paths paths;
    struct vv_target target;
    struct vv_bundle_objects objects;
    struct vv_buffer text;
};

static void begin(struct outgoing *o, bool has_globals, uint64_t counter)
{
    varve_error error;
    sample_build(&o->sample);
    if (has_globals)
        sample_add_globals(&o->sample);
    o->index = sample_index(&o->sample);
    o->index.counter = counter;
    o->context = test_context(NULL);
    cr_assert_ok(vv_saved_paths_begin(&o->paths, &o->context.allocator,
        &o->index, 0, &error), error);
    o->target = (struct vv_target){ .context = &o->context, .path = "m",
        .index = &o->index, .paths = &o->paths };
    cr_assert_ok(
        vv_bundle_objects_begin(&o->objects, &o->target, &error), error);
    vv_buffer_init(&o->text, test_allocator());
}

static void end(struct outgoing *o)
{
    vv_buffer_clear(&o->text);
    vv_bundle_objects_end(&o->objects);
    vv_saved_paths_end(&o->paths);
    sample_clear(&o->sample);
}

static void check_key(struct outgoing *o, uint32_t node, const char *expected)
{
    vv_bundle_objects_key(&o->objects, node, &o->text);
    cr_assert_str_eq(vv_buffer_string(&o->text), expected);
}

TEST(bundle_objects, give_every_value_a_key)
{
    struct outgoing o;
    begin(&o, false, 0);
    check_key(&o, 0, "/.ATTRIBUTES/VARIABLE_VALUE");
    check_key(&o, 4, "rng/.ATTRIBUTES/py_state");
    check_key(&o, 6, "names/ke.Sy \xc3\xbc/.ATTRIBUTES/VARIABLE_VALUE");
    check_key(&o, 9, "model/layers/0/.ATTRIBUTES/VARIABLE_VALUE");
    check_key(&o, 12, "model/layers/0/.OPTIMIZER_SLOT/opt/slots/"
                      ".ATTRIBUTES/VARIABLE_VALUE");
    end(&o);
}

TEST(bundle_objects, name_a_value_by_its_global_name_or_its_path)
{
    struct outgoing o;
    begin(&o, false, 0);
    vv_bundle_full_name(&o.target, 6, &o.text);
    cr_assert_str_eq(vv_buffer_string(&o.text), "names/ke/y \xc3\xbc");
    vv_bundle_full_name(&o.target, 12, &o.text);
    cr_assert_str_eq(vv_buffer_string(&o.text), "opt/slots(model/layers/0)");
    end(&o);
    begin(&o, true, 0);
    uint32_t node = vv_at32(o.index.global_nodes, 1);
    uint32_t name = vv_at32(o.index.global_names, 1);
    size_t size;
    const char *global = vv_index_name(&o.index, name, &size);
    vv_bundle_full_name(&o.target, node, &o.text);
    cr_assert_eq(o.text.size, size);
    cr_assert_arr_eq(o.text.data, global, size);
    end(&o);
}

/* Variable 13 has no value, and there is none below it. */
TEST(bundle_objects, record_objects_with_values_below_them)
{
    struct outgoing o;
    begin(&o, false, 0);
    for (uint32_t i = 0; i < o.index.node_count; i++)
        cr_assert_eq(o.objects.roles.has_values[i], i != 13, "%u", i);
    end(&o);
}

static bool has(const struct vv_buffer *b, const char *hex)
{
    size_t size;
    unsigned char *bytes = hex_bytes(hex, &size);
    bool found = false;
    for (size_t at = 0; at + size <= b->size && !found; at++)
        found = memcmp(b->data + at, bytes, size) == 0;
    free(bytes);
    return found;
}

/* Slots of "opt", as hexadecimal digits: m and slots of one variable, m of
 * another, which has no value. */
TEST(bundle_objects, are_numbered_without_a_counter)
{
    struct outgoing o;
    varve_error error;
    begin(&o, false, 0);
    cr_assert_eq(o.objects.roles.counter, VV_NONE);
    cr_assert_ok(
        vv_bundle_objects_encode(&o.objects, &o.text, &error), error);
    cr_assert(has(&o.text, "0a09 0804 1203726e67") == false);
    cr_assert(has(&o.text, "0a07 0804 1203726e67"));
    cr_assert(has(&o.text, "1a07 0809 12016d 180b"));
    cr_assert(has(&o.text, "1a0b 0809 1205736c6f7473 180c"));
    cr_assert(!has(&o.text, "1a07 080a 12016d 180d"));
    cr_assert(!has(&o.text, "736176655f636f756e746572"));
    end(&o);
}

TEST(bundle_objects, place_the_counter_after_the_children_of_the_root)
{
    struct outgoing o;
    varve_error error;
    begin(&o, false, 7);
    cr_assert_eq(o.objects.roles.counter, 5);
    cr_assert_ok(
        vv_bundle_objects_encode(&o.objects, &o.text, &error), error);
    cr_assert(has(&o.text, "0a07 0804 1203726e67"));
    cr_assert(has(&o.text, "0a10 0805 120c 736176655f636f756e746572 2a020801"));
    cr_assert(has(&o.text, "1a07 080a 12016d 180c"));
    cr_assert(!has(&o.text, "1a07 080b 12016d 180e"));
    end(&o);
}

TEST(bundle_objects, report_failed_allocations)
{
    struct outgoing o;
    struct vv_bundle_objects objects;
    varve_error error;
    begin(&o, true, 7);
    cr_assert_ok(
        vv_bundle_objects_encode(&o.objects, &o.text, &error), error);
    for (long n = 0;; n++) {
        struct vv_buffer bytes;
        vv_buffer_init(&bytes, test_allocator());
        test_fail_allocation(n, false);
        varve_status status =
            vv_bundle_objects_begin(&objects, &o.target, &error);
        if (!status)
            status = vv_bundle_objects_encode(&objects, &bytes, &error);
        long tried = test_allocation_count();
        test_fail_allocation(-1, false);
        cr_assert_eq(status, tried > n ? VARVE_NO_MEMORY : VARVE_OK);
        bool is_same = bytes.size == o.text.size &&
                       memcmp(bytes.data, o.text.data, bytes.size) == 0;
        vv_bundle_objects_end(&objects);
        vv_buffer_clear(&bytes);
        if (!status) {
            cr_assert(is_same);
            break;
        }
    }
    end(&o);
}
