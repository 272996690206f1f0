/* visit_texts.c - Visits conversions of numbers to text, which must not depend
 * on the locale.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#include "guest/guest.h"
#include "guest/state.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct texts {
    char bytes[65536];
    size_t size;
};

static varve_status add(void *user, const void *bytes, size_t size)
{
    struct texts *texts = user;
    if (size > sizeof texts->bytes - texts->size)
        return VARVE_LIMIT;
    memcpy(texts->bytes + texts->size, bytes, size);
    texts->size += size;
    return VARVE_OK;
}

static void add_file(struct texts *texts, const char *path)
{
    FILE *file = fopen(path, "rb");
    char bytes[8192];
    if (!file)
        return;
    (void)!add(texts, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

static void add_messages(struct guest *g, struct texts *texts)
{
    double half = 0.5;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    const varve_metadata third = {
        .name = "third", .kind = VARVE_METADATA_REAL, .real = 1.0 / 3
    };
    const varve_write_options safetensors = { .metadata = &third,
        .metadata_count = 1,
        .format = VARVE_FORMAT_SAFETENSORS };
    varve_add_fixed_variable(root, "half", varve_scalar(&half));
    GOOD(g, varve_write(root, "half.varve", NULL, &g->error));
    GOOD(g, varve_write(root, "half.safetensors", &safetensors, &g->error));
    add_file(texts, "half.safetensors");
    half = 0.25;
    REFUSES(g, VARVE_MISMATCH, varve_read(root, "half", NULL, &g->error));
    (void)!add(texts, g->error.message, strlen(g->error.message));
    varve_graph_free(graph);
}

static void add_report(struct guest *g, struct texts *texts)
{
    double value = 0.25;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_restoration *plan;
    varve_report *report;
    varve_add_fixed_variable(root, "half", varve_scalar(&value));
    LEAVES(g, 0, 1);
    MAKES(g, plan, varve_dry_run(root, "half", NULL, &g->error));
    MAKES(g, report, varve_report_new(plan, &g->error));
    const char *text = varve_report_json(report, &g->error);
    guest_expect(g, text, "there is a report");
    (void)!add(texts, text ? text : "", text ? strlen(text) : 0);
    varve_report_free(report);
    LEAVES(g, 0, -1);
    CALL(g, varve_restoration_free(plan));
    varve_graph_free(graph);
}

static void add_reasons(
    struct guest *g, struct texts *texts, const char *directory)
{
    float value = 1;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    const varve_manager_save_options save = { .has_metric = true,
        .metric = 0.5 };
    varve_checkpoint_info managed = { .kept = "" };
    varve_add_variable(root, "value", varve_scalar(&value));
    varve_manager *m = varve_manager_new(root, directory,
        &(varve_manager_options){ .keep_best = 1, .keep_last = 1 }, &g->error);
    LEAVES(g, 0, ANY);
    GOOD(g, varve_manager_save_with(m, 1, &save, &g->error));
    CALL(g, (void)varve_manager_at(m, 0, &managed));
    (void)!add(texts, managed.kept, strlen(managed.kept));
    varve_manager_free(m);
    varve_graph_free(graph);
}

/* A file of torch.save with the dict {0.5: 1}, without its checksum. */
static void add_keys(struct guest *g, struct texts *texts)
{
    static const char head[] = "PK\3\4\x14\0\0\0\0\0\0\0!\0\0\0\0\0\x0f\0\0\0"
                               "\x0f\0\0\0\x0a\0\0\0a/data.pkl";
    static const char pickle[] = "}(G?\xe0\0\0\0\0\0\0K\1u.";
    static const char end[] = "PK\1\2\x14\3\x14\0\0\0\0\0\0\0!\0\0\0\0\0\x0f\0"
                              "\0\0\x0f\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                              "\0\0a/data.pkl"
                              "PK\5\6\0\0\0\0\1\0\1\0\x38\0\0\0\x37\0\0\0\0\0";
    const varve_write_options torch = { .format = VARVE_FORMAT_TORCH };
    varve_graph *graph;
    FILE *file = fopen("keys.pt", "wb");
    if (!file)
        return;
    fwrite(head, 1, sizeof head - 1, file);
    fwrite(pickle, 1, sizeof pickle - 1, file);
    fwrite(end, 1, sizeof end - 1, file);
    fclose(file);
    MAKES(g, graph, varve_graph_from("keys.pt", NULL, &g->error));
    GOOD(g,
        varve_write(varve_graph_root(graph), "again.pt", &torch, &g->error));
    varve_graph_free(graph);
    add_file(texts, "again.pt");
}

void visit_texts(struct guest *g)
{
    static struct texts here, plain;
    char *locale = strdup(setlocale(LC_ALL, NULL));
    add_messages(g, &here);
    add_report(g, &here);
    add_reasons(g, &here, "here");
    add_keys(g, &here);
    setlocale(LC_ALL, "C");
    add_messages(g, &plain);
    add_report(g, &plain);
    add_reasons(g, &plain, "plain");
    add_keys(g, &plain);
    setlocale(LC_ALL, locale);
    free(locale);
    guest_expect(g, here.size > 500, "there are texts");
    for (size_t i = 0; i < plain.size; i++) {
        if (i >= here.size || here.bytes[i] != plain.bytes[i]) {
            char text[80];
            snprintf(text, sizeof text, "another text: %.40s",
                here.bytes + (i < 20 ? 0 : i - 20));
            guest_expect(g, false, text);
            break;
        }
    }
}
