/* readme.cpp - Saves and restores two values in C++: run it twice.
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

    varve::run run;
    run.root().add("step", step);
    run.root().add_object("model").add("kernel", kernel, { 2, 3 });
    run.open("run");

    std::cout << "at step " << step << ", kernel[1][2] is " << kernel[5]
              << '\n';
    kernel[5] += 0.5f;
    run.step(++step);

    const auto ended = run.end();
    if (!ended)
        std::cerr << ended.error().message << '\n';
    return ended ? 0 : 1;
}
