/* test_target.c - Tests what writers of other formats share: names, paths and
 * losses.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "drafts.h"
#include "target.h"

/* A graph and the reported losses. */
struct aimed {
    struct drafted drafted;
    struct vv_saved_paths paths;
    struct vv_target target;
    char lost[4096];
};

static void note_loss(void *user, const char *path, const char *what)
{
    struct aimed *a = user;
    size_t size = strlen(a->lost);
    snprintf(a->lost + size, sizeof a->lost - size, "%s: %s\n", path, what);
}

static void aim(struct aimed *a)
{
    varve_error error = { 0 };
    struct drafted *t = &a->drafted;
    cr_assert_ok(draft_end(t, &error), error);
    cr_assert_ok(vv_saved_paths_begin(&a->paths, test_allocator(),
                     &t->in.parsed.index, 0, &error),
        error);
    a->lost[0] = '\0';
    a->target = (struct vv_target){ .context = &t->context,
        .path = "out",
        .index = &t->in.parsed.index,
        .table = &t->in.parsed.table,
        .paths = &a->paths,
        .loss = note_loss,
        .loss_user = a };
}

static void end(struct aimed *a)
{
    vv_saved_paths_end(&a->paths);
    draft_free(&a->drafted);
}

static void check_name(struct aimed *a, uint32_t node, const char *wanted)
{
    struct vv_buffer name;
    vv_buffer_init(&name, test_allocator());
    vv_buffer_add_string(&name, "older");
    vv_target_name(&a->target, node, &name);
    cr_assert_eq(name.size, strlen(wanted));
    cr_assert_str_eq(vv_buffer_string(&name), wanted);
    vv_buffer_clear(&name);
}

/* Builds nodes with the indices 1 net, 2 opt, 3 net/w%, 4 n, 5 m. */
static void build_slots(struct aimed *a)
{
    struct drafted *t = &a->drafted;
    draft_begin(t);
    uint32_t net = vv_draft_node(&t->d, VARVE_OBJECT);
    uint32_t opt = vv_draft_node(&t->d, VARVE_OBJECT);
    uint32_t w = add_floats(t, 0);
    add_edge(t, 0, "net", net);
    add_edge(t, 0, "opt", opt);
    add_edge(t, net, "w%", w);
    vv_draft_slot(&t->d, opt, w, "mom", 3, add_floats(t, 0));
    vv_draft_slot(&t->d, 0, w, "n", 1, add_floats(t, 0));
    aim(a);
}

TEST(target, names_values_by_their_shortest_path)
{
    struct aimed a;
    build_slots(&a);
    check_name(&a, 0, "");
    check_name(&a, 1, "net");
    check_name(&a, 3, "net/w%"); /* unchanged */
    end(&a);
}

TEST(target, names_slots_by_owner_and_variable)
{
    struct aimed a;
    build_slots(&a);
    check_name(&a, 4, "n(net/w%)");
    check_name(&a, 5, "opt/mom(net/w%)");
    end(&a);
}

TEST(target, reports_the_path_of_a_loss)
{
    struct aimed a;
    build_slots(&a);
    vv_target_report_lost(&a.target, 3, "a thing");
    vv_target_report_lost(&a.target, 1, "another");
    cr_assert_str_eq(a.lost, "net/w%25: a thing\nnet: another\n");
    a.target.loss = NULL;
    vv_target_report_lost(&a.target, 1, "a thing");
    vv_target_report_lost_graph(&a.target, false, NULL);
    end(&a);
}

/* Builds a list with an element that has another path, a dict, a tag, and an
 * edge back. */
static void build_losses(struct aimed *a)
{
    struct drafted *t = &a->drafted;
    draft_begin(t);
    uint32_t list = vv_draft_node(&t->d, VARVE_LIST);
    uint32_t dict = vv_draft_node(&t->d, VARVE_DICT);
    uint32_t w = add_floats(t, 0);
    add_edge(t, 0, "list", list);
    add_edge(t, 0, "x", dict);
    add_edge(t, list, "0", w);
    add_edge(t, dict, "w", w);
    add_edge(t, dict, "root", 0);
    add_edge(t, 0, "y", dict);
    vv_draft_tag(&t->d, w, "mine");
    aim(a);
}

TEST(target, reports_losses_common_to_formats_without_a_graph)
{
    static const char kinds[] = "list: its kind: a list\nx: its kind: a "
                                "dict\nlist/0: a tag\n";
    static const char ways[] = "y: another path to a node\n"
                               "x/root: another path to a node\n"
                               "x/w: another path to a node\n";
    struct aimed a;
    build_losses(&a);
    vv_target_report_lost_graph(&a.target, true, NULL);
    cr_assert_str_eq(a.lost, kinds);
    a.lost[0] = '\0';
    vv_target_report_lost_graph(&a.target, false, NULL);
    cr_assert_eq(strncmp(a.lost, kinds, strlen(kinds)), 0);
    cr_assert_str_eq(a.lost + strlen(kinds), ways);
    a.target.loss = NULL;
    vv_target_report_lost_graph(&a.target, false, NULL);
    end(&a);
}

/* Builds a chain of objects with names of eight bytes, then a variable whose
 * path has `size` bytes. */
static void check_path_of(size_t size, varve_status expected)
{
    struct aimed a;
    struct drafted *t = &a.drafted;
    varve_error error = { 0 };
    char name[16] = "xxxxxxxx";
    draft_begin(t);
    uint32_t node = 0;
    for (; size > 16; size -= 9) {
        uint32_t child = vv_draft_node(&t->d, VARVE_OBJECT);
        add_edge(t, node, "12345678", child);
        node = child;
    }
    memset(name, 'v', size);
    name[size] = '\0';
    add_edge(t, node, name, add_floats(t, 0));
    aim(&a);
    cr_assert_eq(vv_target_check_names(&a.target, &error), expected);
    if (expected) {
        cr_assert(strncmp(error.message, "out: ...", 8) == 0);
        cr_assert(strstr(error.message, "78/vvvvv"));
        cr_assert(strstr(error.message, "the path is too long"));
    }
    end(&a);
}

TEST(target, limits_the_length_of_paths_in_messages)
{
    check_path_of(8, VARVE_OK);
    check_path_of(4095, VARVE_OK);
    check_path_of(4096, VARVE_LIMIT);
    check_path_of(9 * 10000 + 5, VARVE_LIMIT);
}
