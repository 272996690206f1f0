/* test_renames.c - Tests renames from program paths to file paths: prefixes,
 * globs with captures, a text file. The first match decides, and a rename
 * without a match is reported.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

struct program {
    varve_graph *graph;
    varve_node *root;
    float v[8];
};

static struct program program;

/* Builds a program with these paths, up to NULL. */
static void build(const char *const *paths)
{
    program.graph = story_graph();
    program.root = varve_graph_root(program.graph);
    for (int i = 0; paths[i]; i++) {
        program.v[i] = -1;
        story_add(program.root, paths[i], &program.v[i]);
    }
}

#define BUILD(...) build((const char *const[]){ __VA_ARGS__, NULL })
#define READ(...)                                                     \
    read_renamed((const varve_rename[]){ __VA_ARGS__ },                        \
        sizeof((varve_rename[]){ __VA_ARGS__ }) / sizeof(varve_rename))

static varve_restoration *read_renamed(
    const varve_rename *renames, size_t count)
{
    varve_read_options options = {
        .rename = { .list = renames, .count = count } };
    return story_read(program.root, "f", &options);
}

static void end(varve_restoration *r)
{
    varve_restoration_free(r);
    varve_graph_free(program.graph);
}

TEST(renames, a_path_includes_everything_below_it)
{
    STORY_FILE("f", { "old/part/w", 1 }, { "old/b", 2 }, { "older", 3 });
    BUILD("new/part/w", "new/b", "older");
    varve_restoration *r = READ({ "new", "old" });
    cr_assert_eq(program.v[0], 1);
    cr_assert_eq(program.v[1], 2);
    cr_assert_eq(program.v[2], 3, "a prefix of the name is not of the path");
    story_consumed(r);
    end(r);
}

TEST(renames, a_single_variable_to_any_path)
{
    STORY_FILE("f", { "a/b/c", 1 }, { "d", 2 });
    BUILD("x", "y/z");
    varve_restoration *r = READ({ "x", "a/b/c" }, { "/y/z", "/d" });
    cr_assert_eq(program.v[0], 1);
    cr_assert_eq(program.v[1], 2);
    end(r);
}

TEST(renames, the_text_matched_by_a_star_is_substituted)
{
    STORY_FILE("f", { "layer_0/att/w", 1 }, { "layer_1/att/w", 2 },
        { "head/x/deep/w", 3 });
    BUILD("encoder/layer_0/attention/w", "encoder/layer_1/attention/w",
        "out/x/deep/w");
    varve_restoration *r = READ({ "encoder/*/attention", "*/att" },
        { "out/**/w", "head/**/w" });
    cr_assert_eq(program.v[0], 1);
    cr_assert_eq(program.v[1], 2);
    cr_assert_eq(program.v[2], 3);
    story_consumed(r);
    end(r);
}

TEST(renames, the_first_matching_rename_applies)
{
    STORY_FILE("f", { "one", 1 }, { "two", 2 }, { "a", 3 });
    BUILD("a");
    varve_restoration *r = READ({ "a", "two" }, { "a", "one" });
    cr_assert_eq(program.v[0], 2);
    end(r);
}

TEST(renames, a_rename_to_a_missing_path_does_not_use_the_old_name)
{
    STORY_FILE("f", { "a", 3 }, { "b", 4 });
    BUILD("a", "b");
    varve_restoration *r = READ({ "a", "gone" });
    cr_assert_eq(program.v[0], -1);
    cr_assert_eq(program.v[1], 4);
    end(r);
}

TEST(renames, an_unused_rename_is_a_finding)
{
    STORY_FILE("f", { "a", 3 });
    varve_error error;
    BUILD("a");
    varve_restoration *r = READ({ "never/was", "nor/this" });
    cr_assert_eq(program.v[0], 3);
    varve_report *report = varve_report_new(r, &error);
    cr_assert(report);
    const char *text = varve_report_text(report);
    cr_assert(strstr(text, "never/was"), "%s", text);
    cr_assert(strstr(text, "nor/this"), "%s", text);
    cr_assert(strstr(text, "matched nothing"), "%s", text);
    cr_assert(strstr(text, ", 0 mismatched, 1 unused in the options\n"), "%s",
        text);
    cr_assert(strstr(text, "\nunused in the options:\n  "), "%s", text);
    cr_assert_null(strstr(text, "\nmismatched:"), "%s", text);
    varve_report_free(report);
    end(r);
}

/* Reads into `program`, and compares the message of the mismatch. */
static void mismatch(const varve_rename *rename, const char *words)
{
    varve_error error = { 0 };
    varve_read_options options = { .rename = { .list = rename, .count = 1 } };
    varve_restoration *r =
        varve_read(program.root, test_path("f"), &options, &error);
    varve_status status = r ? varve_assert_consumed(r, &error) : error.status;
    cr_assert_eq(status, VARVE_UNMATCHED, "%s", error.message);
    cr_assert(strstr(error.message, words), "%s", error.message);
    end(r);
}

TEST(renames, one_that_takes_a_path_away_is_named)
{
    STORY_FILE("f", { "old", 1 }, { "layer/w", 2 });
    BUILD("old", "new", "layer/w");
    mismatch(&(varve_rename){ "old", "new" },
        "the rename \"old -> new\" maps it to another path");
    BUILD("layer/w", "old");
    mismatch(&(varve_rename){ "layer", "block" },
        "the rename \"layer -> block\" maps it to another path");
    BUILD("layer/w");
    mismatch(&(varve_rename){ "layer/w", "old" },
        "its node was restored from another value, by the rename "
        "\"layer/w -> old\"");
    BUILD("layer/w", "new");
    mismatch(&(varve_rename){ "new", "odl" },
        "the rename \"new -> odl\" maps it to another path (nearest: \"old\")");
}

TEST(renames, one_that_matched_nothing_is_named_with_its_path)
{
    STORY_FILE("f", { "old", 1 }, { "layer/w", 2 });
    BUILD("layer/w");
    mismatch(&(varve_rename){ "new", "old" },
        "has no edge \"old\"; the rename \"new -> old\" matched nothing");
    BUILD("layer/w", "new");
    mismatch(&(varve_rename){ "old", "new" },
        "has no edge \"old\"; the rename \"old -> new\" matched nothing: its "
        "left side must be the path in the program");
    BUILD("layer/w", "new");
    mismatch(&(varve_rename){ "old", "new" },
        "has no edge \"new\"; the rename \"old -> new\" matched nothing: its "
        "right side must be the path in the file");
}

TEST(renames, one_with_two_wrong_sides_is_named)
{
    STORY_FILE("f", { "model/weight", 1 }, { "model/b", 2 });
    varve_error error;
    BUILD("model/kernel", "model/b");
    varve_restoration *r = READ({ "kernel", "weight" });
    story_unmatched(varve_assert_consumed(r, &error),
        "the rename \"kernel -> weight\" matched nothing", error);
    end(r);
}

TEST(renames, renames_apply_to_variables_added_later)
{
    STORY_FILE("f", { "block/3/w", 1 }, { "block/4/w", 2 });
    varve_rename rename = { "layers/*/kernel", "block/*/w" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 } };
    program.graph = story_graph();
    program.root = varve_graph_root(program.graph);
    varve_restoration *r = story_read(program.root, "f", &options);
    float v[2] = { 0 };
    rename.program = "changed";
    story_add(program.root, "layers/3/kernel", &v[0]);
    varve_node *layer = varve_add_detached(program.graph);
    varve_add_variable(layer, "kernel", varve_scalar(&v[1]));
    varve_track(story_object(program.root, "layers"), "4", layer);
    cr_assert_eq(v[0], 1);
    cr_assert_eq(v[1], 2);
    end(r);
}

TEST(renames, a_map_can_be_kept_in_a_text_file)
{
    STORY_FILE("f", { "old/w", 1 }, { "b1", 2 });
    static const char text[] = "# from the days of the first model\r\n"
                               "\n"
                               "  new -> old  \n"
                               "b -> b1";
    test_write_file(test_path("map.txt"), text, sizeof text - 1);
    varve_read_options options = { .rename.file = test_path("map.txt") };
    BUILD("new/w", "b");
    varve_restoration *r = story_read(program.root, "f", &options);
    cr_assert_eq(program.v[0], 1);
    cr_assert_eq(program.v[1], 2);
    story_consumed(r);
    end(r);
}

TEST(renames, an_invalid_map_is_reported_with_its_line)
{
    STORY_FILE("f", { "a", 1 });
    varve_error error;
    test_write_file(test_path("map.txt"), "a -> b\nnonsense\n", 16);
    varve_read_options options = { .rename.file = test_path("map.txt") };
    BUILD("a");
    story_refused(program.root, "f", &options, VARVE_MISUSE, &error);
    cr_assert(story_says(&error, "map.txt:2"), "%s", error.message);
    options.rename.file = test_path("none.txt");
    story_refused(program.root, "f", &options, VARVE_NOT_FOUND, &error);
    cr_assert(story_says(&error, "none.txt"), "%s", error.message);
    varve_rename rename = { "a/*/b", "a/b" };
    options = (varve_read_options){ .rename = { .list = &rename, .count = 1 } };
    story_refused(program.root, "f", &options, VARVE_MISUSE, &error);
    cr_assert(story_says(&error, "a/*/b"), "%s", error.message);
    cr_assert_eq(program.v[0], -1);
    varve_graph_free(program.graph);
}

TEST(renames, a_slot_follows_its_variable)
{
    varve_graph *graph = story_graph();
    float v = 1, m = 2;
    varve_node *variable = story_add(varve_graph_root(graph), "old/v", &v);
    varve_add_slot(story_object(varve_graph_root(graph), "adam"), variable,
        "m", varve_scalar(&m));
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    program.graph = story_graph();
    program.root = varve_graph_root(program.graph);
    v = m = 0;
    variable = story_add(program.root, "new/v", &v);
    varve_add_slot(story_object(program.root, "opt"), variable, "m",
        varve_scalar(&m));
    varve_restoration *r = READ({ "new", "old" }, { "opt", "adam" });
    cr_assert_eq(v, 1);
    cr_assert_eq(m, 2);
    story_consumed(r);
    end(r);
}
