/* test_lineage_graph.c - Tests tools/log/lineage_graph.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lineage_graph.h"

static char drawn[1 << 16];
static const struct lineage_node *all;

static void take_line(void *user, const char *line, size_t node)
{
    size_t *count = user;
    size_t size = strlen(drawn);
    cr_assert(size == 0 || drawn[size - 1] == '\n');
    cr_assert(!*line || line[strlen(line) - 1] != ' ', "\"%s\"", line);
    snprintf(drawn + size, sizeof drawn - size, "%s%s%s\n", line,
        node == LINEAGE_NONE ? "" : " ",
        node == LINEAGE_NONE ? "" : all[node].id);
    *count += node != LINEAGE_NONE;
}

static void draw(const struct lineage_node *nodes, size_t count, bool utf8)
{
    size_t lines = 0;
    drawn[0] = '\0';
    all = nodes;
    lineage_graph_draw(nodes, count, utf8, take_line, &lines);
    cr_assert_eq(lines, count);
}

/* MUST_DRAW(utf8, expected, { id, parent }, ...) */
#define MUST_DRAW(utf8, expected, ...)                                         \
    do {                                                                       \
        static const struct lineage_node nodes[] = { __VA_ARGS__ };            \
        draw(nodes, sizeof nodes / sizeof *nodes, utf8);                       \
        cr_assert_str_eq(drawn, expected, "found:\n%s", drawn);                \
    } while (0)

TEST(lineage_graph, draws_nothing_for_an_empty_list)
{
    draw(NULL, 0, true);
    cr_assert_str_eq(drawn, "");
}

TEST(lineage_graph, draws_one_lineage_in_one_column)
{
    MUST_DRAW(false, "* a3\n* a2\n* a1\n", { "a3", "a2" }, { "a2", "a1" },
        { "a1", NULL });
}

TEST(lineage_graph, joins_two_lineages_resumed_from_one)
{
    MUST_DRAW(false,
        "* b7\n"
        "| * a6\n"
        "* | b6\n"
        "|/\n"
        "* a5\n"
        "* a4\n",
        { "b7", "b6" }, { "a6", "a5" }, { "b6", "a5" }, { "a5", "a4" },
        { "a4", NULL });
    MUST_DRAW(true,
        "* b7\n"
        "\u2502 * a6\n"
        "\u251c\u2500\u256f\n"
        "* a5\n",
        { "b7", "a5" }, { "a6", "a5" }, { "a5", NULL });
}

TEST(lineage_graph, joins_three_lineages_from_the_right)
{
    MUST_DRAW(false,
        "* c\n"
        "| * b\n"
        "| | * a\n"
        "| |/\n"
        "|/\n"
        "* p\n",
        { "c", "p" }, { "b", "p" }, { "a", "p" }, { "p", NULL });
}

TEST(lineage_graph, draws_a_column_between_joined_ones)
{
    MUST_DRAW(false,
        "* c\n"
        "| * b\n"
        "| | * a\n"
        "|_|/\n"
        "* | p\n"
        "  * q\n",
        { "c", "p" }, { "b", "q" }, { "a", "p" }, { "p", NULL },
        { "q", NULL });
    MUST_DRAW(true,
        "* c\n"
        "\u2502 * b\n"
        "\u2502 \u2502 * a\n"
        "\u251c\u2500\u253c\u2500\u256f\n"
        "* \u2502 p\n"
        "  * q\n",
        { "c", "p" }, { "b", "q" }, { "a", "p" }, { "p", NULL },
        { "q", NULL });
}

TEST(lineage_graph, draws_past_a_column_that_has_ended)
{
    MUST_DRAW(false,
        "* c\n"
        "| * b\n"
        "| | * a\n"
        "| * | q\n"
        "|__/\n"
        "* p\n",
        { "c", "p" }, { "b", "q" }, { "a", "p" }, { "q", NULL },
        { "p", NULL });
}

TEST(lineage_graph, reuses_a_column_that_has_ended)
{
    MUST_DRAW(false,
        "* c\n"
        "| * b\n"
        "| | * a\n"
        "| * | q\n"
        "|   |\n"
        "| * | d\n"
        "| |/\n"
        "|/\n"
        "* p\n",
        { "c", "p" }, { "b", "q" }, { "a", "p" }, { "q", NULL },
        { "d", "p" }, { "p", NULL });
}

TEST(lineage_graph, draws_unrelated_lineages_below_each_other)
{
    MUST_DRAW(false, "* b2\n* b1\n\n* a1\n", { "b2", "b1" }, { "b1", NULL },
        { "a1", NULL });
}

TEST(lineage_graph, treats_a_missing_parent_as_none)
{
    MUST_DRAW(
        false, "* b2\n\n* a1\n", { "b2", "gone" }, { "a1", NULL });
}

TEST(lineage_graph, draws_copies_in_one_column)
{
    MUST_DRAW(false,
        "* b2\n"
        "| * a2\n"
        "|/\n"
        "* a1\n"
        "* a1\n"
        "* a0\n",
        { "b2", "a1" }, { "a2", "a1" }, { "a1", "a0" }, { "a1", "a0" },
        { "a0", NULL });
}

TEST(lineage_graph, draws_a_parent_after_its_children_in_any_order)
{
    MUST_DRAW(false, "* a2\n* a1\n* b\n", { "a1", "b" }, { "b", NULL },
        { "a2", "a1" });
}

TEST(lineage_graph, ends_on_cycles_of_parents)
{
    MUST_DRAW(false, "* a\n* b\n", { "a", "b" }, { "b", "a" });
    MUST_DRAW(false, "* a\n", { "a", "a" });
}

/* --- Any forest --------------------------------------------------------- */

enum { COUNT = 60, FORESTS = 300 };

/* Returns the next line, or NULL. */
static const char *below(const char *line)
{
    const char *end = strchr(line, '\n');
    return end && end[1] ? end + 1 : NULL;
}

static char sign_at(const char *line, size_t at)
{
    return at < strcspn(line, "\n") ? line[at] : ' ';
}

/* Returns the position at which a column that ends on this line continues. */
static size_t joined(const char *line, size_t at)
{
    if (at == 0 || sign_at(line, at - 1) != '/')
        return SIZE_MAX;
    for (at -= 2; at > 0 && sign_at(line, at - 1) == '_'; at -= 2)
        continue;
    return at;
}

/* Returns the line of the node to which a node's column leads; NULL if none. */
static const char *follow(const char *line)
{
    size_t at = strcspn(line, "*");
    while ((line = below(line))) {
        size_t left = joined(line, at);
        bool has_node = strchr(line, '*') &&
                        strcspn(line, "*") < strcspn(line, "\n");
        if (left != SIZE_MAX)
            at = left;
        else if (has_node && sign_at(line, at) == '*')
            return line;
        else if (sign_at(line, at) != '|')
            return NULL;
    }
    return NULL;
}

static int id_of(const char *line)
{
    size_t size = strcspn(line, "\n");
    while (size > 0 && line[size - 1] != ' ')
        size--;
    return atoi(line + size);
}

/* The column of each node leads to its parent, if it has one. */
TEST(lineage_graph, connects_each_node_to_its_parent)
{
    static char ids[COUNT][12];
    struct lineage_node nodes[COUNT];
    srand(1);
    for (int n = 0; n < FORESTS; n++) {
        for (int i = 0; i < COUNT; i++)
            snprintf(ids[i], sizeof ids[i], "%d", i);
        for (int i = 0; i < COUNT; i++) {
            int parent = i + 1 + rand() % (1 + n % 20);
            bool has_parent = parent < COUNT && rand() % 10;
            nodes[i] = (struct lineage_node){ .id = ids[i],
                .parent = has_parent ? ids[parent] : NULL };
        }
        draw(nodes, COUNT, false);
        for (const char *line = drawn; line; line = below(line)) {
            if (strcspn(line, "*") >= strcspn(line, "\n"))
                continue;
            int node = id_of(line);
            const char *to = follow(line);
            if (nodes[node].parent)
                cr_assert(to && id_of(to) == atoi(nodes[node].parent),
                    "%d of forest %d:\n%s", node, n, drawn);
            else
                cr_assert_null(
                    to, "%d of forest %d:\n%s", node, n, drawn);
        }
    }
}
