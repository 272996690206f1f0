/* test_findings_json.c - Tests reports in JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "reader.h"

static float values[16] = { 1, 2, 3 };
static float mine[64];
static double wide[8];

/* Writes model/{a, b, half, left, table}, waits, and adam with a slot. */
static void write_file(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *a = varve_add_variable(model, "a", varve_array(values, 2));
    varve_add_variable(model, "b", varve_array(COPY_OF(values), 3));
    varve_add_variable(model, "half", varve_array(COPY_OF(values), 4));
    varve_add_variable(model, "left", varve_array(COPY_OF(values), 2));
    varve_add_variable(model, "table", varve_array(COPY_OF(values), 5));
    varve_add_variable(root, "waits", varve_array(COPY_OF(values), 6));
    varve_add_slot(varve_add_object(root, "adam"), a, "m",
        varve_array(COPY_OF(values), 2));
    good(root);
    write_root(root);
    free_root(root);
}

static varve_node *build(size_t table)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "a", varve_array(mine, 2));
    varve_add_variable(model, "b", varve_array(mine + 2, 3));
    varve_add_variable(model, "half", varve_array(wide, 4));
    varve_add_variable(model, "left", varve_array(mine + 9, 2));
    varve_add_variable(model, "table",
        varve_view(mine + 20, VARVE_FLOAT32, VARVE_SHAPE(table)));
    varve_add_variable(model, "extra", varve_array(mine + 30, 7));
    good(root);
    return root;
}

static varve_read_options options(void)
{
    static const varve_rename renames[] = { { "gone/*", "nowhere/*" } };
    return (varve_read_options){ .except = "model/left",
        .rename = { .list = renames,
        .count = 1 },
        .expect.unexpected = "no/*",
        .cast = VARVE_CAST_WIDEN };
}

/* --- Checking ----------------------------------------------------------- */

static varve_report *report_of(varve_restoration *r)
{
    varve_error error = { 0 };
    varve_report *report = varve_report_new(r, &error);
    cr_assert(report, "%s", error.message);
    return report;
}

static const char *json_of(varve_report *report)
{
    varve_error error = { 0 };
    const char *json = varve_report_json(report, &error);
    cr_assert(json, "%s", error.message);
    return json;
}

static void has(varve_report *report, const char *words)
{
    const char *json = json_of(report);
    cr_assert(strstr(json, words), "no %s in\n%s", words, json);
}

/* Checks an item of a file node, and the text before and after it. */
static void has_node(varve_report *report, const char *before,
    const char *path, const char *behind)
{
    char words[512];
    varve_error error = { 0 };
    varve_saved_node node = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader && varve_reader_find(reader, path, &node), "%s", path);
    snprintf(words, sizeof words, "{%s,\"file_path\":\"%s\",\"node\":%u,%s",
        before, path, (unsigned)node.id, behind);
    has(report, words);
    snprintf(words, sizeof words, "\"bytes\":%d,\"offset\":%d", (int)node.size,
        (int)node.offset);
    has(report, words);
    varve_reader_free(reader);
}

static void damage(const char *path)
{
    size_t size;
    varve_error error = { 0 };
    varve_saved_node node = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(varve_reader_find(reader, path, &node));
    memory_bytes(world.memory, FILE_NAME, &size)[node.offset] ^= 1;
    varve_reader_free(reader);
}

TEST(report_json, has_each_finding_of_a_read)
{
    begin_world();
    write_file();
    damage("model/b");
    varve_node *root = build(5);
    varve_read_options o = options();
    o.salvage.on = true;
    varve_restoration *r = read_root(root, &o);
    varve_report *report = report_of(r);
    has(report, "{\"schema\":\"varve.report/1\",\"file\":\"a.varve\","
                "\"passes\":2,\"plan\":false,"
                "\"items\":[\n{\"kind\":\"matched\"");
    has_node(report, "\"kind\":\"matched\",\"path\":\"model/a\"", "model/a",
        "\"dtype\":\"float32\",\"shape\":[2],"
        "\"dtype_saved\":\"float32\",\"shape_saved\":[2],");
    has(report, "\"shape\":[4],\"dtype_saved\":\"float32\","
                "\"shape_saved\":[4],\"bytes\":16,");
    has(report, ",\"cast\":true}");
    has_node(report, "\"kind\":\"waiting\"", "waits", "\"dtype_saved\":");
    has(report,
        "\"reason\":\"the root of the program has no edge \\\"waits\\\"\"");
    has_node(report, "\"kind\":\"waiting\"", "adam/m(model/a)", "");
    has(report, "\"reason\":\"left out by the options\",\"expected\":true}");
    has_node(report, "\"kind\":\"damaged\",\"path\":\"model/b\"", "model/b",
        "\"dtype\":");
    has(report, "{\"kind\":\"only_in_program\",\"path\":\"model/extra\","
                "\"dtype\":\"float32\",\"shape\":[7],\"reason\":");
    has(report, "{\"kind\":\"mismatched\",\"path\":\"gone/*\",\"file_path\":"
                "\"nowhere/*\",\"reason\":\"this rename matched nothing\","
                "\"expected\":true}");
    has(report, "\"file_path\":\"no/*\",\"reason\":");
    has(report, "\"expected\":true,\"option\":\"expect.unexpected\"}");
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report_json, marks_a_dry_run)
{
    varve_error error = { 0 };
    begin_world();
    write_file();
    varve_node *root = build(4);
    varve_read_options o = options();
    varve_restoration *r = varve_dry_run(root, FILE_NAME, &o, &error);
    cr_assert(r, "%s", error.message);
    varve_report *report = report_of(r);
    has(report, ",\"plan\":true,");
    has_node(report, "\"kind\":\"mismatched\",\"path\":\"model/table\"",
        "model/table",
        "\"dtype\":\"float32\",\"shape\":[4],"
        "\"dtype_saved\":\"float32\",\"shape_saved\":[5],");
    has_node(report, "\"kind\":\"only_in_file\"", "waits", "");
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* For all file names and node names. */
TEST(report_json, is_ascii)
{
    static const char odd[] = "\xff\x01.varve";
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "</a>\x1b\xe2\x80\xae\"", varve_array(values, 2));
    cr_assert_ok(varve_write(root, odd, NULL, &error), error);
    free_root(root);
    root = new_root();
    varve_restoration *r = varve_read(root, odd, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_report *report = report_of(r);
    has(report, "\"file\":{\"hex\":\"ff012e7661727665\"}");
    has(report, "\"file_path\":\"<%2Fa>%1B\\u202e\\\"\"");
    for (const char *c = json_of(report); *c; c++)
        cr_assert(*c == '\n' || (*c >= ' ' && *c < 0x7f));
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* A number that does not fit into a signed 64-bit integer. */
TEST(report_json, omits_numbers_above_63_bits)
{
    begin_world();
    varve_node *root = new_root();
    write_root(root);
    varve_add_variable(root, "none",
        varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(0, SIZE_MAX, INT64_MAX)));
    good(root);
    varve_restoration *r = read_strange(root);
    varve_report *report = report_of(r);
    has(report, "\"shape\":[0,null,9223372036854775807]");
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report_json, is_the_same_when_requested_again)
{
    begin_world();
    write_file();
    varve_node *root = build(5);
    varve_read_options o = options();
    varve_restoration *r = read_root(root, &o);
    varve_report *report = report_of(r);
    const char *json = json_of(report);
    cr_assert_eq(json_of(report), json);
    cr_assert_str_eq(json + strlen(json) - 4, "}]}\n");
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report_json, refuses_null)
{
    varve_error error = { 0 };
    cr_assert_null(varve_report_json(NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_report_json(NULL, NULL));
}

TEST(report_json, can_be_requested_again_after_a_failed_allocation)
{
    varve_error error = { 0 };
    const char *json = NULL;
    long n = 0;
    begin_world();
    write_file();
    varve_node *root = build(5);
    varve_read_options o = options();
    varve_restoration *r = read_root(root, &o);
    varve_report *report = report_of(r);
    for (; !json; n++) {
        error.status = VARVE_OK;
        test_fail_allocation(n, false);
        json = varve_report_json(report, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, json ? VARVE_OK : VARVE_NO_MEMORY);
    }
    cr_assert_gt(n, 1);
    cr_assert_str_eq(json + strlen(json) - 4, "}]}\n");
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
