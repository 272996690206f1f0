/* bag.c - Saves a linked list of words with their counts, which is not an
 * array, and settings in a struct: docs/tutorial/types.md.
 *
 *     bag WORD...
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

struct word {
    struct word *next;
    uint32_t count;
    char text[28];
};

struct bag {
    struct word *first;
};

static void bag_empty(struct bag *bag)
{
    while (bag->first) {
        struct word *next = bag->first->next;
        free(bag->first);
        bag->first = next;
    }
}

/* Adds to the count of a word. Returns false if there is no memory or the word
 * is too long. */
static bool bag_add(struct bag *bag, const char *text, uint32_t count)
{
    struct word **at = &bag->first;
    while (*at && strcmp((*at)->text, text) != 0)
        at = &(*at)->next;
    if (!*at &&
        (strlen(text) >= sizeof(*at)->text || !(*at = calloc(1, sizeof **at))))
        return false;
    strcpy((*at)->text, text);
    (*at)->count += count;
    return true;
}

/* [state] */
/* Writes for each word its count, least significant byte first, and its text
 * with a NUL. */
static varve_status save_bag(void *self, varve_sink *sink)
{
    const struct bag *bag = self;
    for (const struct word *w = bag->first; w; w = w->next) {
        unsigned char count[4];
        for (int i = 0; i < 4; i++)
            count[i] = (unsigned char)(w->count >> 8 * i);
        varve_put(sink, count, sizeof count);
        varve_put(sink, w->text, strlen(w->text) + 1);
    }
    return VARVE_OK;
}

/* The bytes come from a file and must be validated. If they are invalid, the
 * bag does not change. */
static varve_status load_bag(void *self, const void *bytes, size_t size)
{
    struct bag *bag = self, loaded = { 0 };
    const unsigned char *at = bytes, *end = at + size;
    while (at < end) {
        const char *text = (const char *)at + 4;
        if (end - at < 5 || !memchr(text, 0, (size_t)(end - at) - 4) ||
            !bag_add(&loaded, text,
                at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                    (uint32_t)at[3] << 24)) {
            bag_empty(&loaded);
            return VARVE_CORRUPT;
        }
        at += 4 + strlen(text) + 1;
    }
    bag_empty(bag);
    *bag = loaded;
    return VARVE_OK;
}

static const varve_state_callbacks of_bag = { save_bag, load_bag };
/* [/state] */

/* [table] */
struct settings {
    int64_t runs;
    double rate;
    char title[32];
};

static const varve_field settings_fields[] = {
    VARVE_FIELD(struct settings, runs),
    VARVE_FIELD(struct settings, rate),
    VARVE_FIELD_TEXT(struct settings, title),
    VARVE_FIELDS_END,
};
/* [/table] */

int main(int argc, char **argv)
{
    struct bag bag = { 0 };
    struct settings settings = { .rate = 0.5, .title = "a bag of words" };
    varve_error error = { .status = VARVE_OK };

    /* [main] */
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_state(root, "words", &of_bag, &bag);
    varve_add_struct(root, "settings", settings_fields, &settings);

    varve_restoration *found = varve_restore(root, "run/bag", NULL, &error);
    if (found || error.status == VARVE_NOT_FOUND)
        error.status = found ? varve_assert_consumed(found, &error) : VARVE_OK;
    /* [/main] */
    for (int i = 1; !error.status && i < argc; i++)
        bag_add(&bag, argv[i], 1);
    settings.runs++;
    if (!error.status && !varve_save(root, "run/bag", NULL, &error))
        for (const struct word *w = bag.first; w; w = w->next)
            printf("%s: %u\n", w->text, (unsigned)w->count);
    if (error.status)
        fprintf(stderr, "%s\n", error.message);
    varve_restoration_free(found);
    varve_graph_free(graph);
    bag_empty(&bag);
    return error.status ? 1 : 0;
}
