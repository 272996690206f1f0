/* 12_generators.c - Saves and restores random number generators other than
 * those of the library.
 *
 *     12_generators [DIRECTORY]
 *
 * Introduces generators: one call for those whose state is inside the C
 * library, random() and drand48(); a struct and a table of its members for
 * xoshiro256**, mt19937, PCG32 and erand48(), whose state the program has. The
 * numbers after a save are drawn twice: at once, and after all generators were
 * seeded differently and restored. They must be equal.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* random, drand48 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "support/operands.h"

enum { DRAWN_BEFORE = 1001, DRAWN_AFTER = 2000, KINDS = 7 };

static const char *const names[KINDS] = { "random", "drand48", "erand48",
    "xoshiro256**", "mt19937", "PCG32", "normal" };

/* --- Generators in the memory of the program ------------------------------ */

/* [table] */
struct generators {
    unsigned short erand48[3]; /* and jrand48, nrand48 */
    uint64_t xoshiro[4];
    uint32_t mt[624];
    int mt_index; /* numbers drawn from the block */
    uint64_t pcg_state;
    uint64_t pcg_increment;
    bool has_normal; /* normal numbers are made in pairs */
    double normal;   /* the second of a pair, if it is still unused */
};

static const varve_field generator_fields[] = {
    VARVE_FIELD_ARRAY(struct generators, erand48),
    VARVE_FIELD_ARRAY(struct generators, xoshiro),
    VARVE_FIELD_ARRAY(struct generators, mt),
    VARVE_FIELD(struct generators, mt_index),
    VARVE_FIELD(struct generators, pcg_state),
    VARVE_FIELD(struct generators, pcg_increment),
    VARVE_FIELD(struct generators, has_normal),
    VARVE_FIELD(struct generators, normal),
    VARVE_FIELDS_END,
};
/* [/table] */

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static uint64_t next_xoshiro(uint64_t *s)
{
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

static uint32_t next_mt(struct generators *g)
{
    if (g->mt_index == 624) {
        for (int i = 0; i < 624; i++) {
            uint32_t y =
                (g->mt[i] & 0x80000000u) | (g->mt[(i + 1) % 624] & 0x7fffffffu);
            g->mt[i] =
                g->mt[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        g->mt_index = 0;
    }
    uint32_t y = g->mt[g->mt_index++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static uint32_t next_pcg(struct generators *g)
{
    uint64_t old = g->pcg_state;
    g->pcg_state = old * 6364136223846793005u + (g->pcg_increment | 1);
    uint32_t x = (uint32_t)((old >> 18 ^ old) >> 27);
    unsigned by = (unsigned)(old >> 59);
    return x >> by | x << (-by & 31);
}

static double next_normal(struct generators *g)
{
    if (g->has_normal) {
        g->has_normal = false;
        return g->normal;
    }
    double u = ((double)(next_xoshiro(g->xoshiro) >> 11) + 0.5) * 0x1p-53;
    double v = (double)(next_xoshiro(g->xoshiro) >> 11) * 0x1p-53;
    double r = sqrt(-2 * log(u));
    g->has_normal = true;
    g->normal = r * sin(6.28318530717958648 * v);
    return r * cos(6.28318530717958648 * v);
}

/* --- All generators
 * -------------------------------------------------------- */

static void seed(struct generators *g, unsigned seed)
{
    srandom(seed);
    srand48((long)seed);
    *g = (struct generators){ .erand48 = { 1, 2, (unsigned short)seed },
        .xoshiro = { seed, 1, 2, 3 },
        .mt = { seed },
        .mt_index = 624,
        .pcg_state = seed,
        .pcg_increment = 1442695040888963407u };
    for (uint32_t i = 1; i < 624; i++)
        g->mt[i] = 1812433253u * (g->mt[i - 1] ^ g->mt[i - 1] >> 30) + i;
}

static void draw(struct generators *g, double *out)
{
    out[0] = (double)random();
    out[1] = drand48();
    out[2] = erand48(g->erand48);
    out[3] = (double)next_xoshiro(g->xoshiro);
    out[4] = next_mt(g);
    out[5] = next_pcg(g);
    out[6] = next_normal(g);
}

/* Returns how many numbers of a kind differ from those drawn before. */
static int compare(struct generators *g, double (*drawn)[KINDS])
{
    int others[KINDS] = { 0 }, all = 0;
    for (int i = 0; i < DRAWN_AFTER; i++) {
        double again[KINDS];
        draw(g, again);
        for (int k = 0; k < KINDS; k++)
            others[k] += memcmp(&again[k], &drawn[i][k], sizeof *again) != 0;
    }
    for (int k = 0; k < KINDS; k++) {
        printf("%-12s  %d of %d differ\n", names[k], others[k], DRAWN_AFTER);
        all += others[k];
    }
    return all;
}

static varve_status go_on(varve_node *root, struct generators *g,
    const char *path, double (*drawn)[KINDS], varve_error *error)
{
    varve_status status = varve_write(root, path, NULL, error);
    if (status)
        return status;
    for (int i = 0; i < DRAWN_AFTER; i++)
        draw(g, drawn[i]);
    seed(g, 5);
    varve_restoration *restoration = varve_read(root, path, NULL, error);
    if (!restoration)
        return error->status;
    status = varve_assert_consumed(restoration, error);
    varve_restoration_free(restoration);
    return status;
}

int main(int argc, char **argv)
{
    static double drawn[DRAWN_AFTER][KINDS];
    static struct generators g;
    varve_error error = { 0 };
    char path[4096];
    if (!operands_fit(argc, argv, 1, "[DIRECTORY]"))
        return 2;
    snprintf(path, sizeof path, "%s/generators.varve",
        argc > 1 ? argv[1] : "run/12_generators");

    /* [add] */
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_libc_random(root, "random", VARVE_LIBC_RANDOM);
    varve_add_libc_random(root, "drand48", VARVE_LIBC_DRAND48);
    varve_add_struct(root, "generators", generator_fields, &g);
    /* [/add] */

    seed(&g, 1);
    for (int i = 0; i < DRAWN_BEFORE; i++)
        draw(&g, drawn[0]);
    varve_status status = go_on(root, &g, path, drawn, &error);
    if (status)
        fprintf(stderr, "12_generators: %s\n", error.message);
    int others = status ? 0 : compare(&g, drawn);
    varve_graph_free(graph);
    return status || others ? 1 : 0;
}
