#include "training/run_directory.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *const run_files[] = {RUN_BEST, RUN_LAST, RUN_LOG};
enum { RUN_FILES = sizeof run_files / sizeof run_files[0] };

bool run_exists(const char *directory)
{
    bool exists = false;
    for (int i = 0; i < RUN_FILES; i++) {
        char *path = path_join(directory, run_files[i]);
        exists = exists || (path != NULL && access(path, F_OK) == 0);
        free(path);
    }
    return exists;
}

bool run_remove(const char *directory, Error *error)
{
    for (int i = 0; i < RUN_FILES; i++) {
        char *path = path_join(directory, run_files[i]);
        bool gone = path != NULL && (unlink(path) == 0 || errno == ENOENT);
        if (!gone)
            error_set(error, "cannot remove %s/%s: %s", directory, run_files[i], strerror(errno));
        free(path);
        if (!gone)
            return false;
    }
    return true;
}

/* Whether base/file.h gave this name to a file under construction: best.safetensors.123-0.tmp */
static bool is_temporary(const char *name)
{
    for (int i = 0; i < RUN_FILES; i++) {
        size_t length = strlen(run_files[i]);
        if (strncmp(name, run_files[i], length) == 0 && fnmatch(".[0-9]*-[0-9]*.tmp", name + length, 0) == 0)
            return true;
    }
    return false;
}

static void remove_temporaries(int directory)
{
    int copy = dup(directory);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    if (entries == NULL) {
        close(copy);
        return;
    }
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (is_temporary(entry->d_name))
            unlinkat(directory, entry->d_name, 0);
    closedir(entries);
}

bool run_lock(const char *directory, int *lock, Error *error)
{
    *lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return error_set(error, "cannot open the directory %s: %s", directory, strerror(errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0) {
        remove_temporaries(*lock);
        return true;
    }
    bool held = errno == EWOULDBLOCK;
    run_unlock(*lock);
    *lock = -1;
    return !held || error_set(error, "another process trains in %s; wait for it, stop it, or choose another --out",
                              directory);
}

void run_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
