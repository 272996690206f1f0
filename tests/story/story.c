/* story.c - Contains helpers that most stories use.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

varve_graph *story_graph(void)
{
    return varve_graph_new(test_allocator());
}

/* Returns the parent of the node at a path, creating objects as needed, and its
 * name. */
static varve_node *parent_of(
    varve_node *root, const char *path, const char **last)
{
    char name[256];
    const char *slash;
    while ((slash = strchr(path, '/'))) {
        size_t size = (size_t)(slash - path);
        memcpy(name, path, size);
        name[size] = '\0';
        varve_node *child = varve_find(root, name);
        root = child ? child : varve_add_object(root, name);
        path = slash + 1;
    }
    *last = path;
    return root;
}

varve_node *story_add(varve_node *root, const char *path, float *value)
{
    const char *name;
    varve_node *parent = parent_of(root, path, &name);
    return varve_add_variable(parent, name, varve_scalar(value));
}

varve_node *story_object(varve_node *root, const char *path)
{
    const char *name;
    varve_node *parent = parent_of(root, path, &name);
    varve_node *child = varve_find(parent, name);
    return child ? child : varve_add_object(parent, name);
}

void story_file(const char *name, const struct story_value *values)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float held[64];
    for (size_t i = 0; values[i].path; i++) {
        held[i] = values[i].value;
        story_add(root, values[i].path, &held[i]);
    }
    story_write(root, name);
    varve_graph_free(graph);
}

void story_write(varve_node *root, const char *name)
{
    varve_error error;
    varve_write_options options = { .no_sync = true };
    cr_assert_ok(
        varve_write(root, test_path(name), &options, &error), error);
}

varve_restoration *story_read(
    varve_node *root, const char *name, const varve_read_options *options)
{
    varve_error error = { .message = "" };
    varve_restoration *r = varve_read(root, test_path(name), options, &error);
    cr_assert(r, "%s", error.message);
    return r;
}

void story_refused(varve_node *root, const char *name,
    const varve_read_options *options, varve_status status, varve_error *error)
{
    varve_restoration *r = varve_read(root, test_path(name), options, error);
    cr_assert_null(r, "the read succeeded");
    cr_assert_eq(error->status, status, "%s: %s",
        varve_status_name(error->status), error->message);
}

void story_damage(const char *name, const char *path, size_t offset)
{
    size_t size;
    varve_error error;
    varve_saved_node node;
    varve_reader *reader =
        varve_reader_open(test_path(name), test_allocator(), &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, path, &node));
    varve_reader_free(reader);
    char *bytes = test_read_file(test_path(name), &size);
    bytes[node.offset + offset] ^= 1;
    test_write_file(test_path(name), bytes, size);
    free(bytes);
}

bool story_says(const varve_error *error, const char *text)
{
    return strstr(error->message, text) != NULL;
}

bool story_is_one_line(const varve_error *error)
{
    return error->message[0] && !strchr(error->message, '\n');
}

size_t story_findings(varve_restoration *restoration, varve_finding_kind kind)
{
    varve_error error;
    varve_report *report = varve_report_new(restoration, &error);
    cr_assert(report);
    size_t count = varve_report_count(report, kind);
    varve_report_free(report);
    return count;
}

void story_consumed(varve_restoration *restoration)
{
    varve_error error;
    cr_assert_ok(varve_assert_consumed(restoration, &error), error);
}
