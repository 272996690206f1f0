/* failing_device.c - an OpenCL one of whose copies fails: the N-th out of a
 * device where the environment says FAIL_READ=N, into it for FAIL_WRITE=N.
 *
 * The example is compiled to call these instead.
 *
 * SPDX-License-Identifier: MIT
 */
#undef clEnqueueReadBuffer
#undef clEnqueueWriteBuffer
#define CL_TARGET_OPENCL_VERSION 120
#include <stdbool.h>
#include <stdlib.h>

#include <CL/cl.h>

cl_int failing_read_buffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
    void *, cl_uint, const cl_event *, cl_event *);
cl_int failing_write_buffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t,
    const void *, cl_uint, const cl_event *, cl_event *);

static bool fails(const char *name, int *calls)
{
    const char *which = getenv(name);
    return which && ++*calls == atoi(which);
}

cl_int failing_read_buffer(cl_command_queue queue, cl_mem memory, cl_bool waits,
    size_t offset, size_t size, void *bytes, cl_uint count,
    const cl_event *before, cl_event *event)
{
    static int calls;
    if (fails("FAIL_READ", &calls))
        return CL_OUT_OF_RESOURCES;
    return clEnqueueReadBuffer(
        queue, memory, waits, offset, size, bytes, count, before, event);
}

cl_int failing_write_buffer(cl_command_queue queue, cl_mem memory,
    cl_bool waits, size_t offset, size_t size, const void *bytes, cl_uint count,
    const cl_event *before, cl_event *event)
{
    static int calls;
    if (fails("FAIL_WRITE", &calls))
        return CL_OUT_OF_RESOURCES;
    return clEnqueueWriteBuffer(
        queue, memory, waits, offset, size, bytes, count, before, event);
}
