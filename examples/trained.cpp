/* trained.cpp - Trains a model with a momentum and a random stream: run it
 * twice.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <vector>
#include <varve/varve.hpp>

int main()
{
    std::vector<float> kernel(12), momentum(12);
    varve::random_stream noise;

    varve::run run;
    const varve::node model = run.root().add_object("model");
    const varve::node layer = model.add_object("hidden").alias("dense");
    const varve::node weights = layer.add("kernel", kernel, { 4, 3 });
    run.root().add_object("sgd").add_slot(weights, "momentum", momentum);
    run.root().add_random("noise", noise);

    varve::run_options options;
    options.manager.interval_steps = 10;
    options.manager.keep_last = 2;
    options.last_step = 25;
    run.open("run", options);
    auto step = run.resumed_step();
    std::printf("starting at step %d\n", static_cast<int>(step));
    while (run.should_continue()) {
        kernel[0] += static_cast<float>(noise.normal(0, 1));
        run.step(++step);
    }
    if (const auto ended = run.end(); !ended)
        return std::fprintf(stderr, "%s\n", ended.error().message), 1;
}
