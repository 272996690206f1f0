/* system.h - The only access to the operating system, as a table of functions.
 *
 * The library does all input and output, and starts all threads, through such a
 * table, so that tests can replace it by a recording, failing or in-memory
 * system. vv_posix_system is the real one.
 *
 * Functions return 0 or a count on success and a negative errno on failure.
 * They do not retry, and never use the library's allocator. `state` belongs to
 * the table. Directories and files are descriptors; VV_WORKING_DIRECTORY means
 * the current directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SYSTEM_H
#define VV_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VV_WORKING_DIRECTORY (-100)

enum { VV_PAGE_SIZE = 4096 }; /* size of pages of tracked memory */

enum vv_file_kind { VV_REGULAR_FILE, VV_DIRECTORY, VV_OTHER_FILE };

struct vv_file_info {
    /* to read */
    enum vv_file_kind kind;
    uint64_t size;
    int64_t modified; /* nanoseconds since 1970-01-01 UTC */
    /* `device` and `serial` identify a file independently of its names; they
     * are unique among existing files */
    uint64_t device;
    uint64_t serial; /* see `device` */
    uint64_t links;  /* number of hard links; 0: none, or unknown */
};

enum {
    VV_MOST_OF_LINK = 4096, /* size of the target of a link, with a NUL */
    /* size of 128 entries of 8 bytes, and a header */
    VV_MOST_OF_ACCESS_LIST = 1028,
};

/* The permissions of a file. */
struct vv_access {
    unsigned mode; /* the nine permission bits */
    uint64_t owner, group;
    /* Size of its access list in bytes. 0: it has none. Negative: the list
     * cannot be read or is too long. */
    int list_size;
    unsigned char list[VV_MOST_OF_ACCESS_LIST];
};

/* Information about a name; links are not followed. */
struct vv_file_look {
    /* to read */
    enum vv_file_kind kind;
    bool is_link;
    /* A link or file of another user in a world-writable directory with the
     * sticky bit that this user does not own. Linux does not follow such links
     * if fs.protected_symlinks is 1. */
    bool is_planted;
    struct vv_access access;      /* of regular files */
    char target[VV_MOST_OF_LINK]; /* target of a link */
};

/* Called with each name in a directory except "." and "..". `info` is the
 * information that the listing itself contains (the listing of a store has
 * size, time and ETag), or NULL. A nonzero result ends the listing. */
typedef int vv_each_name(
    void *user, const char *name, const struct vv_file_info *info);

/* Called with a run of whole pages. */
typedef void vv_each_run(void *user, void *address, size_t size);

struct vv_system {
    /* to fill in */
    void *state;

    /* Opens a file for reading (close-on-exec, does not wait for a FIFO). A
     * descriptor is never one of the three standard streams. */
    int (*open_file)(void *state, int directory, const char *name);
    /* Creates a file for writing and reading: exclusive, without following
     * links, with mode 0666 modified by the umask. */
    int (*create_file)(void *state, int directory, const char *name);
    /* Like create_file, with mode 0600 modified by the umask. NULL if `look` is
     * NULL. */
    int (*create_private)(void *state, int directory, const char *name);
    /* Opens an existing file for writing, one that another process created and
     * several fill together. Does not follow links. */
    int (*open_to_write)(void *state, int directory, const char *name);
    int (*open_directory)(void *state, int directory, const char *name);
    /* Like open_directory, but returns -ENOTDIR if the last part of the name is
     * a symbolic link. */
    int (*open_real_directory)(void *state, int directory, const char *name);
    int (*close)(void *state, int descriptor);

    /* Describes the file or link of a name. NULL, or returns -ENOSYS, if files
     * have neither links nor permissions, as in a store. */
    int (*look)(void *state, int directory, const char *name,
        struct vv_file_look *look);
    /* Sets the access of a file from create_private to one that `look`
     * returned. Parts that are not permitted are omitted without a failure. The
     * file is never accessible to more users than the access permits. NULL if
     * `look` is NULL. */
    int (*set_access)(void *state, int file, const struct vv_access *access);

    int (*info)(void *state, int descriptor, struct vv_file_info *info);
    /* Transfer at most `size` bytes at an offset and return their number. A
     * read returns 0 at the end of the file. */
    int64_t (*read_at)(
        void *state, int file, void *bytes, size_t size, uint64_t offset);
    int64_t (*write_at)(
        void *state, int file, const void *bytes, size_t size, uint64_t offset);

    /* Reserves disk space from 0 to `size` without changing the size of the
     * file. Returns -EOPNOTSUPP if that is not supported. */
    int (*reserve)(void *state, int file, uint64_t size);
    /* Starts write-back of a range without waiting; size 0 means all from the
     * offset on. A hint. */
    int (*start_write_back)(
        void *state, int file, uint64_t offset, uint64_t size);
    /* Announces that a range of a file will soon be read. A hint. */
    int (*will_read)(void *state, int file, uint64_t offset, uint64_t size);
    /* Announces a range that `owner`, any address, will read, each range once
     * and nearly in this order. The system can prefetch it. NULL if that has no
     * benefit. */
    void (*plan)(void *state, int file, const void *owner, uint64_t offset,
        uint64_t size);
    /* Cancels the ranges of an owner in all files. NULL if `plan` is NULL. */
    void (*drop_plan)(void *state, const void *owner);
    /* Returns after data and size of a file, or the names of a directory, are
     * on disk. Must not be called again for a descriptor on which it failed. */
    int (*sync)(void *state, int descriptor);

    /* Takes the lock of an open file for this descriptor, until it is closed or
     * the process ends. Does not wait: returns -EWOULDBLOCK if another
     * descriptor holds it. Any other error means that there are no locks here.
     * A store has locks that expire (store_lock.h): taking one again checks it;
     * returns -EBUSY if it is not known yet whether its owner is alive; only
     * -EOPNOTSUPP means that there are no locks. */
    int (*lock)(void *state, int file);
    /* Like lock, for a shared lock, which excludes exclusive ones. */
    int (*share_lock)(void *state, int file);
    /* Releases the lock of an open file, even if a child process has inherited
     * the descriptor; close would not release it then. */
    int (*unlock)(void *state, int file);

    /* Returns -EOPNOTSUPP if only files created under a temporary name can be
     * renamed, to the name they were created for. Returns -EINPROGRESS if the
     * outcome is unknown. */
    int (*rename)(void *state, int directory, const char *from, const char *to);
    /* Like rename, but returns -EEXIST if the new name exists, and -EINVAL or
     * -ENOSYS if the file system does not support this. */
    int (*rename_new)(
        void *state, int directory, const char *from, const char *to);
    /* Creates a hard link: returns -EEXIST if the name exists, atomically also
     * on network file systems. Another error means that the file system has no
     * hard links. */
    int (*link)(void *state, int directory, const char *from, const char *to);
    /* Removes a file or an empty directory. */
    int (*remove)(void *state, int directory, const char *name);
    /* Makes a directory with mode 0777 modified by the umask. */
    int (*make_directory)(void *state, int directory, const char *name);
    /* Calls `each` for all names. Also returns 0 if `each` ended the
     * listing. */
    int (*each_name)(
        void *state, int directory, vv_each_name *each, void *user);

    /* Makes a private, writable mapping of a range of a file: pages are copied
     * when they are written. The offset must be a multiple of 4096. */
    int (*map)(
        void *state, int file, uint64_t offset, size_t size, void **address);
    int (*unmap)(void *state, void *address, size_t size);

    /* Dirty-page tracking. Returns a descriptor, to be closed with `close`.
     * Negative if tracking is not available, as in many containers. All
     * addresses and sizes must be multiples of the page size. */
    int (*open_tracker)(void *state);
    /* Starts tracking a range, or restarts it. Returns -ENOTSUP if others can
     * write to the memory undetected, such as shared memory or a mapped
     * file. */
    int (*track)(void *state, int tracker, void *address, size_t size);
    int (*untrack)(void *state, int tracker, void *address, size_t size);
    /* Reports the pages that may have been written since they were last armed:
     * all pages whose state is unknown. */
    int (*each_written)(void *state, int tracker, void *address, size_t size,
        vv_each_run *each, void *user);
    /* Arms (write-protects) all pages of a range, and reports those that were
     * written before. Both happen in one step for each page, so no write is
     * lost. After a failure the state is unknown. */
    int (*arm)(void *state, int tracker, void *address, size_t size,
        vv_each_run *each, void *user);

    /* Fills in random bytes that other processes cannot predict. */
    int (*random)(void *state, void *bytes, size_t size);
    /* Returns the time of day: nanoseconds since 1970-01-01 UTC. It can jump,
     * also backwards. */
    int64_t (*now)(void *state);
    /* Returns nanoseconds of a monotonic clock. */
    int64_t (*uptime)(void *state);
    /* Sleeps; a signal can end it early. */
    void (*sleep)(void *state, int64_t nanoseconds);
    /* Sets `machine` to the host name, cut to `size` bytes, and returns the
     * process ID. */
    int64_t (*process)(void *state, char *machine, size_t size);
    /* Returns the number of processors that this process can use, at least
     * 1. */
    unsigned (*processors)(void *state);
    /* Starts a thread that runs function(argument). All signals are blocked in
     * it except those for its own faults (SIGSEGV and similar), so that the
     * program's crash handler runs. *handle is for join_thread, which waits for
     * the thread. */
    int (*start_thread)(void *state, void *(*function)(void *), void *argument,
        uintptr_t *handle);
    int (*join_thread)(void *state, uintptr_t handle);
};

/* The system for Linux and other POSIX systems. */
extern const struct vv_system vv_posix_system;

#endif
