/* particles.c - Simulates particles in a box: a growing array of structs, and
 * the random generator that adds more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ports.h"

struct particle {
    double at[3];
    double speed[3];
    int kind;
};

struct box {
    double time;
    uint64_t generator[2];
    struct particle *particles;
    int count;
    int room; /* capacity of the array; not saved */
};

static struct box box;

static double draw(void)
{
    uint64_t old = box.generator[0];
    box.generator[0] = old * 6364136223846793005u + (box.generator[1] | 1);
    uint32_t x = (uint32_t)((old >> 18 ^ old) >> 27);
    return (x >> (old >> 59) | x << (-(old >> 59) & 31)) / 4294967296.0;
}

static void add_particle(void)
{
    if (box.count >= box.room) {
        box.room = box.count + 8;
        box.particles =
            realloc(box.particles, (size_t)box.room * sizeof *box.particles);
        if (!box.particles)
            abort();
    }
    struct particle *p = &box.particles[box.count++];
    for (int i = 0; i < 3; i++) {
        p->at[i] = draw();
        p->speed[i] = draw() - 0.5;
    }
    p->kind = box.count % 3;
}

static void begin(void)
{
    box = (struct box){ .generator = { 42, 54 } };
}

static void go_on(int steps)
{
    for (int s = 0; s < steps; s++) {
        add_particle();
        for (int i = 0; i < box.count; i++)
            for (int k = 0; k < 3; k++) {
                struct particle *p = &box.particles[i];
                p->at[k] += 0.01 * p->speed[k];
                if (p->at[k] < 0 || p->at[k] > 1)
                    p->speed[k] = -p->speed[k];
            }
        box.time += 0.01;
    }
}

static double sum(void)
{
    double sum = box.time + (double)(box.generator[0] >> 12);
    for (int i = 0; i < box.count; i++)
        sum += box.particles[i].at[i % 3] * i + box.particles[i].kind;
    return sum;
}

static void end(void)
{
    free(box.particles);
}

/* [calls] */
static void add_one(varve_node *list, struct particle *p)
{
    varve_node *node = varve_add_object(list, VARVE_APPEND);
    varve_add_variable(node, "at", varve_array(p->at, 3));
    varve_add_variable(node, "speed", varve_array(p->speed, 3));
    varve_add_variable(node, "kind", varve_scalar(&p->kind));
}

static void add_all(varve_node *parent)
{
    varve_node *list = varve_add_list(parent, "particles");
    for (int i = 0; i < box.count; i++)
        add_one(list, &box.particles[i]);
}

static void offer_particles(
    void *user, varve_node *node, const varve_offer *offer)
{
    (void)user;
    if (strcmp(offer->name, "particles") != 0 || offer->kind != VARVE_LIST)
        return;
    box.particles = calloc((size_t)offer->count, sizeof *box.particles);
    box.count = box.particles ? (int)offer->count : 0;
    box.room = box.count;
    add_all(node);
}

static void by_calls(varve_node *root)
{
    varve_add_variable(root, "time", varve_scalar(&box.time));
    varve_add_variable(root, "generator", varve_array(box.generator, 2));
    varve_set_on_demand(root, offer_particles, NULL);
    if (box.particles)
        add_all(root);
}
/* [/calls] */

/* [tables] */
static const varve_field particle_fields[] = {
    VARVE_FIELD_ARRAY(struct particle, at),
    VARVE_FIELD_ARRAY(struct particle, speed),
    VARVE_FIELD(struct particle, kind),
    VARVE_FIELDS_END,
};
static const varve_field box_fields[] = {
    VARVE_FIELD(struct box, time),
    VARVE_FIELD_ARRAY(struct box, generator),
    VARVE_FIELD(struct box, count),
    VARVE_FIELD_STRUCTS_AT(
        struct box, particles, particle_fields, count, .room = calloc),
    VARVE_FIELDS_END,
};

static void by_tables(varve_node *root)
{
    varve_add_struct(root, "box", box_fields, &box);
}
/* [/tables] */

/* [run] */
static int live(const char *directory, long steps)
{
    varve_error error;
    varve_run *run = varve_run_new(NULL);
    by_tables(varve_run_root(run));
    varve_run_open(run, directory, &port_options);
    while (box.count < steps && varve_run_should_continue(run)) {
        /* [/run] */
        port_may_die(box.count);
        /* [run] */
        go_on(1);
        varve_run_step(run, box.count);
    }
    if (varve_run_end(run, &error))
        return port_fail(directory, error.message);
    return 0;
}
/* [/run] */

int main(int argc, char **argv)
{
    const struct port port = { begin, go_on, sum, end, by_calls, by_tables,
        live };
    return port_main(&port, argc, argv);
}
