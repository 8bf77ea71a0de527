/* Fails one of the calls of a process on files below a folder, for tests: preloaded by the loader.

   faults_arm(root, kinds, at, error, sticky) counts from then on each call of the kinds in the mask
   that is about a path below `root`, or a descriptor opened there. The `at`th fails with `error`,
   and with `sticky` all after it. faults_count() says how many there were. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, READ = 2, WRITE = 4, MAP = 8, SYNC = 16, RENAME = 32, UNLINK = 64 };

#define MOST 65536
static char below[MOST]; /* whether a descriptor was opened below the root */
static char root[4096];
static int kinds, error_number, sticky;
static long at, count;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void faults_arm(const char *path, int mask, long nth, int number, int is_sticky) {
    strncpy(root, path, sizeof root - 1);
    kinds = mask;
    error_number = number;
    sticky = is_sticky;
    at = nth;
    __atomic_store_n(&count, 0, __ATOMIC_SEQ_CST);
}

long faults_count(void) { return __atomic_load_n(&count, __ATOMIC_SEQ_CST); }

static int is_due(int kind) {
    if (!root[0] || !(kinds & kind)) return 0;
    long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (at && (number == at || (sticky && number > at))) {
        errno = error_number;
        return 1;
    }
    return 0;
}

static int is_inside(int folder, const char *path) {
    char whole[8192], link[64];
    if (!root[0] || !path) return 0;
    if (path[0] == '/') return !strncmp(path, root, strlen(root));
    if (folder == AT_FDCWD) return getcwd(whole, sizeof whole) && !strncmp(whole, root, strlen(root));
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, whole, sizeof whole - 1);
    if (length < 0) return 0;
    whole[length] = 0;
    return !strncmp(whole, root, strlen(root));
}

static int is_below(int handle) { return handle >= 0 && handle < MOST && below[handle]; }

static int opened(int handle, int inside) {
    if (handle >= 0 && handle < MOST) below[handle] = inside;
    return handle;
}

#define MODE(flags)                                                                               \
    mode_t mode = 0;                                                                              \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                        \
        va_list rest;                                                                             \
        va_start(rest, flags);                                                                    \
        mode = va_arg(rest, mode_t);                                                              \
        va_end(rest);                                                                             \
    }

#define OPENS(name)                                                                               \
    int name(const char *path, int flags, ...) {                                                  \
        MODE(flags)                                                                               \
        int inside = is_inside(AT_FDCWD, path);                                                   \
        if (inside && is_due(OPEN)) return -1;                                                    \
        return opened(REAL(name)(path, flags, mode), inside);                                     \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                                            \
    int name(int folder, const char *path, int flags, ...) {                                      \
        MODE(flags)                                                                               \
        int inside = is_inside(folder, path);                                                     \
        if (inside && is_due(OPEN)) return -1;                                                    \
        return opened(REAL(name)(folder, path, flags, mode), inside);                             \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

int close(int handle) {
    opened(handle, 0);
    return REAL(close)(handle);
}

#define ON_HANDLE(kind, type, name, parameters, arguments)                                        \
    type name parameters {                                                                        \
        if (is_below(handle) && is_due(kind)) return -1;                                          \
        return REAL(name) arguments;                                                              \
    }
ON_HANDLE(READ, ssize_t, read, (int handle, void *data, size_t size), (handle, data, size))
ON_HANDLE(READ, ssize_t, pread, (int handle, void *data, size_t size, off_t where),
          (handle, data, size, where))
ON_HANDLE(READ, ssize_t, pread64, (int handle, void *data, size_t size, off64_t where),
          (handle, data, size, where))
ON_HANDLE(WRITE, ssize_t, write, (int handle, const void *data, size_t size), (handle, data, size))
ON_HANDLE(WRITE, ssize_t, writev, (int handle, const struct iovec *parts, int many),
          (handle, parts, many))
ON_HANDLE(WRITE, ssize_t, pwrite, (int handle, const void *data, size_t size, off_t where),
          (handle, data, size, where))
ON_HANDLE(WRITE, ssize_t, pwrite64, (int handle, const void *data, size_t size, off64_t where),
          (handle, data, size, where))
ON_HANDLE(WRITE, int, ftruncate, (int handle, off_t size), (handle, size))
ON_HANDLE(WRITE, int, ftruncate64, (int handle, off64_t size), (handle, size))
ON_HANDLE(SYNC, int, fsync, (int handle), (handle))
ON_HANDLE(SYNC, int, fdatasync, (int handle), (handle))

#define MAPS(name, offset)                                                                        \
    void *name(void *where, size_t size, int rights, int flags, int handle, offset begin) {       \
        if (is_below(handle) && is_due(MAP)) return MAP_FAILED;                                   \
        return REAL(name)(where, size, rights, flags, handle, begin);                             \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

int rename(const char *from, const char *to) {
    if (is_inside(AT_FDCWD, to) && is_due(RENAME)) return -1;
    return REAL(rename)(from, to);
}
int renameat(int a, const char *from, int b, const char *to) {
    if (is_inside(b, to) && is_due(RENAME)) return -1;
    return REAL(renameat)(a, from, b, to);
}
int unlink(const char *path) {
    if (is_inside(AT_FDCWD, path) && is_due(UNLINK)) return -1;
    return REAL(unlink)(path);
}
int unlinkat(int folder, const char *path, int flags) {
    if (is_inside(folder, path) && is_due(UNLINK)) return -1;
    return REAL(unlinkat)(folder, path, flags);
}
int rmdir(const char *path) {
    if (is_inside(AT_FDCWD, path) && is_due(UNLINK)) return -1;
    return REAL(rmdir)(path);
}
