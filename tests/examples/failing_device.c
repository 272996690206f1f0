/* failing_device.c - Wraps OpenCL copies so that one fails: the N-th copy from
 * the device with FAIL_READ=N in the environment, the N-th copy to it with
 * FAIL_WRITE=N.
 *
 * The example is compiled to call these functions instead.
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
