/* 13_opencl.c - Trains weights in device memory and saves them from there.
 *
 *     13_opencl [STEPS [DIRECTORY]]
 *
 * Introduces device memory: a variable with two functions that copy a range out
 * of an OpenCL buffer and into it. The host never has a complete copy of the
 * model, only ranges of 1 MiB. The program may be killed at any time and
 * resumes from its last checkpoint with the same result, bit for bit. Without a
 * device it exits with status 77.
 *
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <CL/cl.h>
#include <varve/varve.h>

#include "support/operands.h"

enum { ROWS = 5000, COLUMNS = 128, SAVE_EVERY = 20, NO_DEVICE = 77 };

/* --- Training on the device
 * ------------------------------------------------ */

/* Each row learns the answers to samples, which are drawn from the number of
 * the step, by gradient descent with momentum. */
static const char program_text[] =
    "uint draw(uint i) {"
    "    i = (i ^ i >> 16) * 0x7feb352du;"
    "    i = (i ^ i >> 15) * 0x846ca68bu;"
    "    return i ^ i >> 16;"
    "}"
    "float sample(uint step, uint k) {"
    "    return draw(step << 10 ^ k) & 1 ? 1.0f : -1.0f;"
    "}"
    "kernel void learn(global float *w, global float *momentum, uint step) {"
    "    size_t row = get_global_id(0) * 128;"
    "    float off = 0;"
    "    for (uint k = 0; k < 128; k++)"
    "        off += (w[row + k] - draw(row + k) * 0x1p-32f) * sample(step, k);"
    "    for (uint k = 0; k < 128; k++) {"
    "        float slope = off * sample(step, k) / 128;"
    "        momentum[row + k] = 0.9f * momentum[row + k] + slope;"
    "        w[row + k] -= 0.1f * momentum[row + k];"
    "    }"
    "}";

struct buffer {
    cl_command_queue queue;
    cl_mem memory;
};

struct training {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    struct buffer weights, momentum;
    uint32_t step;
};

static void must(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "13_opencl: %s: OpenCL error %d\n", what, (int)code);
    exit(1);
}

static cl_device_id find_device(void)
{
    cl_platform_id platforms[8];
    cl_device_id device;
    cl_uint count = 0;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < 8; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device,
                NULL) == CL_SUCCESS)
            return device;
    }
    fprintf(stderr, "13_opencl: no OpenCL device found\n");
    exit(NO_DEVICE);
}

static struct buffer make_buffer(struct training *t)
{
    const cl_float zero = 0;
    const size_t size = sizeof zero * ROWS * COLUMNS;
    cl_int code;
    cl_mem memory =
        clCreateBuffer(t->context, CL_MEM_READ_WRITE, size, NULL, &code);
    must(code, "a buffer");
    must(clEnqueueFillBuffer(
             t->queue, memory, &zero, sizeof zero, 0, size, 0, NULL, NULL),
        "filling a buffer");
    return (struct buffer){ t->queue, memory };
}

static void start(struct training *t)
{
    const char *text = program_text;
    cl_device_id device = find_device();
    cl_int code;
    t->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must(code, "a context");
    t->queue = clCreateCommandQueue(t->context, device, 0, &code);
    must(code, "a queue");
    t->program = clCreateProgramWithSource(t->context, 1, &text, NULL, &code);
    must(code, "a program");
    must(clBuildProgram(t->program, 1, &device, "", NULL, NULL), "building");
    t->kernel = clCreateKernel(t->program, "learn", &code);
    must(code, "a kernel");
    t->weights = make_buffer(t);
    t->momentum = make_buffer(t);
}

static void end(struct training *t)
{
    clReleaseMemObject(t->momentum.memory);
    clReleaseMemObject(t->weights.memory);
    clReleaseKernel(t->kernel);
    clReleaseProgram(t->program);
    clReleaseCommandQueue(t->queue);
    clReleaseContext(t->context);
}

static void take_step(struct training *t)
{
    const size_t rows = ROWS;
    const cl_uint step = ++t->step;
    clSetKernelArg(t->kernel, 0, sizeof(cl_mem), &t->weights.memory);
    clSetKernelArg(t->kernel, 1, sizeof(cl_mem), &t->momentum.memory);
    clSetKernelArg(t->kernel, 2, sizeof step, &step);
    must(clEnqueueNDRangeKernel(
             t->queue, t->kernel, 1, NULL, &rows, NULL, 0, NULL, NULL),
        "a step");
}

/* --- Checkpoints ---------------------------------------------------------- */

/* [copies] */
/* The queue is in order, so earlier commands have finished before the copy. */
static varve_status copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    const struct buffer *b = self;
    cl_int code = clEnqueueReadBuffer(b->queue, b->memory, CL_TRUE,
        (size_t)offset, size, bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? VARVE_OK : VARVE_IO;
}

static varve_status copy_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    const struct buffer *b = self;
    cl_int code = clEnqueueWriteBuffer(b->queue, b->memory, CL_TRUE,
        (size_t)offset, size, bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? VARVE_OK : VARVE_IO;
}

static void add_buffer(varve_node *parent, const char *name, struct buffer *b)
{
    const varve_memory device = {
        .copy_out = copy_out, .copy_in = copy_in, .self = b
    };
    varve_add_variable(parent, name,
        varve_far(&device, VARVE_FLOAT32, VARVE_SHAPE(ROWS, COLUMNS)));
}
/* [/copies] */

/* [graph] */
static varve_graph *make_graph(struct training *t)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    add_buffer(root, "weights", &t->weights);
    add_buffer(root, "momentum", &t->momentum);
    varve_add_variable(root, "step", varve_scalar(&t->step));
    return graph;
}
/* [/graph] */

/* Starts from the beginning if there is no checkpoint. */
static varve_status resume(
    varve_node *root, const char *path, varve_error *error)
{
    varve_restoration *r = varve_read(root, path, NULL, error);
    if (!r)
        return error->status == VARVE_NOT_FOUND ? VARVE_OK : error->status;
    varve_status status = varve_assert_consumed(r, error);
    varve_restoration_free(r);
    return status;
}

static varve_status run(struct training *t, varve_node *root, uint32_t steps,
    const char *path, varve_error *error)
{
    varve_status status = resume(root, path, error);
    if (!status)
        printf("resuming from step %" PRIu32 "\n", t->step);
    while (!status && t->step < steps) {
        take_step(t);
        if (t->step % SAVE_EVERY == 0 || t->step == steps)
            status = varve_write(root, path, NULL, error);
    }
    return status;
}

/* Returns a hash of the bytes of a buffer. */
static uint64_t hash_of(struct buffer *b)
{
    static unsigned char range[COLUMNS * sizeof(cl_float)];
    uint64_t hash = 14695981039346656037u;
    for (size_t row = 0; row < ROWS; row++) {
        must(clEnqueueReadBuffer(b->queue, b->memory, CL_TRUE,
                 row * sizeof range, sizeof range, range, 0, NULL, NULL),
            "reading a buffer");
        for (size_t i = 0; i < sizeof range; i++)
            hash = (hash ^ range[i]) * 1099511628211u;
    }
    return hash;
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 2, "[STEPS [DIRECTORY]]"))
        return 2;
    struct training t = { 0 };
    varve_error error = { 0 };
    char path[4096];
    snprintf(path, sizeof path, "%s/weights.varve",
        argc > 2 ? argv[2] : "run/13_opencl");
    start(&t);
    varve_graph *graph = make_graph(&t);
    varve_status status = run(&t, varve_graph_root(graph),
        argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 200, path, &error);
    if (status)
        fprintf(stderr, "13_opencl: %s\n", error.message);
    else
        printf("step %" PRIu32 ": weights %016" PRIx64 ", momentum %016" PRIx64
               "\n",
            t.step, hash_of(&t.weights), hash_of(&t.momentum));
    varve_graph_free(graph);
    end(&t);
    return status ? 1 : 0;
}
