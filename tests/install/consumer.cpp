/* consumer.cpp - Saves a vector and reads it back, using only the installed
 * library.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/varve.hpp>

#include <cstdio>
#include <vector>

int main(int count, char **arguments)
{
    std::vector<float> kernel = { 1, 2, 3, 4, 5, 6 };
    varve::graph graph;
    graph.root().add("kernel", kernel, { 2, 3 });
    const varve::text path = count == 2 ? arguments[1] : "consumer.varve";
    if (const auto written = varve::write(graph.root(), path); !written) {
        std::fprintf(stderr, "%s\n", written.error().message);
        return 1;
    }
    kernel.assign(6, 0);
    auto found = varve::read(graph.root(), path);
    if (!found || !found->assert_consumed() || kernel[5] != 6) {
        std::fprintf(stderr, "the values were not restored\n");
        return 1;
    }
    return 0;
}
