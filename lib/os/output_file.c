/* output_file.c - Calls POSIX and C library functions for files that the
 * program has opened.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "offsets have 64 bits");

/* Without O_NONBLOCK, opening a FIFO would wait for a reader. */
int vv_output_open(const char *path)
{
    int opened =
        open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (opened < 0)
        return -errno;
    if (opened > STDERR_FILENO)
        return opened;
    int above = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int result = above < 0 ? -errno : above;
    close(opened);
    return result;
}

void vv_output_close(int descriptor)
{
    close(descriptor);
}

int vv_output_is_writable(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0)
        return -errno;
    return (flags & O_ACCMODE) != O_RDONLY;
}

int vv_output_is_at_end(int descriptor, uint64_t size)
{
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0)
        return -errno;
    if (flags & O_APPEND)
        return 1;
    off_t position = lseek(descriptor, 0, SEEK_CUR);
    if (position < 0)
        return -errno;
    return (uint64_t)position >= size;
}

int vv_output_cut(int descriptor, uint64_t size)
{
    int result;
    do
        result = ftruncate(descriptor, (off_t)size);
    while (result < 0 && errno == EINTR);
    if (result < 0 || lseek(descriptor, (off_t)size, SEEK_SET) < 0)
        return -errno;
    return 0;
}

/* Opens the file of a descriptor for reading, even if it has been renamed or
 * removed. Returns -1 if the system does not support or permit this. */
static int open_to_read(int descriptor)
{
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    return open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static int output_file_read_all(
    int file, uint64_t offset, char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = pread(file, bytes, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : 0;
        bytes += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return 1;
}

int vv_output_read(int descriptor, uint64_t offset, void *bytes, size_t size)
{
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0)
        return -errno;
    if ((flags & O_ACCMODE) == O_RDWR)
        return output_file_read_all(descriptor, offset, bytes, size);
    int reader = open_to_read(descriptor);
    if (reader < 0)
        return 0;
    int result = output_file_read_all(reader, offset, bytes, size);
    close(reader);
    return result;
}

int vv_output_stream_descriptor(FILE *stream)
{
    int descriptor = fileno(stream);
    return descriptor < 0 ? -errno : descriptor;
}

int vv_output_stream_flush(FILE *stream)
{
    return fflush(stream) ? -errno : 0;
}

bool vv_output_stream_has_failed(FILE *stream)
{
    return ferror(stream) != 0;
}

int vv_output_stream_seek(FILE *stream, uint64_t position)
{
    return fseeko(stream, (off_t)position, SEEK_SET) ? -errno : 0;
}
