/* test_safetensors_header_kept.c - Tests types that are kept for writing
 * safetensors again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_header.h"

#include "structure.h"
#include "targets.h"
#include "unit/foreign/safetensors.h"

#define T(name, dtype, shape, begin, end)                                      \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape                   \
    ",\"data_offsets\":[" #begin "," #end "]}"

/* In the order of the reference implementation. */
static const char header[] =
    "{\"__metadata__\":{\"format\":\"pt\"}," T("f", "F8_E5M2FNUZ", "[0,3]", 0,
        0) "," T("e", "F8_E4M3FNUZ", "[1]", 0, 1) "," T("d", "F8_E8M0", "[2,3]",
        1, 7) "," T("c", "F6_E3M2", "[4]", 7, 10) "," T("b", "F6_E2M3", "[2,2]",
        10, 13) "," T("a", "F4", "[2,1,2]", 13, 15) "}";

/* Writes the graph that was read. */
static void write_again(struct world *w, varve_format format, const char *to,
    struct losses *reported)
{
    varve_error error = { 0 };
    varve_write_options options = { .format = format,
        .foreign = { .loss = add_loss, .loss_user = reported } };
    varve_graph *graph =
        vv_graph_from_in(&w->context, "a.safetensors", NULL, &error);
    cr_assert(graph, "%s", error.message);
    options.metadata = varve_graph_metadata(graph, &options.metadata_count);
    cr_assert_ok(
        varve_write(varve_graph_root(graph), to, &options, &error), error);
    varve_graph_free(graph);
}

TEST(safetensors_kept, is_written_back_byte_for_byte)
{
    struct world w = world_new();
    struct losses reported = { "" };
    size_t size, found;
    char padded[sizeof header + 8];
    strcpy(padded, header);
    while (strlen(padded) % 8)
        strcat(padded, " ");
    put_tensors(w.memory, "a.safetensors", padded, 15);
    write_again(&w, VARVE_FORMAT_SAFETENSORS, "b.safetensors", &reported);
    cr_assert_str_empty(reported.text);
    unsigned char *expected = memory_bytes(w.memory, "a.safetensors", &size);
    unsigned char *bytes = memory_bytes(w.memory, "b.safetensors", &found);
    cr_assert_eq(found, size, "%.*s", (int)found - 8, (char *)bytes + 8);
    cr_assert_eq(memcmp(bytes, expected, size), 0, "%.*s", (int)found - 8,
        (char *)bytes + 8);
    world_free(&w);
}

TEST(safetensors_kept, is_lost_in_other_formats)
{
    struct world w = world_new();
    struct losses reported = { "" };
    put_tensors(w.memory, "a.safetensors", header, 15);
    write_again(&w, VARVE_FORMAT_NPZ, "b.npz", &reported);
    cr_assert(strstr(reported.text, "a: its state\n"), "%s", reported.text);
    cr_assert(strstr(reported.text, "a: a tag\n"), "%s", reported.text);
    world_free(&w);
}
