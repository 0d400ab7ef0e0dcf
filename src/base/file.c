#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 65536, BASE_NAME_KEPT = 100, TEMPORARY_SUFFIX = 48, ATTEMPTS = 10000 };

static const char *reason(int code)
{
    switch (code) {
    case ENOENT: return "no such file or directory; check the path";
    case EISDIR: return "it is a directory, not a file";
    case EACCES: return "permission denied";
    default: return strerror(code);
    }
}

FILE *file_open(const char *path, Error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    int code = 0;
    FILE *stream = NULL;
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        code = errno;
    else if (S_ISDIR(status.st_mode))
        code = EISDIR;
    else if ((stream = fdopen(descriptor, "rb")) == NULL)
        code = errno;
    if (code == 0)
        return stream;
    if (descriptor >= 0)
        close(descriptor);
    error_set(error, "cannot read %s: %s", path, reason(code));
    return NULL;
}

/* The size of a regular file, so that it is read without copying and refused without reading; else 0. */
static size_t known_size(FILE *stream)
{
    struct stat status;
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0)
        return 0;
    return (uint64_t)status.st_size < SIZE_MAX / 2 ? (size_t)status.st_size : SIZE_MAX / 2;
}

/* Reads to the end; holds at most limit + 1 bytes (one of them proves that the limit was passed) and the NUL. */
static bool read_stream(FILE *stream, const char *name, size_t limit, unsigned char **bytes, size_t *size,
                        Error *error)
{
    const size_t most = limit < SIZE_MAX - 2 ? limit + 1 : SIZE_MAX - 2;
    const size_t known = known_size(stream);
    size_t capacity = known > 0 ? known : FIRST_READ, used = 0;
    unsigned char *buffer = NULL;
    bool ended = known > limit;
    while (!ended) {
        capacity = capacity < most ? capacity + 1 : most;
        unsigned char *larger = realloc(buffer, capacity + 1);
        if (larger == NULL) {
            free(buffer);
            return error_set(error, "cannot read %s: no memory for %zu bytes", name, capacity);
        }
        buffer = larger;
        used += fread(buffer + used, 1, capacity - used, stream);
        ended = used < capacity || used > limit;
        capacity = capacity < SIZE_MAX / 2 ? capacity * 2 : SIZE_MAX - 2;
    }
    if (ferror(stream)) {
        error_set(error, "cannot read %s: %s", name, reason(errno));
        free(buffer);
        return false;
    }
    if (buffer == NULL || used > limit) {
        free(buffer);
        return error_set(error, "%s is larger than the %zu bytes allowed for it", name, limit);
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    return true;
}

bool file_read(const char *path, size_t limit, unsigned char **bytes, size_t *size, Error *error)
{
    *bytes = NULL;
    *size = 0;
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, "standard input", limit, bytes, size, error);
    FILE *stream = file_open(path, error);
    if (stream == NULL)
        return false;
    bool done = read_stream(stream, path, limit, bytes, size, error);
    fclose(stream);
    return done;
}

/* Bytes of the path up to and with its last slash. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* The file that a symbolic link leads to, so that a link is kept and not replaced; else the path. Allocated. */
static char *resolve_link(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
        char *real = realpath(path, NULL);
        if (real != NULL)
            return real;
    }
    return strdup(path);
}

/* Opens a new file beside the target. The name keeps only the start of a long target name, to stay legal. */
static int open_temporary(AtomicFile *file)
{
    const size_t directory = directory_length(file->path), room = strlen(file->path) + TEMPORARY_SUFFIX;
    file->temporary = malloc(room);
    if (file->temporary == NULL)
        return -1;
    int descriptor = -1;
    for (int attempt = 0; attempt < ATTEMPTS && descriptor < 0; attempt++) {
        snprintf(file->temporary, room, "%.*s%.*s.%ld-%d.tmp", (int)directory, file->path, BASE_NAME_KEPT,
                 file->path + directory, (long)getpid(), attempt);
        descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

/* Fails with that errno, after removing what was begun. */
static bool atomic_file_fail(AtomicFile *file, int code, const char *path, Error *error)
{
    const bool replaced = file->temporary != NULL && access(path, F_OK) == 0;
    error_set(error, "cannot write %s: %s%s", path, code == 0 ? "a write failed" : reason(code),
              replaced ? "; the previous file is untouched" : "");
    atomic_file_abandon(file);
    return false;
}

bool atomic_file_open(AtomicFile *file, const char *path, Error *error)
{
    struct stat status;
    *file = (AtomicFile){.path = resolve_link(path)};
    if (file->path == NULL)
        return atomic_file_fail(file, ENOMEM, path, error);
    const bool exists = stat(file->path, &status) == 0;
    if (exists ? S_ISDIR(status.st_mode) : path[directory_length(path)] == '\0')
        return atomic_file_fail(file, path[0] == '\0' ? ENOENT : EISDIR, path, error);
    const bool special = exists && !S_ISREG(status.st_mode);
    int descriptor = special ? open(file->path, O_WRONLY | O_CLOEXEC) : open_temporary(file);
    if (descriptor < 0) {
        const int code = errno;
        free(file->temporary); /* never created: nothing to unlink */
        file->temporary = NULL;
        return atomic_file_fail(file, code, path, error);
    }
    file->stream = fdopen(descriptor, "wb");
    if (file->stream == NULL) {
        const int code = errno;
        close(descriptor);
        return atomic_file_fail(file, code, path, error);
    }
    return true;
}

/* Makes the rename itself survive a power failure. File systems and permissions that cannot do it are let pass. */
static int synchronise_directory(const char *path)
{
    const size_t length = directory_length(path);
    char *directory = length > 0 ? strndup(path, length) : strdup(".");
    int descriptor = directory == NULL ? -1 : open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int code = descriptor >= 0 && fsync(descriptor) != 0 ? errno : 0;
    if (descriptor >= 0)
        close(descriptor);
    free(directory);
    return code == EINVAL || code == ENOTSUP || code == EROFS ? 0 : code;
}

bool atomic_file_commit(AtomicFile *file, Error *error)
{
    FILE *stream = file->stream;
    const bool special = file->temporary == NULL;
    if (fflush(stream) != 0)
        return atomic_file_fail(file, errno, file->path, error);
    if (ferror(stream))
        return atomic_file_fail(file, 0, file->path, error);
    if (fsync(fileno(stream)) != 0 && !(special && (errno == EINVAL || errno == ENOTSUP || errno == EROFS)))
        return atomic_file_fail(file, errno, file->path, error);
    file->stream = NULL;
    if (fclose(stream) != 0 || (!special && rename(file->temporary, file->path) != 0))
        return atomic_file_fail(file, errno, file->path, error);
    free(file->temporary);
    file->temporary = NULL;
    const int code = special ? 0 : synchronise_directory(file->path);
    if (code != 0)
        error_set(error, "%s is written, but its directory cannot be synchronised: %s", file->path, reason(code));
    atomic_file_abandon(file);
    return code == 0;
}

void atomic_file_abandon(AtomicFile *file)
{
    if (file->stream != NULL)
        fclose(file->stream);
    if (file->temporary != NULL)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (AtomicFile){0};
}

/* One level; a directory that exists is fine, whatever mkdir says about it. */
static bool make_directory(const char *path, const char *whole, Error *error)
{
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return true;
    const int code = errno;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    if (code == EEXIST)
        return error_set(error, "cannot create the directory %s: %s is not a directory", whole, path);
    return error_set(error, "cannot create the directory %s: %s", whole, reason(code));
}

bool directory_create(const char *path, Error *error)
{
    char *prefix = strdup(path);
    bool done = prefix != NULL || error_set(error, "cannot create the directory %s: no memory", path);
    for (size_t i = 1; done && path[0] != '\0' && path[i] != '\0'; i++) {
        if (path[i] != '/')
            continue;
        prefix[i] = '\0';
        done = make_directory(prefix, path, error);
        prefix[i] = '/';
    }
    done = done && make_directory(path, path, error);
    free(prefix);
    return done;
}

char *path_join(const char *directory, const char *name)
{
    const size_t length = strlen(directory), room = length + strlen(name) + 2;
    char *path = malloc(room);
    if (path != NULL)
        snprintf(path, room, "%s%s%s", directory, length == 0 || directory[length - 1] == '/' ? "" : "/", name);
    return path;
}
