/* readme.cpp - the smallest program in C++ that saves and restores: run it
 * twice.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdint>
#include <iostream>
#include <vector>

#include <varve/varve.hpp>

int main()
{
    std::vector<float> kernel(6);
    std::int64_t step = 0;

    varve::graph graph;
    graph.root().add("step", step);
    graph.root().add_object("model").add("kernel", kernel, { 2, 3 });

    const auto found = varve::restore(graph.root(), "run/ckpt");
    if (!found && found.status() != VARVE_NOT_FOUND) {
        std::cerr << found.error().message << '\n';
        return 1;
    }
    std::cout << "at step " << step << ", kernel[1][2] is " << kernel[5]
              << '\n';
    step += 1;
    kernel[5] += 0.5f;
    const auto saved = varve::save(graph.root(), "run/ckpt");
    if (!saved) {
        std::cerr << saved.error().message << '\n';
        return 1;
    }
    std::cout << "saved run/ckpt-" << *saved << '\n';
}
