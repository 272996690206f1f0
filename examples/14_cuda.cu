/* 14_cuda.cu - Trains weights in CUDA device memory and saves them from there.
 *
 *     14_cuda [STEPS [DIRECTORY]]
 *
 * The same as 13_opencl.c with cudaMemcpy. Without a device it exits with
 * status 77. It is compiled in the tests if nvcc is installed, but has not been
 * run on a device.
 *
 *     nvcc -o 14_cuda 14_cuda.cu $(pkg-config --cflags --libs varve)
 *
 * SPDX-License-Identifier: MIT
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include <varve/varve.h>

enum { ROWS = 5000, COLUMNS = 128, SAVE_EVERY = 20, NO_DEVICE = 77 };

/* --- Training on the device
 * ------------------------------------------------ */

static __device__ uint32_t draw(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7feb352du;
    i = (i ^ i >> 15) * 0x846ca68bu;
    return i ^ i >> 16;
}

static __device__ float sample(uint32_t step, uint32_t k)
{
    return draw(step << 10 ^ k) & 1 ? 1.0f : -1.0f;
}

/* Each row learns the answers to samples, which are drawn from the number of
 * the step, by gradient descent with momentum. */
static __global__ void learn(float *w, float *momentum, uint32_t step)
{
    uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ROWS)
        return;
    row *= COLUMNS;
    float off = 0;
    for (uint32_t k = 0; k < COLUMNS; k++)
        off += (w[row + k] - draw(row + k) * 0x1p-32f) * sample(step, k);
    for (uint32_t k = 0; k < COLUMNS; k++) {
        float slope = off * sample(step, k) / COLUMNS;
        momentum[row + k] = 0.9f * momentum[row + k] + slope;
        w[row + k] -= 0.1f * momentum[row + k];
    }
}

struct training {
    float *weights; /* device addresses */
    float *momentum;
    uint32_t step;
};

static void must(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    std::fprintf(stderr, "14_cuda: %s: %s\n", what, cudaGetErrorString(code));
    std::exit(1);
}

static void find_device(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0)
        return;
    std::fprintf(stderr, "14_cuda: no CUDA device found\n");
    std::exit(NO_DEVICE);
}

static float *make_buffer(void)
{
    const size_t size = sizeof(float) * ROWS * COLUMNS;
    void *memory = nullptr;
    must(cudaMalloc(&memory, size), "a buffer");
    must(cudaMemset(memory, 0, size), "clearing a buffer");
    return static_cast<float *>(memory);
}

static void take_step(training *t)
{
    learn<<<(ROWS + 63) / 64, 64>>>(t->weights, t->momentum, ++t->step);
    must(cudaGetLastError(), "a step");
}

/* --- Checkpoints ---------------------------------------------------------- */

/* Both wait for the steps that were launched before. The current device is a
 * property of each thread: if there are several devices, call cudaSetDevice
 * here. */
static varve_status copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    const char *from = static_cast<const char *>(self) + offset;
    return cudaMemcpy(bytes, from, size, cudaMemcpyDeviceToHost) == cudaSuccess
               ? VARVE_OK
               : VARVE_IO;
}

static varve_status copy_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    char *to = static_cast<char *>(self) + offset;
    return cudaMemcpy(to, bytes, size, cudaMemcpyHostToDevice) == cudaSuccess
               ? VARVE_OK
               : VARVE_IO;
}

static void add_buffer(varve_node *parent, const char *name, float *buffer)
{
    const uint64_t extents[] = { ROWS, COLUMNS };
    varve_memory device = {};
    device.copy_out = copy_out;
    device.copy_in = copy_in;
    device.self = buffer;
    varve_add_variable(parent, name,
        varve_far(&device, VARVE_FLOAT32, varve_shape_of(2, extents)));
}

static varve_graph *make_graph(training *t)
{
    varve_graph *graph = varve_graph_new(nullptr);
    varve_node *root = varve_graph_root(graph);
    add_buffer(root, "weights", t->weights);
    add_buffer(root, "momentum", t->momentum);
    varve_add_variable(root, "step",
        varve_view(&t->step, VARVE_UINT32, varve_shape_of(0, nullptr)));
    return graph;
}

/* Starts from the beginning if there is no checkpoint. */
static varve_status resume(
    varve_node *root, const char *path, varve_error *error)
{
    varve_restoration *r = varve_read(root, path, nullptr, error);
    if (!r)
        return error->status == VARVE_NOT_FOUND ? VARVE_OK : error->status;
    varve_status status = varve_assert_consumed(r, error);
    varve_restoration_free(r);
    return status;
}

static varve_status run(training *t, varve_node *root, uint32_t steps,
    const char *path, varve_error *error)
{
    varve_status status = resume(root, path, error);
    if (!status)
        std::printf("resuming from step %" PRIu32 "\n", t->step);
    while (!status && t->step < steps) {
        take_step(t);
        if (t->step % SAVE_EVERY == 0 || t->step == steps)
            status = varve_write(root, path, nullptr, error);
    }
    return status;
}

/* Returns a hash of the bytes of a buffer. */
static uint64_t hash_of(const float *buffer)
{
    static unsigned char range[COLUMNS * sizeof(float)];
    uint64_t hash = 14695981039346656037u;
    for (size_t row = 0; row < ROWS; row++) {
        must(cudaMemcpy(range, buffer + row * COLUMNS, sizeof range,
                 cudaMemcpyDeviceToHost),
            "reading a buffer");
        for (unsigned char byte : range)
            hash = (hash ^ byte) * 1099511628211u;
    }
    return hash;
}

int main(int argc, char **argv)
{
    training t = {};
    varve_error error = {};
    char path[4096];
    std::snprintf(path, sizeof path, "%s/weights.varve",
        argc > 2 ? argv[2] : "run/14_cuda");
    find_device();
    t.weights = make_buffer();
    t.momentum = make_buffer();
    varve_graph *graph = make_graph(&t);
    varve_status status = run(&t, varve_graph_root(graph),
        argc > 1 ? (uint32_t)std::strtoul(argv[1], nullptr, 10) : 200, path,
        &error);
    if (status)
        std::fprintf(stderr, "14_cuda: %s\n", error.message);
    else
        std::printf("step %" PRIu32 ": weights %016" PRIx64
                    ", momentum %016" PRIx64 "\n",
            t.step, hash_of(t.weights), hash_of(t.momentum));
    varve_graph_free(graph);
    cudaFree(t.momentum);
    cudaFree(t.weights);
    return status ? 1 : 0;
}
