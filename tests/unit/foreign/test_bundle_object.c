/* test_bundle_object.c - Tests parsing the nodes of an object graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "bundle.h"
#include "bundle_object.h"
#include "support/test_context.h"
#include "wire.h"

static varve_error error;

/* Returns a graph of one object with the fields in `bytes`. */
static struct vv_object_graph graph_of(struct vv_bundle *bundle,
    struct vv_object *object, const struct vv_buffer *bytes)
{
    *bundle = (struct vv_bundle){ .path = "file" };
    *object = (struct vv_object){ .size = (uint32_t)bytes->size };
    error = (varve_error){ 0 };
    return (struct vv_object_graph){ .bundle = bundle,
        .bytes = bytes->data,
        .size = bytes->size,
        .objects = object,
        .count = 1,
        .error = &error };
}

static void add_child(struct vv_buffer *b, uint64_t node, const char *name)
{
    size_t begin = vv_wire_begin(b, VV_OBJECT_CHILD);
    vv_wire_number(b, VV_CHILD_NODE, node);
    vv_wire_bytes(b, VV_CHILD_NAME, name, strlen(name));
    vv_wire_end(b, begin);
}

static void add_attribute(struct vv_buffer *b, const char *name)
{
    size_t begin = vv_wire_begin(b, VV_OBJECT_ATTRIBUTE);
    vv_wire_bytes(b, VV_ATTRIBUTE_NAME, name, strlen(name));
    vv_wire_bytes(b, VV_ATTRIBUTE_KEY, "key", 3);
    vv_wire_end(b, begin);
}

static varve_status count_names(struct vv_object_graph *graph, uint32_t object,
    const struct vv_child *child, void *user)
{
    cr_assert(graph->count == 1 && object == 0 && child->object == 0);
    *(size_t *)user += child->size;
    return child->size > 3 ? VARVE_CANCELLED : VARVE_OK;
}

TEST(bundle_object, visits_children_until_it_is_stopped)
{
    struct vv_bundle bundle;
    struct vv_object object;
    struct vv_buffer bytes;
    size_t sizes = 0;
    vv_buffer_init(&bytes, test_allocator());
    add_child(&bytes, 0, "a");
    add_child(&bytes, 0, "long");
    add_child(&bytes, 0, "not reached");
    struct vv_object_graph graph = graph_of(&bundle, &object, &bytes);
    cr_assert_eq(
        vv_object_children(&graph, 0, count_names, &sizes), VARVE_CANCELLED);
    cr_assert_eq(sizes, 5);
    bytes.size = 0;
    add_child(&bytes, 1, "a");
    graph = graph_of(&bundle, &object, &bytes);
    cr_assert_eq(
        vv_object_children(&graph, 0, count_names, &sizes), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "to a node that does not exist"));
    vv_buffer_clear(&bytes);
}

TEST(bundle_object, counts_attributes_that_determine_the_kind_of_a_node)
{
    struct vv_bundle bundle;
    struct vv_object object;
    struct vv_buffer bytes;
    struct vv_attribute last;
    uint32_t attributes, others;
    struct vv_bundle_entry entry = {
        .key = "key", .key_size = 3, .dtype = VARVE_STRING
    };
    vv_buffer_init(&bytes, test_allocator());
    add_attribute(&bytes, "py_state");
    add_attribute(&bytes, "OBJECT_CONFIG_JSON");
    add_child(&bytes, 0, "a");
    struct vv_object_graph graph = graph_of(&bundle, &object, &bytes);
    bundle.entries = &entry;
    bundle.entry_count = 1;
    cr_assert_ok(
        vv_object_count(&graph, 0, &attributes, &others, &last), error);
    cr_assert(attributes == 1 && others == 1);
    cr_assert_eq(last.entry, &entry);
    cr_assert(vv_attribute_is_bytes(&last) && !vv_attribute_is_variable(&last));
    cr_assert_eq(vv_attribute_kind(&last), VARVE_STATE);
    vv_buffer_clear(&bytes);
}
