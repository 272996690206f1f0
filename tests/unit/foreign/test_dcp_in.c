/* test_dcp_in.c - Tests opening torch.distributed checkpoints: golden files
 * (tests/golden/foreign/make_dcp.py) and samples.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dcp_in.h"

#include <errno.h>

#include "support/test.h"
#include "formats.h"
#include "dcp_sample.h"
#include "support/faulty_system.h"
#include "torch_sample.h"

/* A tree over the items of one pickle. */
struct made {
    struct world w;
    struct vv_buffer bytes;
    struct vv_pickle p;
    struct vv_foreign *foreign;
    struct vv_torch_merge merge;
    struct vv_dcp_tree tree;
    varve_error error;
    uint32_t root, items[8];
};

/* The pickle is a list of up to 8 items. */
static struct made *begin(const char *bytes, size_t size)
{
    struct made *m = calloc(1, sizeof *m);
    m->w = world_new();
    m->bytes = new_bytes();
    vv_buffer_add(&m->bytes, bytes, size);
    m->p = read_pickle(&m->bytes);
    m->foreign = world_foreign(&m->w, "a", &m->bytes);
    struct vv_torch_file *file = vv_torch_file_new(m->foreign);
    vv_torch_merge_begin(&m->merge, file, m->foreign, &m->error);
    cr_assert_ok(
        vv_torch_merge_add(&m->merge, NULL, &m->p, &m->root), m->error);
    for (unsigned i = 0; i < 8; i++)
        m->items[i] = vv_pickle_nth(&m->merge.pickle, m->root, i);
    cr_assert(vv_dcp_tree_begin(&m->tree, &m->merge));
    return m;
}

#define LIST(literal) begin("](" literal "e.", sizeof("](" literal "e.") - 1)

static void end(struct made *m)
{
    vv_dcp_tree_clear(&m->tree);
    vv_torch_merge_clear(&m->merge);
    vv_foreign_free(m->foreign);
    vv_pickle_clear(&m->p);
    vv_buffer_clear(&m->bytes);
    world_free(&m->w);
    free(m);
}

static bool add(struct made *m, const char *keys, unsigned item)
{
    uint32_t path[8];
    bool is_free;
    size_t count = strlen(keys);
    for (size_t i = 0; i < count; i++)
        path[i] = m->items[keys[i] - '0'];
    cr_assert(vv_dcp_tree_add(&m->tree, path, count, m->items[item], &is_free));
    return is_free;
}

static const struct vv_pickle_item *item_at(struct made *m, uint32_t number)
{
    return vv_pickle_item(&m->merge.pickle, number);
}

TEST(dcp_tree, has_dicts_and_lists_by_their_keys)
{
    struct made *m = LIST("U\1aU\1bK\0K\1G\0\0\0\0\0\0\0\0");
    uint32_t root;
    cr_assert(add(m, "02", 4)); /* a: [0.0, {b: 0.0}] */
    cr_assert(add(m, "031", 4));
    cr_assert(add(m, "1", 4));
    cr_assert_ok(vv_dcp_tree_end(&m->tree, &root), m->error);
    cr_assert_eq(item_at(m, root)->kind, VV_PICKLE_DICT);
    uint32_t list = vv_pickle_look_up(&m->merge.pickle, root, "a");
    cr_assert_eq(item_at(m, list)->kind, VV_PICKLE_LIST);
    uint32_t dict = vv_pickle_nth(&m->merge.pickle, list, 1);
    cr_assert_eq(vv_pickle_look_up(&m->merge.pickle, dict, "b"), m->items[4]);
    cr_assert_eq(vv_pickle_nth(&m->merge.pickle, list, 0), m->items[4]);
    end(m);
}

TEST(dcp_tree, uses_integers_as_keys_if_they_are_not_list_indices)
{
    struct made *m = LIST("U\1aU\1bK\0K\1G\0\0\0\0\0\0\0\0");
    uint32_t root;
    cr_assert(add(m, "03", 4));
    cr_assert(add(m, "02", 4));
    cr_assert_ok(vv_dcp_tree_end(&m->tree, &root), m->error);
    uint32_t dict = vv_pickle_look_up(&m->merge.pickle, root, "a");
    cr_assert_eq(item_at(m, dict)->kind, VV_PICKLE_DICT);
    end(m);
}

TEST(dcp_tree, refuses_conflicting_paths)
{
    struct made *m = LIST("U\1aU\1bK\0K\1U\1a");
    cr_assert(add(m, "01", 2));
    cr_assert_not(add(m, "01", 2));
    cr_assert_not(add(m, "41", 2)); /* a text is a key by its bytes */
    cr_assert_not(add(m, "0", 2));
    cr_assert_not(add(m, "011", 2));
    cr_assert(add(m, "00", 2));
    end(m);
}

TEST(dcp_tree, empty_is_a_dict)
{
    struct made *m = LIST("K\0");
    uint32_t root;
    cr_assert_ok(vv_dcp_tree_end(&m->tree, &root), m->error);
    cr_assert_eq(item_at(m, root)->kind, VV_PICKLE_DICT);
    end(m);
}

TEST(dcp_in, recognizes_the_metadata_with_any_name)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "\x80\4\x95\0\0\0\0\0\0\0\0\x8c\x25" DCP_MODULE "\x94\x8c\x8");
    struct vv_candidate c = {
        .path = "x", .head = b.data, .head_size = b.size
    };
    cr_assert_eq(vv_dcp_format.probe(&c), VV_PROBE_SURE);
    c.head_size = 20;
    cr_assert_eq(vv_dcp_format.probe(&c), VV_PROBE_NONE);
    b.data[20] ^= 1;
    c.head_size = b.size;
    cr_assert_eq(vv_dcp_format.probe(&c), VV_PROBE_NONE);
    vv_buffer_clear(&b);
}

/* --- Golden files --------------------------------------------------------- */

static struct world golden_world(void)
{
    struct world w = world_new();
    put_golden(&w, "dcp", ".metadata");
    put_golden(&w, "dcp", "__0_0.distcp");
    put_golden(&w, "dcp", "__1_0.distcp");
    return w;
}

static void check_golden(varve_reader *r)
{
    float rows[15], negated[15];
    int64_t columns[20], turned[20];
    for (int i = 0; i < 15; i++) {
        rows[i] = (float)i;
        negated[i] = -(float)i;
    }
    for (int i = 0; i < 20; i++) {
        columns[i] = i;
        turned[i / 5 + i % 5 * 4] = i;
    }
    check_value(r, "model/w.rows", "float32[5,3]", rows, sizeof rows);
    check_value(r, "model/w.columns", "int64[4,5]", columns, sizeof columns);
    check_value(r, "model/w.turned", "int64[5,4]", turned, sizeof turned);
    check_value(r, "optim/exp_avg(model/w.rows)", "float32[5,3]", negated,
        sizeof negated);
    check_value(r, "optim/param_groups/0/lr", "float64[]", &(double){ 0.5 }, 8);
    check_value(r, "epoch", "int64[]", &(int64_t){ 3 }, 8);
    check_value(r, "pair/0", "int64[2]", (int64_t[]){ 8, 9 }, 16);
    check_value(r, "pair/1", "string[]", "\4\0\0\0\0\0\0\0text", 12);
}

TEST(dcp_in, reads_a_distributed_save_as_one_state_dict)
{
    static const char *const names[] = { "d/.metadata", "d/__1_0.distcp" };
    struct world w = golden_world();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_error error = { 0 };
        struct vv_buffer found = new_bytes();
        vv_buffer_add_string(&found, names[i]);
        cr_assert_ok(vv_checkpoint_settle(&w.context, &found, &error), error);
        varve_reader *r =
            vv_reader_open_in(&w.context, vv_buffer_string(&found), &error);
        cr_assert(r, "%s", error.message);
        cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_DCP);
        cr_assert(varve_reader_has_checksums(r));
        cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
        check_golden(r);
        varve_reader_free(r);
        vv_buffer_clear(&found);
    }
    world_free(&w);
}

TEST(dcp_in, leaks_nothing_without_memory)
{
    struct world w = golden_world();
    check_opening_without_memory(&w, "d/.metadata");
    world_free(&w);
}

TEST(dcp_in, handles_failed_reads)
{
    struct world w = golden_world();
    varve_error error = { 0 };
    varve_status status = VARVE_IO;
    for (int n = 0; status; n++) {
        int64_t columns[20];
        struct faulty *faulty = faulty_new(memory_system(w.memory));
        faulty_plan(
            faulty, &(struct faulty_plan){
                        .kinds = FAULTY_READ, .number = n, .error = EIO });
        struct vv_context context = test_context(faulty_system(faulty));
        varve_reader *r = vv_reader_open_in(&context, "d/.metadata", &error);
        status = r ? varve_reader_read(r, find_node(r, "model/w.columns").id,
                         columns, sizeof columns, &error)
                   : error.status;
        cr_assert(!status || status == VARVE_IO, "%s", error.message);
        varve_reader_free(r);
        faulty_free(faulty);
        cr_assert_lt(n, 5000);
    }
    world_free(&w);
}

TEST(dcp_in, reports_missing_and_truncated_files)
{
    struct world w = golden_world();
    varve_error error = { 0 };
    size_t size;
    memory_bytes(w.memory, "d/__1_0.distcp", &size);
    memory_resize(w.memory, "d/__1_0.distcp", size - 1);
    cr_assert_null(vv_reader_open_in(&w.context, "d/.metadata", &error));
    cr_assert_eq(error.status, VARVE_TRUNCATED, "%s", error.message);
    cr_assert(strstr(error.message, "d/__1_0.distcp: "), "%s", error.message);
    struct world other = world_new();
    put_golden(&other, "dcp", ".metadata");
    put_golden(&other, "dcp", "__0_0.distcp");
    cr_assert_null(vv_reader_open_in(&other.context, "d/.metadata", &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "d/.metadata: the file "
                                    "\"__1_0.distcp\" is missing"),
        "%s", error.message);
    world_free(&other);
    world_free(&w);
}

/* --- Samples -------------------------------------------------------------- */

TEST(dcp_in, has_values_at_their_paths)
{
    struct world w = world_new();
    struct dcp d = dcp_new();
    varve_error error = { 0 };
    dcp_pickle(&d, "a.b", "K\5.", 3);
    dcp_path(&d, "a.b", KEYS("a", "b"));
    dcp_pickle(&d, "a.l.0", "K\6.", 3);
    dcp_path(&d, "a.l.0", KEYS("a", "l", "#0"));
    dcp_pickle(&d, "c.d", "K\7.", 3); /* under its name only */
    dcp_pickle(&d, "none", "N.", 2);
    varve_reader *r = dcp_open(&w, &d, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "a/b", "int64[]", &(int64_t){ 5 }, 8);
    check_value(r, "a/l", "int64[1]", &(int64_t){ 6 }, 8);
    check_value(r, "c.d", "int64[]", &(int64_t){ 7 }, 8);
    cr_assert_eq(varve_reader_node_count(r), 5);
    varve_reader_free(r);
    world_free(&w);
}

TEST(dcp_in, refuses_names_outside_the_directory)
{
    static const char *const names[] = { "../d/__0_0.distcp", "/d/x", "..", "",
        "a/b" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dcp d = dcp_new();
        dcp_object(&d, "a");
        dcp_part(&d, "a", NULL, 0, names[i], 0, 10);
        dcp_refused(&d, VARVE_CORRUPT,
            DCP_PATH ": \"a\": its file is not in the directory");
    }
}

TEST(dcp_in, refuses_missing_values_and_conflicting_keys)
{
    struct dcp d = dcp_new();
    dcp_object(&d, "a");
    dcp_refused(&d, VARVE_TRUNCATED, "\"a\": the object is in no file");
    d = dcp_new();
    dcp_pickle(&d, "a", "K\5.", 3);
    dcp_pickle(&d, "b", "K\5.", 3);
    dcp_path(&d, "b", KEYS("a", "x"));
    dcp_refused(&d, VARVE_CORRUPT, "\"b\": its keys conflict");
    d = dcp_new();
    put_text(&d.values, "a");
    OP(&d.values, "N");
    dcp_refused(&d, VARVE_CORRUPT, "\"a\": it is neither a tensor nor");
    d = dcp_new();
    OP(&d.values, "NN");
    dcp_refused(&d, VARVE_CORRUPT, "a key of state_dict_metadata");
}
