/* dense.h - Defines the layer that the tests of this folder use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DENSE_H
#define DENSE_H

#include <varve/varve.h>

#ifndef DENSE_NAME
#define DENSE_NAME "dense" /* of the layer in the graph */
#endif

struct dense {
    float kernel[2][3];
    float bias[3];
};

static inline void dense_add(struct dense *dense, varve_node *parent)
{
    varve_node *node = varve_add_object(parent, DENSE_NAME);
    varve_add_variable(node, "kernel", varve_array(&dense->kernel[0][0], 2, 3));
    varve_add_variable(node, "bias", varve_array(dense->bias, 3));
}

static inline void dense_fill(struct dense *dense)
{
    for (int i = 0; i < 6; i++)
        dense->kernel[i / 3][i % 3] = (float)i / 3;
    for (int i = 0; i < 3; i++)
        dense->bias[i] = (float)i;
}

#endif
