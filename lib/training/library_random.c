/* library_random.c - Saves a generator of the C library as a state: its form,
 * and its words in little-endian order.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/random.h>

#include <string.h>

#include "bytes.h"
#include "graph.h"
#include "libc_random.h"

enum { FORM_SIZE = 8, WORD_SIZE = 4 };

/* `self` of a state points to an element of this array. */
static struct generator {
    enum vv_libc_generator which;
    const char *name;
} generators[] = {
    [VARVE_LIBC_RAND] = { VV_LIBC_RAND, "rand" },
    [VARVE_LIBC_RANDOM] = { VV_LIBC_RANDOM, "random" },
    [VARVE_LIBC_DRAND48] = { VV_LIBC_DRAND48, "drand48" },
};

enum { GENERATORS = sizeof generators / sizeof *generators };

static void library_random_form_of(
    const struct generator *g, char form[FORM_SIZE])
{
    memset(form, 0, FORM_SIZE);
    strcpy(form, vv_libc_random_form(g->which));
}

static varve_status library_random_save(void *self, varve_sink *sink)
{
    const struct generator *g = self;
    uint32_t words[VV_LIBC_MOST_WORDS];
    char form[FORM_SIZE], word[WORD_SIZE];
    size_t count = vv_libc_random_get(g->which, words);
    if (count == 0)
        return VARVE_TOO_NEW;
    library_random_form_of(g, form);
    varve_put(sink, form, sizeof form);
    for (size_t i = 0; i < count; i++) {
        vv_store32(word, words[i]);
        varve_put(sink, word, sizeof word);
    }
    return VARVE_OK;
}

static varve_status library_random_load(
    void *self, const void *bytes, size_t size)
{
    const struct generator *g = self;
    uint32_t words[VV_LIBC_MOST_WORDS];
    char form[FORM_SIZE];
    library_random_form_of(g, form);
    if (size < FORM_SIZE || memcmp(bytes, form, FORM_SIZE) != 0)
        return VARVE_MISMATCH;
    const char *word = (const char *)bytes + FORM_SIZE;
    size_t count = (size - FORM_SIZE) / WORD_SIZE;
    if (size % WORD_SIZE || count > VV_LIBC_MOST_WORDS)
        return VARVE_MISMATCH;
    for (size_t i = 0; i < count; i++)
        words[i] = vv_load32(word + i * WORD_SIZE);
    return vv_libc_random_set(g->which, words, count) ? VARVE_OK
                                                      : VARVE_MISMATCH;
}

varve_node *varve_add_libc_random(
    varve_node *parent, const char *name, varve_libc_generator which)
{
    static const varve_state_callbacks callbacks = { library_random_save,
        library_random_load };
    uint32_t words[VV_LIBC_MOST_WORDS];
    parent = vv_or_nil(parent);
    unsigned number = (unsigned)which;
    bool is_one = number < GENERATORS;
    struct generator *g = &generators[is_one ? number : 0];
    if (is_one && vv_libc_random_form(g->which) &&
        vv_libc_random_get(g->which, words)) {
        varve_node *node = varve_add_state(parent, name, &callbacks, g);
        varve_tag(node, VARVE_TAG_RANDOM);
        return node;
    }
    if (is_one)
        vv_graph_error(parent->graph, VARVE_TOO_NEW,
            "%s: this C library does not provide the state of %s: use random "
            "or varve_random",
            name ? name : "list element", g->name);
    else
        vv_graph_error(parent->graph, VARVE_MISUSE,
            "%s: the C library has no generator number %u",
            name ? name : "list element", number);
    return &parent->graph->nil;
}
