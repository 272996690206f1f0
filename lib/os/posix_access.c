/* posix_access.c - Describes the file or link of a name, and gives a new file
 * the mode, group, owner and access list of the file that it replaces.
 *
 * A process may be able to replace a file but not to set its owner or group,
 * because it is not the owner or not a member of the group. The save does not
 * fail then, but the new file grants no access that the older one denied:
 *
 * - If the group cannot be set, the group of the process takes its place. Its
 *   members were others for the older file, and members of the older group
 *   become others. So both classes get only the bits that both had.
 * - If the owner cannot be set, the owner is the process, which wrote the
 *   bytes. The older owner can lose access. If the owner had fewer bits than
 *   others, the older owner could have changed them.
 * - The set-user-ID and set-group-ID bits are never copied: with another owner
 *   they would grant the rights of that owner.
 * - An access list contains users of its own, so a partial copy is useless. If
 *   it cannot be copied, or its group entry would mean another group, only the
 *   owner keeps access.
 *
 * Access lists are those of POSIX, on Linux. Those of NFSv4 and macOS are not
 * read.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "path_text.h"
#include "posix_access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

#define ACCESS_LIST "system.posix_acl_access"
#define LIST_FLAGS (O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

enum { OWNER_ALL = 0700, MOST_OF_PATH = 512 };

static int descriptor_of(int directory)
{
    return directory == VV_WORKING_DIRECTORY ? AT_FDCWD : directory;
}

/* --- Descriptions of names ------------------------------------------------ */

#ifdef __linux__

/* Reads the list of an open file, in case /proc is not mounted. */
static int list_by_file(
    int directory, const char *name, struct vv_access *access)
{
    int file = openat(descriptor_of(directory), name, LIST_FLAGS);
    if (file < 0)
        return -errno;
    ssize_t size =
        fgetxattr(file, ACCESS_LIST, access->list, sizeof access->list);
    int result = size < 0 ? -errno : (int)size;
    close(file);
    return result;
}

/* Reads the list of a name by its path, because before Linux 6.13 no call takes
 * a directory and a name. */
static int list_by_name(
    int directory, const char *name, struct vv_access *access)
{
    char path[MOST_OF_PATH];
    int length = directory == VV_WORKING_DIRECTORY
                     ? snprintf(path, sizeof path, "%s", name)
                     : snprintf(path, sizeof path, "/proc/self/fd/%d/%s",
                           directory, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    ssize_t size =
        lgetxattr(path, ACCESS_LIST, access->list, sizeof access->list);
    return size < 0 ? -errno : (int)size;
}

static bool has_no_list(int result)
{
    return result == -ENODATA || result == -EOPNOTSUPP;
}

static void posix_access_read_list(
    int directory, const char *name, struct vv_access *access)
{
    int result = list_by_name(directory, name, access);
    if (result < 0 && result != -ERANGE && !has_no_list(result))
        result = list_by_file(directory, name, access);
    access->list_size = has_no_list(result) ? 0 : result;
}

#else

static void posix_access_read_list(
    int directory, const char *name, struct vv_access *access)
{
    (void)directory;
    (void)name;
    access->list_size = 0;
}

#endif

/* Implements the rule of fs.protected_symlinks, which the kernel applies only
 * to links that it follows itself. The directory is examined only for files of
 * other users. */
static int is_planted(int directory, const struct stat *found)
{
    struct stat holder;
    if (found->st_uid == geteuid())
        return 0;
    if (fstatat(descriptor_of(directory), ".", &holder, 0))
        return -errno;
    return (holder.st_mode & S_ISVTX) && (holder.st_mode & S_IWOTH) &&
           holder.st_uid != found->st_uid;
}

static int read_link(int directory, const char *name, char *target, size_t most)
{
    ssize_t size = readlinkat(descriptor_of(directory), name, target, most);
    if (size < 0)
        return -errno;
    if ((size_t)size == most)
        return -ENAMETOOLONG;
    target[size] = '\0';
    return 0;
}

int vv_posix_look(
    void *state, int directory, const char *name, struct vv_file_look *look)
{
    (void)state;
    struct stat found;
    int fd = descriptor_of(directory);
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    if (fstatat(fd, name, &found, AT_SYMLINK_NOFOLLOW))
        return -errno;
    look->kind = S_ISREG(found.st_mode)   ? VV_REGULAR_FILE
                 : S_ISDIR(found.st_mode) ? VV_DIRECTORY
                                          : VV_OTHER_FILE;
    look->is_link = S_ISLNK(found.st_mode);
    look->access.mode = found.st_mode & 0777;
    look->access.owner = (uint64_t)found.st_uid;
    look->access.group = (uint64_t)found.st_gid;
    if (!look->is_link && look->kind != VV_REGULAR_FILE)
        return 0;
    int result = is_planted(directory, &found);
    if (result < 0)
        return result;
    look->is_planted = result > 0;
    if (look->is_link)
        return read_link(directory, name, look->target, sizeof look->target);
    posix_access_read_list(directory, name, &look->access);
    return 0;
}

/* --- Permissions ---------------------------------------------------------- */

/* Sets the access list. Without one, removes a list that the file has inherited
 * from its directory. */
static bool give_list(int file, const struct vv_access *access)
{
#ifdef __linux__
    if (access->list_size < 0)
        return false;
    if (access->list_size > 0)
        return fsetxattr(file, ACCESS_LIST, access->list,
                   (size_t)access->list_size, 0) == 0;
    return fremovexattr(file, ACCESS_LIST) == 0 || has_no_list(-errno);
#else
    (void)file;
    return access->list_size == 0;
#endif
}

/* Sets the group and the list; returns the mode that fits the parts that were
 * permitted. A mode with only the owner's bits also disables the entries of a
 * list. */
static unsigned give_classes(
    int file, const struct stat *now, const struct vv_access *access)
{
    unsigned mode = access->mode, common = mode >> 3 & mode & 07;
    bool has_group = now->st_gid == (gid_t)access->group ||
                     fchown(file, (uid_t)-1, (gid_t)access->group) == 0;
    if (!has_group && access->list_size != 0)
        return mode & OWNER_ALL;
    if (!give_list(file, access))
        return mode & OWNER_ALL;
    return has_group ? mode : (mode & OWNER_ALL) | common << 3 | common;
}

/* Sets the mode. Some file systems have one mode for all files; that is not a
 * failure if it grants no more access than `mode`. */
static int give_mode(int file, unsigned mode)
{
    struct stat now;
    if (fchmod(file, (mode_t)mode) == 0)
        return 0;
    int result = -errno;
    if (fstat(file, &now))
        return -errno;
    return now.st_mode & 07777 & ~mode ? result : 0;
}

/* Returns true if changing the owner is not permitted or not supported. EINVAL:
 * the owner is not mapped in this container. EDQUOT: the owner's quota is
 * exhausted. */
static bool is_forbidden(int result)
{
    return result == -EPERM || result == -EACCES || result == -EINVAL ||
           result == -EDQUOT || result == -EOPNOTSUPP || result == -ENOSYS;
}

/* The owner is set last, because only the owner can change the rest. */
int vv_posix_set_access(void *state, int file, const struct vv_access *access)
{
    (void)state;
    struct stat now;
    if (fstat(file, &now))
        return -errno;
    unsigned mode = give_classes(file, &now, access);
    bool is_so = access->list_size == 0 && (now.st_mode & 07777) == mode;
    int result = is_so ? 0 : give_mode(file, mode);
    if (result < 0 || now.st_uid == (uid_t)access->owner)
        return result;
    result = fchown(file, (uid_t)access->owner, (gid_t)-1) ? -errno : 0;
    return is_forbidden(result) ? 0 : result;
}
