/* reservoir.c - Trains an echo state network online: a growing sparse matrix in
 * compressed rows behind a pointer, a packed triangle, a ring buffer, and
 * spikes in a linked list.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "ports.h"

enum { N = 40, DELAY = 7 };

/* A matrix in compressed row format. */
struct csr {
    int rows, nonzeros;
    int *begin;     /* rows + 1 */
    int *column;    /* nonzeros */
    double *weight; /* nonzeros */
};

struct event {
    struct event *next;
    int unit;
    double when;
};

struct esn {
    struct csr *reservoir;
    double x[N], in[N];
    double readout[N];
    double *P; /* N x N, symmetric: only the upper triangle */
    double ring[DELAY];
    unsigned head;        /* position in the ring */
    struct event *newest; /* a list of spikes, newest first */
    long t;
    unsigned long long rng;
};

static struct esn net;

static double uniform(void)
{
    net.rng ^= net.rng << 13;
    net.rng ^= net.rng >> 7;
    net.rng ^= net.rng << 17;
    return (double)(net.rng >> 11) * 0x1p-53;
}

static struct csr *csr_new(int rows, int nonzeros)
{
    struct csr *m = malloc(sizeof *m);
    m->rows = rows;
    m->nonzeros = nonzeros;
    m->begin = calloc((size_t)rows + 1, sizeof(int));
    m->column = calloc((size_t)nonzeros, sizeof(int));
    m->weight = calloc((size_t)nonzeros, sizeof(double));
    return m;
}

static void csr_free(struct csr *m)
{
    if (!m)
        return;
    free(m->begin);
    free(m->column);
    free(m->weight);
    free(m);
}

/* Replaces the matrix by one with an additional edge. */
static void sprout(int row, int column, double weight)
{
    struct csr *old = net.reservoir, *m = csr_new(old->rows, old->nonzeros + 1);
    int k = 0;
    for (int i = 0; i < old->rows; i++) {
        m->begin[i] = k;
        for (int j = old->begin[i]; j < old->begin[i + 1]; j++, k++) {
            m->column[k] = old->column[j];
            m->weight[k] = old->weight[j];
        }
        if (i == row) {
            m->column[k] = column;
            m->weight[k++] = weight;
        }
    }
    m->begin[old->rows] = k;
    csr_free(old);
    net.reservoir = m;
}

/* Returns a pointer to an element of the triangle. */
static double *at(int i, int j)
{
    int row = i < j ? i : j, column = i < j ? j : i;
    return &net.P[row * N - row * (row - 1) / 2 + column - row];
}

static void begin(void)
{
    memset(&net, 0, sizeof net);
    net.rng = 88172645463325252ull;
    net.P = calloc(N * (N + 1) / 2, sizeof(double));
    for (int i = 0; i < N; i++) {
        *at(i, i) = 10;
        net.in[i] = uniform() - 0.5;
    }
}

/* Creates the matrix if none was restored. */
static void grow_reservoir(void)
{
    net.reservoir = csr_new(N, 0);
    for (int i = 0; i < 3 * N; i++) {
        int row = (int)(uniform() * N);
        sprout(row, (int)(uniform() * N), uniform() - 0.5);
    }
}

static void learn(double wanted)
{
    double k[N], y = 0, d = 1;
    for (int i = 0; i < N; i++) {
        k[i] = 0;
        for (int j = 0; j < N; j++)
            k[i] += *at(i, j) * net.x[j];
        y += net.readout[i] * net.x[i];
    }
    for (int i = 0; i < N; i++)
        d += k[i] * net.x[i];
    for (int i = 0; i < N; i++) {
        net.readout[i] += k[i] / d * (wanted - y);
        for (int j = i; j < N; j++)
            *at(i, j) -= k[i] * k[j] / d;
    }
}

static void step(void)
{
    double input = sin(0.2 * (double)net.t) + 0.1 * uniform(), y[N];
    double late = net.ring[net.head];
    net.ring[net.head] = input;
    net.head = (net.head + 1) % DELAY;
    const struct csr *m = net.reservoir;
    for (int i = 0; i < N; i++) {
        double sum = net.in[i] * input;
        for (int j = m->begin[i]; j < m->begin[i + 1]; j++)
            sum += m->weight[j] * net.x[m->column[j]];
        y[i] = tanh(sum);
    }
    for (int i = 0; i < N; i++) {
        if (net.x[i] < 0.3 && y[i] >= 0.3) {
            struct event *e = malloc(sizeof *e);
            *e = (struct event){ net.newest, i, (double)net.t };
            net.newest = e;
        }
        net.x[i] = y[i];
    }
    learn(late);
    if (++net.t % 5 == 0)
        sprout((int)(uniform() * N), (int)(uniform() * N), uniform() - 0.5);
}

static double sum(void)
{
    double s = (double)net.t + (double)(net.rng >> 20) * 1e-9;
    for (int i = 0; i < N; i++)
        s += net.readout[i] * (i + 1) + net.x[i];
    for (struct event *e = net.newest; e; e = e->next)
        s = s * 0.99 + e->unit + e->when;
    for (int i = 0; i < net.reservoir->nonzeros; i++)
        s += net.reservoir->weight[i] * i;
    return s;
}

static void free_events(void)
{
    for (struct event *next; net.newest; net.newest = next) {
        next = net.newest->next;
        free(net.newest);
    }
}

static void end(void)
{
    csr_free(net.reservoir);
    free(net.P);
    free_events();
}

static void go_on(int steps)
{
    if (!net.reservoir)
        grow_reservoir();
    for (int i = 0; i < steps; i++)
        step();
}

/* [calls] */
static void add_event(varve_node *list, struct event *e)
{
    varve_node *node = varve_add_object(list, VARVE_APPEND);
    varve_add_variable(node, "unit", varve_scalar(&e->unit));
    varve_add_variable(node, "when", varve_scalar(&e->when));
}

/* Appends an event for each one in the file. */
static void offer_event(void *user, varve_node *list, const varve_offer *offer)
{
    struct event **last = &net.newest;
    (void)user, (void)offer;
    while (*last)
        last = &(*last)->next;
    if ((*last = calloc(1, sizeof **last)))
        add_event(list, *last);
}

static void add_events(varve_node *root)
{
    varve_node *list = varve_add_list(root, "events");
    for (struct event *e = net.newest; e; e = e->next)
        add_event(list, e);
    varve_set_on_demand(list, offer_event, NULL);
}
static varve_status make_room(
    void *user, varve_node *node, const varve_tensor *coming, void **room)
{
    (void)user, (void)node;
    *room = malloc((size_t)varve_tensor_size(coming));
    return *room ? VARVE_OK : VARVE_NO_MEMORY;
}

static void settle(void *user, varve_node *node, void *room, bool is_taken)
{
    void **pointer = user;
    (void)node;
    free(is_taken ? *pointer : room);
    if (is_taken)
        *pointer = room;
}

static void add_reservoir(varve_node *root)
{
    static const varve_resizing resizing = { make_room, settle };
    struct csr *m = net.reservoir ? net.reservoir : csr_new(N, 0);
    uint64_t count = (uint64_t)m->nonzeros;
    varve_node *node = varve_add_object(root, "reservoir");
    varve_add_variable(node, "nonzeros", varve_scalar(&m->nonzeros));
    varve_add_variable(node, "begin", varve_array(m->begin, N + 1));
    varve_add_resizable(
        node, "column", varve_array(m->column, count), &resizing, &m->column);
    varve_add_resizable(
        node, "weight", varve_array(m->weight, count), &resizing, &m->weight);
    net.reservoir = m;
}

static void by_calls(varve_node *root)
{
    varve_add_variable(root, "x", varve_array(net.x, N));
    varve_add_variable(root, "in", varve_array(net.in, N));
    varve_add_variable(root, "readout", varve_array(net.readout, N));
    varve_add_variable(root, "P", varve_array(net.P, N * (N + 1) / 2));
    varve_add_variable(root, "ring", varve_array(net.ring, DELAY));
    varve_add_variable(root, "head", varve_scalar(&net.head));
    varve_add_variable(root, "t", varve_scalar(&net.t));
    varve_add_variable(root, "rng", varve_scalar(&net.rng));
    add_reservoir(root);
    add_events(root);
}
/* [/calls] */

/* [tables] */
static const varve_field csr_fields[] = {
    VARVE_FIELD(struct csr, rows),
    VARVE_FIELD(struct csr, nonzeros),
    VARVE_FIELD_POINTER(struct csr, begin, rows, .more = 1, .room = calloc),
    VARVE_FIELD_POINTER(struct csr, column, nonzeros, .room = calloc),
    VARVE_FIELD_POINTER(struct csr, weight, nonzeros, .room = calloc),
    VARVE_FIELDS_END,
};
static const varve_field esn_fields[] = {
    VARVE_FIELD_STRUCT_AT(struct esn, reservoir, csr_fields, .room = calloc),
    VARVE_FIELD_ARRAY(struct esn, x),
    VARVE_FIELD_ARRAY(struct esn, in),
    VARVE_FIELD_ARRAY(struct esn, readout),
    VARVE_FIELD_POINTER_TO(struct esn, P, N *(N + 1) / 2),
    VARVE_FIELD_ARRAY(struct esn, ring),
    VARVE_FIELD(struct esn, head),
    VARVE_FIELD(struct esn, t),
    VARVE_FIELD(struct esn, rng),
    VARVE_FIELDS_END,
};

static const varve_field event_fields[] = {
    VARVE_FIELD(struct event, unit),
    VARVE_FIELD(struct event, when),
    VARVE_FIELDS_END,
};

static size_t count_events(void *user)
{
    size_t count = 0;
    (void)user;
    for (const struct event *e = net.newest; e; e = e->next)
        count++;
    return count;
}

static void get_events(void *user, void *structs)
{
    struct event *to = structs;
    (void)user;
    for (const struct event *e = net.newest; e; e = e->next)
        *to++ = *e;
}

static void clear_events(void *user)
{
    (void)user;
    free_events();
}

static varve_status put_event(void *user, const void *one)
{
    struct event **last = &net.newest;
    (void)user;
    while (*last)
        last = &(*last)->next;
    if (!(*last = malloc(sizeof **last)))
        return VARVE_NO_MEMORY;
    **last = *(const struct event *)one;
    (*last)->next = NULL;
    return VARVE_OK;
}

static void by_tables(varve_node *root)
{
    static const varve_migrating events = { event_fields, sizeof(struct event),
        .count = count_events, .get = get_events, .clear = clear_events,
        .put = put_event };
    varve_add_struct(root, "net", esn_fields, &net);
    varve_add_migrating(root, "events", NULL, &events);
}
/* [/tables] */

/* [run] */
static int live(const char *directory, long steps)
{
    varve_error error;
    varve_run *run = varve_run_new(NULL);
    by_tables(varve_run_root(run));
    varve_run_open(run, directory, &port_options);
    while (net.t < steps && varve_run_should_continue(run)) {
        /* [/run] */
        port_may_die(net.t);
        /* [run] */
        go_on(1);
        varve_run_step(run, net.t);
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
