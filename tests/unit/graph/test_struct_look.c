/* test_struct_look.c - Tests checks whether structs still match their nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "struct.h"
#include "struct_look.h"

struct part {
    int count;
    float *values;
    float *more;
};

struct whole {
    struct part *parts;
    int part_count;
    struct part head;
    struct part *tail;
    float *grid;
    int rows, columns;
};

static const varve_field part_fields[] = {
    VARVE_FIELD(struct part, count),
    VARVE_FIELD_POINTER(struct part, values, count),
    VARVE_FIELD_POINTER(struct part, more, count, .room = calloc),
    VARVE_FIELDS_END,
};

static const varve_field whole_fields[] = {
    VARVE_FIELD_STRUCTS_AT(struct whole, parts, part_fields, part_count),
    VARVE_FIELD_STRUCT(struct whole, head, part_fields),
    VARVE_FIELD_STRUCT_AT(struct whole, tail, part_fields),
    VARVE_FIELD_POINTER_2D(struct whole, grid, rows, columns),
    VARVE_FIELDS_END,
};

static float numbers[64];
static varve_graph *graph;
static varve_node *root;
static varve_error error;

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

static varve_node *at(const char *path)
{
    varve_node *node = varve_find_path(root, path);
    cr_assert_not_null(node, "%s", path);
    return node;
}

static void look(varve_node *node)
{
    cr_assert_ok(vv_structs_look(node, &error), error);
    check_links(graph);
}

TEST(struct_look, finds_pointers_set_moved_grown_and_cleared)
{
    struct part parts[3] = { { 2, numbers, NULL }, { 3, numbers + 2, NULL },
        { 1, numbers + 9, NULL } };
    struct part tail = { 1, numbers, NULL };
    struct whole w = { parts, 2, { 1, numbers, NULL }, NULL, numbers, 2, 3 };
    begin();
    varve_add_struct(root, "w", whole_fields, &w);
    varve_node *kept = at("w/parts/0/values");
    uint32_t touched = kept->touched;
    graph->moment++;
    look(root);
    cr_assert_eq(kept->touched, touched, "nothing has moved");
    parts[1].values = numbers + 20;
    parts[0].more = numbers + 30;
    w.head.count = 4;
    w.tail = &tail;
    w.part_count = 3;
    w.rows = 4;
    look(root);
    cr_assert_eq(varve_data(at("w/parts/1/values")), numbers + 20);
    cr_assert_eq(varve_data(at("w/parts/0/more")), numbers + 30);
    cr_assert_eq(varve_value(at("w/head/values"))->shape[0], 4);
    cr_assert_eq(varve_data(at("w/tail/values")), numbers);
    cr_assert_eq(varve_data(at("w/parts/2/values")), numbers + 9);
    cr_assert_eq(varve_value(at("w/grid"))->shape[0], 4);
    cr_assert_eq(kept->touched, touched, "it has not");
    parts[0].more = NULL;
    w.tail = NULL;
    w.part_count = 1;
    w.parts = parts + 1;
    look(root);
    cr_assert_eq(varve_edge_count(at("w/parts")), 1);
    cr_assert_eq(varve_data(at("w/parts/0/values")), numbers + 20);
    cr_assert_null(varve_find(at("w"), "tail"));
    cr_assert_null(varve_find(at("w/parts/0"), "more"));
    free_good(graph);
}

/* Memory to which no pointer leads any longer is not read; AddressSanitizer
 * would report it. */
TEST(struct_look, does_not_read_freed_memory)
{
    struct whole w = { .part_count = 2 };
    w.parts = calloc(2, sizeof *w.parts);
    begin();
    varve_add_struct(root, "w", whole_fields, &w);
    free(w.parts);
    w.parts = calloc(3, sizeof *w.parts);
    w.part_count = 3;
    look(root);
    cr_assert_eq(varve_data(at("w/parts/2/count")), &w.parts[2].count);
    free(w.parts);
    free_good(graph);
}

TEST(struct_look, keeps_nodes_changed_by_the_program)
{
    struct part part = { 2, numbers, NULL };
    struct whole w = { &part, 1, { 1, numbers, NULL }, &part, numbers, 1, 1 };
    begin();
    varve_node *node = varve_add_struct(root, "w", whole_fields, &w);
    varve_rebind(at("w/head/values"), varve_array(numbers + 40, 1));
    varve_remove(at("w/grid"));
    varve_add_object(at("w/parts"), VARVE_APPEND);
    varve_add_object(at("w/head"), "more");
    w.head.values = numbers + 1;
    w.grid = numbers + 2;
    part.more = numbers + 3;
    look(root);
    cr_assert_eq(varve_data(at("w/head/values")), numbers + 40);
    cr_assert_eq(varve_node_kind(at("w/head/more")), VARVE_OBJECT);
    cr_assert_null(varve_find(node, "grid"));
    cr_assert_eq(varve_edge_count(at("w/parts")), 2);
    cr_assert_eq(varve_data(at("w/parts/0/more")), numbers + 3);
    varve_rebind_struct(node, &w);
    cr_assert_eq(varve_data(at("w/head/values")), numbers + 1);
    cr_assert_eq(varve_data(at("w/grid")), numbers + 2);
    free_good(graph);
}

TEST(struct_look, refuses_invalid_members_by_path_and_changes_nothing)
{
    struct part part = { 2, numbers, NULL };
    struct whole w = { &part, 1, { 1, numbers, NULL }, NULL, numbers, 1, 1 };
    begin();
    varve_add_struct(root, "w", whole_fields, &w);
    part.values = NULL;
    part.count = 3;
    cr_assert_eq(vv_structs_look(root, &error), VARVE_MISUSE);
    cr_assert_str_eq(error.message,
        "w/parts/0/values: the pointer for 3 elements is NULL: allocate the "
        "memory before the struct is added or saved, set the count to 0, or "
        "give the field `.room`");
    cr_assert_eq(varve_data(at("w/parts/0/values")), numbers);
    cr_assert_eq(varve_value(at("w/parts/0/values"))->shape[0], 2);
    part.values = numbers;
    part.count = -1;
    cr_assert_eq(vv_structs_look(root, &error), VARVE_MISUSE);
    part.count = 2;
    look(root);
    free_good(graph);
}

/* Structs that a call does not reach may have been freed: only reachable ones
 * are checked, on any path. */
TEST(struct_look, checks_only_structs_reachable_in_the_call)
{
    struct part parts[3] = { { 1, numbers, NULL }, { 1, numbers, NULL },
        { 1, numbers, NULL } };
    varve_node *deep;
    begin();
    deep = root;
    for (int i = 0; i < 20; i++)
        deep = varve_add_object(deep, "deeper");
    varve_add_struct(deep, "far", part_fields, &parts[0]);
    varve_node *gone = varve_add_object(root, "gone");
    varve_node *left = varve_add_struct(gone, "s", part_fields, &parts[1]);
    varve_add_struct(root, "near", part_fields, &parts[2]);
    varve_track(left, "back", left);
    varve_untrack(gone, "s");
    for (int i = 0; i < 3; i++)
        parts[i].values = numbers + 1 + i;
    look(root);
    cr_assert_eq(varve_data(varve_find(varve_find(deep, "far"), "values")),
        numbers + 1);
    cr_assert_eq(varve_data(varve_find(left, "values")), numbers);
    cr_assert_eq(varve_data(at("near/values")), numbers + 3);
    free_good(graph);
}

/* A call for a part of a struct checks the whole struct. */
TEST(struct_look, checks_the_whole_struct_for_a_part)
{
    struct part parts[2] = { { 1, numbers, NULL }, { 1, numbers, NULL } };
    struct whole w = { .parts = parts, .part_count = 2 };
    begin();
    varve_add_struct(root, "w", whole_fields, &w);
    parts[1].values = numbers + 5;
    look(at("w/parts/1/values"));
    cr_assert_eq(varve_data(at("w/parts/1/values")), numbers + 5);
    free_good(graph);
}

/* A list that shrinks removes a struct that the program added to an element. */
TEST(struct_look, checks_the_others_when_a_struct_is_removed)
{
    struct part parts[2] = { { 1, numbers, NULL }, { 1, numbers, NULL } };
    struct part own[2] = { { 1, numbers, NULL }, { 1, numbers, NULL } };
    struct whole w = { .parts = parts, .part_count = 2 };
    begin();
    varve_add_struct(root, "first", part_fields, &own[0]);
    varve_node *element =
        varve_find(varve_find(varve_add_struct(root, "w", whole_fields, &w),
                       "parts"),
            "1");
    varve_add_struct(element, "own", part_fields, &own[1]);
    w.part_count = 1;
    own[0].values = numbers + 7;
    look(root);
    cr_assert_eq(varve_edge_count(at("w/parts")), 1);
    cr_assert_eq(varve_data(at("first/values")), numbers + 7);
    free_good(graph);
}

TEST(struct_look, completes_after_a_failed_allocation)
{
    struct part parts[3] = { { 1, numbers, NULL }, { 2, numbers, NULL },
        { 3, numbers, NULL } };
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct whole w = { parts, 1, { 0 }, NULL, NULL, 0, 0 };
        begin();
        varve_add_struct(root, "w", whole_fields, &w);
        w.part_count = 3;
        w.head = (struct part){ 2, numbers, numbers };
        test_fail_allocation(n, false);
        status = vv_structs_look(root, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        look(root);
        cr_assert_eq(varve_edge_count(at("w/parts")), 3);
        cr_assert_eq(varve_data(at("w/parts/2/count")), &parts[2].count);
        cr_assert_eq(varve_value(at("w/head/values"))->shape[0], 2);
        cr_assert_eq(varve_data(at("w/head/more")), numbers);
        free_good(graph);
    }
}

TEST(struct_look, keeps_a_member_tracked_in_place_of_another)
{
    struct part one = { 1, numbers, numbers };
    begin();
    varve_node *s = varve_add_struct(root, "s", part_fields, &one);
    varve_replace(s, "values", at("s/count"));
    varve_untrack(s, "count");
    look(root);
    one.more = numbers + 7; /* a moved field is followed nevertheless */
    look(root);
    cr_assert_eq(varve_data(at("s/values")), &one.count);
    cr_assert_eq(varve_data(at("s/more")), numbers + 7);
    free_good(graph);
}

TEST(struct_look, adds_removed_members_again_after_a_rebind)
{
    struct part one = { 1, numbers, numbers };
    begin();
    varve_node *s = varve_add_struct(root, "s", part_fields, &one);
    varve_remove(at("s/more"));
    look(root);
    cr_assert_null(varve_find(s, "more"), "the program took it away");
    one.more = NULL;
    varve_rebind_struct(s, &one);
    one.more = numbers;
    look(root);
    cr_assert_eq(varve_data(at("s/more")), numbers);
    free_good(graph);
}

TEST(struct_look, keeps_an_element_tracked_in_place_of_a_field)
{
    struct part parts[2] = { { 1, numbers, NULL }, { 1, numbers, NULL } };
    struct whole w = { .parts = parts, .part_count = 2 };
    begin();
    varve_node *node = varve_add_struct(root, "w", whole_fields, &w);
    varve_node *element = at("w/parts/1"), *mine;
    mine = varve_add_object(element, "mine");
    varve_untrack(at("w/parts"), "1");
    varve_replace(node, "tail", element); /* NULL in the struct */
    look(root);
    cr_assert_eq(varve_find(element, "mine"), mine);
    cr_assert_eq(at("w/tail"), element);
    free_good(graph);
}
