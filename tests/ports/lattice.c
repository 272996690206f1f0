/* lattice.c - Simulates a lattice Boltzmann flow (D2Q9, single relaxation time)
 * past an obstacle in a channel.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ports.h"

enum { NX = 20, NY = 12, Q = 9 };

struct lattice {
    int nx, ny;
    double omega;
    long step;
    double f[NX][NY][Q];
    bool wall[NX][NY];
};

static struct lattice now, next;

static const int ex[Q] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
static const int ey[Q] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
static const int back[Q] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
static const double weight[Q] = { 4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9,
    1. / 36, 1. / 36, 1. / 36, 1. / 36 };

static void begin(void)
{
    now = (struct lattice){ .nx = NX, .ny = NY, .omega = 1.2 };
    for (int i = 0; i < NX * NY; i++) {
        int x = i / NY, y = i % NY;
        now.wall[x][y] =
            y == 0 || y == NY - 1 || (x > 5 && x < 8 && y > 4 && y < 8);
        for (int q = 0; q < Q; q++)
            now.f[x][y][q] = weight[q] * (1 + 0.15 * ex[q]);
    }
}

static void collide(double *f)
{
    double rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < Q; q++) {
        rho += f[q];
        ux += f[q] * ex[q];
        uy += f[q] * ey[q];
    }
    ux /= rho;
    uy /= rho;
    for (int q = 0; q < Q; q++) {
        double eu = ex[q] * ux + ey[q] * uy;
        double equal = weight[q] * rho *
                       (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
        f[q] += now.omega * (equal - f[q]);
    }
}

static void stream(int x, int y)
{
    for (int q = 0; q < Q; q++) {
        int tx = (x + ex[q] + NX) % NX, ty = (y + ey[q] + NY) % NY;
        if (now.wall[tx][ty])
            next.f[x][y][back[q]] = now.f[x][y][q];
        else
            next.f[tx][ty][q] = now.f[x][y][q];
    }
}

static void go_on(int steps)
{
    for (int s = 0; s < steps; s++, now.step++) {
        for (int i = 0; i < NX * NY; i++)
            if (!now.wall[i / NY][i % NY])
                collide(now.f[i / NY][i % NY]);
        memcpy(next.f, now.f, sizeof next.f);
        for (int i = 0; i < NX * NY; i++)
            if (!now.wall[i / NY][i % NY])
                stream(i / NY, i % NY);
        memcpy(now.f, next.f, sizeof now.f);
    }
}

static double sum(void)
{
    double sum = (double)now.step;
    for (int i = 0; i < NX * NY * Q; i++)
        sum += i * now.f[i / (NY * Q)][i / Q % NY][i % Q];
    return sum;
}

static void end(void)
{
}

/* [calls] */
static void by_calls(varve_node *root)
{
    varve_add_fixed_variable(root, "nx", varve_scalar(&now.nx));
    varve_add_fixed_variable(root, "ny", varve_scalar(&now.ny));
    varve_add_variable(root, "omega", varve_scalar(&now.omega));
    varve_add_variable(root, "step", varve_scalar(&now.step));
    varve_add_variable(root, "f", varve_array(&now.f[0][0][0], NX, NY, Q));
    varve_add_fixed_variable(
        root, "wall", varve_array(&now.wall[0][0], NX, NY));
}
/* [/calls] */

/* [tables] */
static const varve_field fields[] = {
    VARVE_FIELD(struct lattice, nx, .is_fixed = true),
    VARVE_FIELD(struct lattice, ny, .is_fixed = true),
    VARVE_FIELD(struct lattice, omega),
    VARVE_FIELD(struct lattice, step),
    VARVE_FIELD_ARRAY_3D(struct lattice, f),
    VARVE_FIELD_ARRAY(struct lattice, wall, .is_fixed = true),
    VARVE_FIELDS_END,
};

static void by_tables(varve_node *root)
{
    varve_add_struct(root, "lattice", fields, &now);
}
/* [/tables] */

/* [run] */
static int live(const char *directory, long steps)
{
    varve_error error;
    varve_run *run = varve_run_new(NULL);
    by_tables(varve_run_root(run));
    varve_run_open(run, directory, &port_options);
    while (now.step < steps && varve_run_should_continue(run)) {
        /* [/run] */
        port_may_die(now.step);
        /* [run] */
        go_on(1);
        varve_run_step(run, now.step);
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
