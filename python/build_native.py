"""build_native.py - compiles varve._native against the library.

The library is the one that pkg-config finds. Where it finds none and this is
a checkout, the library is built from it, into the module itself. What is
declared comes from the library's own headers, and from nowhere else.

SPDX-License-Identifier: MIT
"""
import os
import shlex
import subprocess
import sys

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
# The sources of the library: in a source distribution beside this, in a
# checkout around it.
SOURCES = os.path.join(HERE, 'library')
CHECKOUT = SOURCES if os.path.isdir(SOURCES) else os.path.dirname(HERE)
sys.path.insert(0, HERE)

from declarations import declarations  # noqa: E402

OPTIONS = ['--buildtype=release', '-Ddefault_library=static', '-Dmpi=disabled',
           '-Dtests=disabled', '-Dtool=disabled', '-Dexamples=false',
           '-Dbench=false', '-Dmanual=disabled']

# Called by the library; varve/callbacks.py has them.
CALLBACKS = '''
extern "Python" int varve_python_progress(void *user, uint64_t done,
    uint64_t total, const char *what);
extern "Python" void varve_python_loss(void *user, const char *path,
    const char *what);
extern "Python" varve_status varve_python_make_room(void *user,
    varve_node *node, const varve_tensor *coming, void **room);
extern "Python" void varve_python_settle(void *user, varve_node *node,
    void *room, bool is_taken);
extern "Python" varve_status varve_python_flush(void *self);
extern "Python" varve_status varve_python_seek(void *self, uint64_t length);
extern "Python" varve_status varve_python_agree(void *self, uint64_t *value);
extern "Python" varve_status varve_python_gather(void *self, const void *bytes,
    size_t size, void *all);
extern "Python" varve_status varve_python_gather_varied(void *self,
    const void *bytes, size_t size, void *all, const uint64_t *sizes);
extern "Python" varve_status varve_python_broadcast(void *self, void *bytes,
    size_t size);
extern "Python" varve_status varve_python_barrier(void *self);
'''

# In native.c.
FUNCTIONS = '''
int varve_python_heed(void *user, uint64_t done, uint64_t total,
    const char *what);
varve_node **varve_python_nodes_of(uint64_t *at, size_t count);
void varve_python_add_numbers(varve_node *parent, const char *names,
    const char *dtypes, size_t count, uint64_t *at, varve_node **old,
    size_t old_count);
varve_node *varve_python_add_array(varve_node *parent, const char *name,
    uintptr_t at, int dtype, int rank, const uint64_t *extents);
'''


def pkg_config(*arguments, **environment):
    """What it prints, as words; None where it finds nothing, or is missing."""
    command = [os.environ.get('PKG_CONFIG', 'pkg-config'), *arguments, 'varve']
    try:
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            universal_newlines=True, env={**os.environ, **environment},
            check=False)
    except OSError:
        return None
    return shlex.split(result.stdout) if result.returncode == 0 else None


def build_library():
    """The flags of a static library that is built for this module."""
    if not os.path.exists(os.path.join(CHECKOUT, 'include/varve/varve.h')):
        sys.exit('varve: expected the library, by pkg-config, or a checkout of '
                 'it around this folder, found neither')
    build = os.path.join(HERE, 'build', 'library')
    try:
        if not os.path.exists(os.path.join(build, 'build.ninja')):
            subprocess.run(
                ['meson', 'setup', build, CHECKOUT, *OPTIONS,
                 f'-Dc_args=-ffile-prefix-map={CHECKOUT}=varve'], check=True)
        subprocess.run(['ninja', '-C', build], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f'varve: building the library failed: {error}')
    libs = pkg_config(
        '--static', '--libs',
        PKG_CONFIG_PATH=os.path.join(build, 'meson-uninstalled'))
    return ['-I' + os.path.join(CHECKOUT, 'include')], libs


def find_library():
    """The compiler's flags, the linker's, and the folders where the library is
    looked for when it runs; none where it is in the module."""
    libs = pkg_config('--libs')
    if libs is None:
        return (*build_library(), [])
    return pkg_config('--cflags'), libs, [
        flag[2:] for flag in libs if flag.startswith('-L')]


def compiled(declared):
    """What there is to call: an inline function has its body elsewhere."""
    return [line for line in declared if not line.startswith('static inline')]


def builder():
    cflags, libs, folders = find_library()
    made = cffi.FFI()
    made.cdef('\n'.join(compiled(declarations(cflags))) + CALLBACKS
              + FUNCTIONS)
    with open(os.path.join(HERE, 'native.c'), encoding='utf-8') as stream:
        source = stream.read()
    made.set_source(
        'varve._native', source,
        extra_compile_args=cflags + ['-g0'],  # has paths of this machine
        extra_link_args=libs + [f'-Wl,-rpath,{path}' for path in folders])
    return made


ffi = builder()
