/* test_carried.c - Tests the temporary nodes for pending values during a save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "carried.h"

/* A source of values, and the number of its releases. */
struct source {
    struct vv_carried_source base;
    varve_status status;
    int released;
};

static varve_status read_ones(struct vv_carried_source *self, uint32_t value,
    uint64_t at, void *bytes, size_t size, varve_error *error)
{
    const struct source *source = (const struct source *)self;
    (void)value, (void)at, (void)error;
    memset(bytes, 1, size);
    return source->status;
}

static const char *name_it(struct vv_carried_source *self, uint32_t node)
{
    (void)self, (void)node;
    return "late";
}

static void release_it(struct vv_carried_source *self)
{
    ((struct source *)self)->released++;
}

static void write_late(void)
{
    uint16_t value = 7;
    varve_node *root = new_root();
    varve_node *late = varve_add_variable(root, "late", varve_array(&value, 1));
    varve_set_global_name(late, "global");
    varve_tag(late, "tag");
    write_root(root);
    free_root(root);
}

TEST(carried, adds_temporary_nodes)
{
    varve_error error = { 0 };
    begin_world();
    write_late();
    varve_reader *reader = open_world(FILE_NAME);
    varve_node *root = new_root();
    struct source source = { .base = { .path = FILE_NAME,
                                 .read = read_ones,
                                 .name = name_it,
                                 .release = release_it } };
    struct vv_carried *c = vv_carried_new(root->graph);
    vv_carried_add_source(c, &source.base);
    const struct vv_carried_value at = {
        .source = &source.base, .node = 1, .value = 0, .size = 2
    };
    varve_saved_node saved;
    cr_assert(varve_reader_node_at(reader, 1, &saved));
    varve_node *node = vv_carried_add_node(c, &saved, &at, true, &error);
    cr_assert(node);
    cr_assert(vv_carried_add_edge(c, root, "late", node));
    cr_assert_eq(vv_carried_source_of(node), &source.base);
    cr_assert_null(vv_carried_value_of(root));
    cr_assert_eq(vv_carried_value_of(node)->size, 2);
    cr_assert_str_eq(varve_global_name(node), "global");
    uint16_t bytes = 0;
    const varve_memory *m = varve_value(node)->memory;
    cr_assert_eq(m->copy_out(m->self, 0, &bytes, 2), VARVE_OK);
    cr_assert_eq(bytes, 0x0101);
    cr_assert_eq(varve_find(root, "late"), node);
    vv_carried_unlink(c);
    cr_assert_null(varve_find(root, "late"));
    vv_carried_free(c);
    cr_assert_eq(source.released, 1);
    vv_carried_free(NULL);
    varve_reader_free(reader);
    free_root(root);
    end_world();
}

TEST(carried, are_refused_in_case_of_a_conflict)
{
    varve_error error = { 0 };
    struct vv_walk walk;
    begin_world();
    varve_node *root = new_root();
    varve_node *other = varve_add_object(root, "other");
    struct source source = { .base = { .path = FILE_NAME,
                                 .read = read_ones,
                                 .name = name_it,
                                 .release = release_it } };
    struct vv_carried *c = vv_carried_new(root->graph);
    cr_assert(vv_carried_conflict(c, root, &source.base, 1));
    cr_assert_ok(vv_walk_begin(&walk, root, &error), error);
    cr_assert_eq(
        vv_carried_check(c, &walk, VARVE_PENDING_CARRY, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "\"late\""), "%s", error.message);
    vv_walk_end(&walk);
    cr_assert_ok(vv_walk_begin(&walk, other, &error), error);
    cr_assert_ok(
        vv_carried_check(c, &walk, VARVE_PENDING_CARRY, &error), error);
    vv_walk_end(&walk);
    vv_carried_free(c);
    free_root(root);
    end_world();
}
