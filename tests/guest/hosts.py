#!/usr/bin/env python3
"""hosts.py - Runs the guest program in special environments.

    hosts.py GUEST comma           a locale with a decimal comma
    hosts.py GUEST jemalloc        an allocator by LD_PRELOAD; also tcmalloc
    hosts.py GUEST memcheck        under a tool of valgrind; also helgrind
    hosts.py GUEST bare-root       a root without /proc; as root
    hosts.py GUEST file-systems [--long]    each that can be mounted; as root

Environments that this machine lacks are skipped with a message. Exits with 77
if nothing could be run.

SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
LOCALES = ('de_DE', 'fr_FR', 'nl_NL')
MIB = 1 << 20


def skip(reason):
    print(f'hosts: skipped: {reason}')
    return SKIP


def run(command, **options):
    """Runs a command, shows its output and returns its exit status."""
    sys.stdout.flush()
    return subprocess.run(command, check=False, **options).returncode


def is_good(command):
    try:
        return subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


# --- Locales and allocators --------------------------------------------------

def comma(guest, place):
    """localedef creates the locale if none is installed."""
    for name in LOCALES:
        made = os.path.join(place, f'{name}.UTF-8')
        if is_good(['localedef', '-i', name, '-f', 'UTF-8', made]):
            surroundings = dict(os.environ, LOCPATH=place,
                                LC_ALL=f'{name}.UTF-8')
            return run([guest, 'comma', place], env=surroundings)
    return skip('a locale with a decimal comma cannot be created')


def preload(guest, place, name):
    found = [path for folder in ('/usr/lib/*', '/usr/lib', '/usr/local/lib')
             for path in sorted(glob.glob(f'{folder}/lib{name}*.so*'))
             if 'debug' not in path and 'profiler' not in path]
    if not found:
        return skip(f'lib{name} is not installed')
    surroundings = dict(os.environ, LD_PRELOAD=found[0])
    print('with', os.path.basename(found[0]))
    return run([guest, 'preloaded', place], env=surroundings)


def valgrind(guest, place, tool):
    if not is_good(['valgrind', '--version']):
        return skip('valgrind is not installed')
    more = ['--leak-check=full'] if tool == 'memcheck' else []
    return run(['valgrind', f'--tool={tool}', '--quiet', '--error-exitcode=1',
                *more, guest, 'tiny', place])


# --- A root without /proc ----------------------------------------------------

def libraries_of(program):
    text = subprocess.run(['ldd', program], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return re.findall(r'(/\S+) \(0x', text)


def bare_root(guest, place):
    if os.geteuid() != 0:
        return skip('changing the root directory requires root')
    guest = os.path.realpath(guest)
    for path in [guest, *libraries_of(guest)]:
        there = place + path
        os.makedirs(os.path.dirname(there), exist_ok=True)
        shutil.copy(path, there)
    os.makedirs(f'{place}/tmp', exist_ok=True)
    # The location of a program, relative to which libraries may be searched, is
    # known from /proc.
    folders = {os.path.dirname(path) for path in libraries_of(guest)}
    surroundings = dict(os.environ, LD_LIBRARY_PATH=':'.join(folders))
    return run(['chroot', place, guest, 'blind', '/tmp'], env=surroundings)


# --- File systems ------------------------------------------------------------

def image(place, make):
    """Returns a file with a file system, or None."""
    path = os.path.join(place, 'image')
    with open(path, 'wb') as file:
        file.truncate(400 * MIB)
    return path if is_good([*make, path]) else None


def of_image(*make, mount=('mount', '-o', 'loop')):
    """Mounts an image with a program that accepts image files."""
    def mounted(place, at):
        path = image(place, make)
        return path and is_good([*mount, path, at])
    return mounted


def of_device(*make, mount):
    """Mounts an image through a loop device, which is released with the
    mount."""
    def mounted(place, at):
        path = image(place, make)
        found = path and subprocess.run(
            ['losetup', '-f', '--show', path], check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
        if not found:
            return False
        is_there = is_good([*mount, found, at])
        is_good(['losetup', '-d', found])
        return is_there
    return mounted


def overlay(place, at):
    folders = [os.path.join(place, name) for name in ('low', 'up', 'work')]
    for folder in folders:
        os.makedirs(folder)
    low, up, work = folders
    return is_good(['mount', '-t', 'overlay', 'overlay', '-o',
                    f'lowerdir={low},upperdir={up},workdir={work}', at])


def bound(place, at):
    below = os.path.join(place, 'below')
    os.makedirs(below)
    return is_good(['bindfs', below, at])


def memory(_, at):
    return is_good(['mount', '-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', at])


USUAL = {
    'FAT': of_image('mkfs.vfat', '-F', '32'),
    'exFAT': of_image('mkfs.exfat'),
    'exFAT by FUSE': of_device('mkfs.exfat', mount=['mount.exfat-fuse']),
    'NTFS': of_image('mkfs.ntfs', '-F', '-Q', mount=['ntfs-3g']),
    'overlay': overlay,
    'FUSE': bound,
    'memory': memory,
}
LONG = {
    'ext2': of_image('mkfs.ext2', '-F'),
    'ext4': of_image('mkfs.ext4', '-F'),
    'ext4 without a journal': of_image('mkfs.ext4', '-F', '-O', '^has_journal'),
    'xfs': of_image('mkfs.xfs', '-f'),
    'btrfs': of_image('mkfs.btrfs', '-f'),
}


def in_file_system(guest, name, make, habit):
    with tempfile.TemporaryDirectory() as place:
        at = os.path.join(place, 'mounted')
        os.makedirs(at)
        if not make(place, at) or not os.path.ismount(at):
            print(f'{name}: skipped: it cannot be mounted')
            return None
        print(f'{name}: ', end='')
        try:
            return run([guest, habit, at])
        finally:
            subprocess.run(['umount', '-l', at], check=False)


def file_systems(guest, is_long):
    if os.geteuid() != 0:
        return skip('mounting requires root')
    # mounts are not visible to other processes
    if 'HOSTS_INSIDE' not in os.environ:
        if not is_good(['unshare', '-m', 'true']):
            return skip('a mount namespace is not permitted')
        inside = dict(os.environ, HOSTS_INSIDE='1')
        return run(['unshare', '-m', sys.executable, '-B', *sys.argv],
                   env=inside)
    kinds = {**USUAL, **LONG} if is_long else USUAL
    ends = [in_file_system(guest, name, make, 'plain' if is_long else 'blind')
            for name, make in kinds.items()]
    ran = [end for end in ends if end is not None]
    return max(ran) if ran else SKIP


def main():
    guest, host, *more = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        if host == 'comma':
            return comma(guest, place)
        if host in ('jemalloc', 'tcmalloc'):
            return preload(guest, place, host)
        if host in ('memcheck', 'helgrind'):
            return valgrind(guest, place, host)
        if host == 'bare-root':
            return bare_root(guest, place)
        return file_systems(guest, '--long' in more)


if __name__ == '__main__':
    sys.exit(main())
