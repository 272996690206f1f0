/* system.h - the one door to the machine, as a table of functions.
 *
 * The library does all its input and output, and makes all its threads, through
 * such a table, so that a recording, failing or in-memory system can stand
 * under the whole of it. vv_posix_system is the real one.
 *
 * Functions return 0 or a count on success and a negative errno on failure;
 * they do not touch errno's meaning, retry nothing, and never allocate through
 * the library's allocator. `state` is the table's own. Directories and files
 * are descriptors; VV_WORKING_DIRECTORY stands for the current directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SYSTEM_H
#define VV_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VV_WORKING_DIRECTORY (-100)

enum { VV_PAGE_SIZE = 4096 }; /* of memory that is tracked */

enum vv_file_kind { VV_REGULAR_FILE, VV_DIRECTORY, VV_OTHER_FILE };

struct vv_file_info {
    /* to read */
    enum vv_file_kind kind;
    uint64_t size;
    int64_t modified; /* nanoseconds since 1970-01-01 UTC */
    uint64_t device;  /* with `serial`: which file it is, whatever it is */
    uint64_t serial;  /* called; no two files have both at one time */
    uint64_t links;   /* names that it has; 0: none, or not known */
};

enum {
    VV_MOST_OF_LINK = 4096,        /* bytes of what a link contains, and a 0 */
    VV_MOST_OF_ACCESS_LIST = 1028, /* bytes: 128 entries of 8, and a head */
};

/* Who may use a file. */
struct vv_access {
    unsigned mode; /* the nine permission bits */
    uint64_t owner, group;
    int list_size; /* bytes of its access list; 0: it has none; negative: one
                      that cannot be read or is too long */
    unsigned char list[VV_MOST_OF_ACCESS_LIST];
};

/* The description of a name; no link is followed. */
struct vv_file_look {
    /* to read */
    enum vv_file_kind kind;
    bool is_link;
    bool is_planted; /* a link or file of another user in a directory where
                        everybody may create files and the owner of each file
                        alone may remove it, unless it is of the directory's
                        owner; Linux refuses to follow such links where
                        fs.protected_symlinks is 1 */
    struct vv_access access;      /* of a regular file */
    char target[VV_MOST_OF_LINK]; /* of a link: what it contains */
};

/* Called with each name in a directory except "." and "..". `info` is what the
 * listing itself says of the file (a store's list has size, time and ETag), or
 * NULL. A result other than 0 ends the listing. */
typedef int vv_each_name(
    void *user, const char *name, const struct vv_file_info *info);

/* Called with a run of whole pages. */
typedef void vv_each_run(void *user, void *address, size_t size);

struct vv_system {
    /* to fill in */
    void *state;

    /* A file for reading (close-on-exec, does not wait for a FIFO). No
     * descriptor is ever one of the three standard streams. */
    int (*open_file)(void *state, int directory, const char *name);
    /* A new file for writing and reading: exclusive, follows no link, created
     * with mode 0666 less the umask. */
    int (*create_file)(void *state, int directory, const char *name);
    /* The same with mode 0600 less the umask. NULL where `look` is. */
    int (*create_private)(void *state, int directory, const char *name);
    /* A file that is there, for writing: what another process has made, and
     * several fill together. Follows no link. */
    int (*open_to_write)(void *state, int directory, const char *name);
    int (*open_directory)(void *state, int directory, const char *name);
    /* The same, but -ENOTDIR where the last part of the name is a symbolic
     * link. */
    int (*open_real_directory)(void *state, int directory, const char *name);
    int (*close)(void *state, int descriptor);

    /* Describes the file or link of a name. NULL, or -ENOSYS, where files have
     * neither links nor permissions, as in a store. */
    int (*look)(void *state, int directory, const char *name,
        struct vv_file_look *look);
    /* Gives a file that create_private made an access that `look` returned.
     * Parts that are not permitted are left out, which is no failure. The file
     * is never open to more users than the access permits. NULL where `look`
     * is. */
    int (*set_access)(void *state, int file, const struct vv_access *access);

    int (*info)(void *state, int descriptor, struct vv_file_info *info);
    /* At most `size` bytes at an offset; how many were moved. 0 from a read is
     * the end of the file. */
    int64_t (*read_at)(
        void *state, int file, void *bytes, size_t size, uint64_t offset);
    int64_t (*write_at)(
        void *state, int file, const void *bytes, size_t size, uint64_t offset);

    /* Reserves disk space from 0 to `size`, and leaves the size of the file as
     * it is; -EOPNOTSUPP where that cannot be. */
    int (*reserve)(void *state, int file, uint64_t size);
    /* Starts to write a range back to disk, without waiting; of size 0: all
     * from the offset on. A hint. */
    int (*start_write_back)(
        void *state, int file, uint64_t offset, uint64_t size);
    /* Says that a range of a file will soon be read. A hint. */
    int (*will_read)(void *state, int file, uint64_t offset, uint64_t size);
    /* Adds a range to those that the owner, any address, is going to read of a
     * file, each once and nearly in this order. The system may fetch it before
     * it is read. NULL where that gains nothing. */
    void (*plan)(void *state, int file, const void *owner, uint64_t offset,
        uint64_t size);
    /* Drops the ranges of an owner in all files. NULL where `plan` is. */
    void (*drop_plan)(void *state, const void *owner);
    /* Returns once data and size of a file, or the names of a directory, are on
     * disk. Never called again for a descriptor on which it failed. */
    int (*sync)(void *state, int descriptor);

    /* Takes the lock of an open file for this descriptor, until it is closed or
     * the process ends. At once: -EWOULDBLOCK where another descriptor has it.
     * Any other error: there are no locks here. A store has locks that expire
     * (store_lock.h): taken again, one is checked; -EBUSY where it is not known
     * yet whether its owner still lives; -EOPNOTSUPP alone says that there are
     * none. */
    int (*lock)(void *state, int file);
    /* The same for a lock that several may have at once, but nobody else then
     * has alone. */
    int (*share_lock)(void *state, int file);
    /* Releases the lock of an open file, also where a child process has
     * inherited the descriptor: closing alone would leave it locked then. */
    int (*unlock)(void *state, int file);

    /* -EOPNOTSUPP where only what was created under a temporary name can be
     * renamed, and to what that is for; -EINPROGRESS where nobody knows whether
     * it was. */
    int (*rename)(void *state, int directory, const char *from, const char *to);
    /* As rename, but -EEXIST where the new name is taken. -EINVAL or -ENOSYS
     * where the file system cannot do it in one step. */
    int (*rename_new)(
        void *state, int directory, const char *from, const char *to);
    /* Gives a file a second name: -EEXIST where that is taken, atomically also
     * on network file systems. Another error where the file system has no hard
     * links. */
    int (*link)(void *state, int directory, const char *from, const char *to);
    /* A file or an empty directory. */
    int (*remove)(void *state, int directory, const char *name);
    /* With mode 0777 less the umask. */
    int (*make_directory)(void *state, int directory, const char *name);
    /* 0 also where `each` ended it. */
    int (*each_name)(
        void *state, int directory, vv_each_name *each, void *user);

    /* A private, writable mapping of a range of a file: its pages are copied
     * when they are written. The offset is a multiple of 4096. */
    int (*map)(
        void *state, int file, uint64_t offset, size_t size, void **address);
    int (*unmap)(void *state, void *address, size_t size);

    /* Tracking of what is written to memory. A tracker is a descriptor, for
     * close; negative where there is none, as in many a container. Addresses
     * and sizes are of whole pages. */
    int (*open_tracker)(void *state);
    /* Takes a range in, or again; -ENOTSUP where others may write to the memory
     * unseen, as to shared memory or a file. */
    int (*track)(void *state, int tracker, void *address, size_t size);
    int (*untrack)(void *state, int tracker, void *address, size_t size);
    /* Tells which pages may have been written since they were armed last, of
     * whatever lies there now: all of them where nothing is known. */
    int (*each_written)(void *state, int tracker, void *address, size_t size,
        vv_each_run *each, void *user);
    /* Arms all of a range, and tells which pages were written before that, each
     * in one step with arming it, so that no write is lost. After a failure
     * nothing is known. */
    int (*arm)(void *state, int tracker, void *address, size_t size,
        vv_each_run *each, void *user);

    /* Bytes that no other process guesses. */
    int (*random)(void *state, void *bytes, size_t size);
    /* The time of day: nanoseconds since 1970-01-01 UTC. It may jump, back
     * too. */
    int64_t (*now)(void *state);
    /* Nanoseconds on a clock that never jumps, from some moment. */
    int64_t (*uptime)(void *state);
    /* Sleeps, or less where a signal comes. */
    void (*sleep)(void *state, int64_t nanoseconds);
    /* What the machine is called, cut to fit `size` bytes, and the number of
     * this process. */
    int64_t (*process)(void *state, char *machine, size_t size);
    /* Processors that this process may use; at least 1. */
    unsigned (*processors)(void *state);
    /* A thread that runs function(argument), with all signals blocked but those
     * for its own faults (SIGSEGV and the like), so that the program's crash
     * handler sees them; *handle is for join_thread, which waits for it. */
    int (*start_thread)(void *state, void *(*function)(void *), void *argument,
        uintptr_t *handle);
    int (*join_thread)(void *state, uintptr_t handle);
};

/* Linux and other POSIX systems. */
extern const struct vv_system vv_posix_system;

#endif
