/* Files read whole and files written atomically: contents, limits, and every way in which a disk says no. */
#include "base/file.h"
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { NAME_LONGEST = 255 };

static bool holds(const char *path, const char *content)
{
    unsigned char *bytes;
    size_t size;
    Error error;
    bool same = file_read(path, 1 << 20, &bytes, &size, &error) && size == strlen(content) &&
                memcmp(bytes, content, size + 1) == 0;
    free(bytes);
    return same;
}

/* Files of the directory whose name contains the part. */
static int count_files(const char *directory, const char *part)
{
    DIR *listing = opendir(directory);
    int count = 0;
    for (struct dirent *entry = listing == NULL ? NULL : readdir(listing); entry != NULL; entry = readdir(listing))
        count += strstr(entry->d_name, part) != NULL;
    if (listing != NULL)
        closedir(listing);
    return count;
}

/* The message names the path, contains the part and is one line. */
static bool says(const Error *error, const char *path, const char *part)
{
    return strstr(error->message, path) != NULL && strstr(error->message, part) != NULL &&
           strchr(error->message, '\n') == NULL;
}

static void test_open(void)
{
    char path[PATH_SIZE];
    Error error;
    test_case("file_open: a missing file");
    CHECK(file_open(scratch("missing", path), &error) == NULL && says(&error, path, "no such file"), "%s",
          error.message);
    test_case("file_open: a directory");
    CHECK(file_open(scratch(".", path), &error) == NULL && says(&error, path, "is a directory"), "%s", error.message);
    if (geteuid() == 0) {
        test_skip("file_open: no permission", "root may read everything");
        return;
    }
    test_case("file_open: no permission");
    put(scratch("secret", path), "x", 1);
    chmod(path, 0);
    CHECK(file_open(path, &error) == NULL && says(&error, path, "permission denied"), "%s", error.message);
}

static void test_read_limits(void)
{
    char path[PATH_SIZE];
    Error error;
    unsigned char *bytes;
    size_t size;
    test_case("file_read: content with NUL and its end");
    put(scratch("content", path), "a\0b\r\n", 5);
    CHECK(file_read(path, 5, &bytes, &size, &error) && size == 5 && memcmp(bytes, "a\0b\r\n", 6) == 0, "%s",
          error.message);
    free(bytes);
    test_case("file_read: one byte over the limit");
    CHECK(!file_read(path, 4, &bytes, &size, &error) && bytes == NULL && says(&error, path, "4 bytes"), "%s",
          error.message);
    test_case("file_read: an empty file");
    put(scratch("empty", path), "", 0);
    CHECK(file_read(path, 0, &bytes, &size, &error) && size == 0 && bytes[0] == '\0', "%s", error.message);
    free(bytes);
    test_case("file_read: an endless device stops at the limit");
    CHECK(!file_read("/dev/zero", 100000, &bytes, &size, &error) && says(&error, "/dev/zero", "larger"), "%s",
          error.message);
    test_case("file_read: a missing file");
    CHECK(!file_read(scratch("missing", path), 10, &bytes, &size, &error) && says(&error, path, "no such file"), "%s",
          error.message);
}

/* Reads `size` counted bytes through a pipe, from the path /dev/fd/N or from standard input. */
static bool read_piped(size_t size, size_t limit, bool standard_input, Error *error)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_IGN);
        close(ends[0]);
        FILE *stream = fdopen(ends[1], "wb");
        for (size_t i = 0; i < size; i++)
            putc((int)(i * 7 % 251), stream);
        fclose(stream);
        _exit(0);
    }
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    if (standard_input)
        dup2(ends[0], STDIN_FILENO);
    unsigned char *bytes;
    size_t got;
    bool good = file_read(standard_input ? "-" : path, limit, &bytes, &got, error) && got == size && bytes[got] == 0;
    for (size_t i = 0; i < size && good; i++)
        good = bytes[i] == i * 7 % 251;
    free(bytes);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return good;
}

static void test_read_pipes(void)
{
    Error error = {0};
    test_case("file_read: pipes of sizes about the buffer's");
    for (size_t size = 65534; size <= 65538; size++)
        CHECK(read_piped(size, 1 << 20, false, &error), "%zu: %s", size, error.message);
    CHECK(read_piped(0, 0, false, &error), "%s", error.message);
    CHECK(read_piped(300000, 300000, false, &error), "%s", error.message);
    CHECK(!read_piped(300001, 300000, false, &error) && says(&error, "/dev/fd/", "larger"), "%s", error.message);
    test_case("file_read: standard input");
    CHECK(read_piped(100000, 1 << 20, true, &error), "%s", error.message);
}

static void test_commit(void)
{
    char directory[PATH_SIZE], path[PATH_SIZE];
    Error error = {0};
    AtomicFile file, other;
    struct stat status;
    test_case("atomic_file: nothing stands before the commit, the whole file after it");
    CHECK(directory_create(scratch("commit", directory), &error), "%s", error.message);
    scratch("commit/target", path);
    const mode_t mask = umask(027);
    CHECK(atomic_file_open(&file, path, &error), "%s", error.message);
    umask(mask);
    fputs("first", file.stream);
    CHECK(access(path, F_OK) != 0 && count_files(directory, "target.") == 1);
    CHECK(atomic_file_commit(&file, &error) && holds(path, "first"), "%s", error.message);
    CHECK(file.stream == NULL && file.path == NULL && file.temporary == NULL);
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640, "mode %o", (unsigned)status.st_mode);
    test_case("atomic_file: an abandoned file leaves the old one and no temporary");
    CHECK(atomic_file_open(&file, path, &error), "%s", error.message);
    fputs("second", file.stream);
    fflush(file.stream);
    CHECK(holds(path, "first"));
    atomic_file_abandon(&file);
    atomic_file_abandon(&file);
    CHECK(holds(path, "first") && count_files(directory, "tmp") == 0);
    test_case("atomic_file: two at once on one target; the last commit stands");
    CHECK(atomic_file_open(&file, path, &error) && atomic_file_open(&other, path, &error), "%s", error.message);
    CHECK(strcmp(file.temporary, other.temporary) != 0);
    fputs("one", file.stream);
    fputs("two", other.stream);
    CHECK(atomic_file_commit(&other, &error) && holds(path, "two"), "%s", error.message);
    CHECK(atomic_file_commit(&file, &error) && holds(path, "one"), "%s", error.message);
    CHECK(count_files(directory, "tmp") == 0);
    test_case("atomic_file: a path without a directory");
    char here[PATH_SIZE];
    CHECK(getcwd(here, sizeof here) != NULL && chdir(directory) == 0);
    CHECK(atomic_file_open(&file, "plain", &error) && fputs("p", file.stream) >= 0, "%s", error.message);
    CHECK(atomic_file_commit(&file, &error) && holds("plain", "p"), "%s", error.message);
    CHECK(chdir(here) == 0);
}

static void test_kinds_of_target(void)
{
    char path[PATH_SIZE], link[PATH_SIZE], name[NAME_LONGEST + 1];
    Error error = {0};
    AtomicFile file;
    struct stat status;
    test_case("atomic_file: a symbolic link stays one");
    put(scratch("real", path), "old", 3);
    CHECK(symlink("real", scratch("link", link)) == 0);
    CHECK(atomic_file_open(&file, link, &error) && fputs("new", file.stream) >= 0, "%s", error.message);
    CHECK(atomic_file_commit(&file, &error) && holds(path, "new"), "%s", error.message);
    CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    test_case("atomic_file: a pipe or device is written, not replaced");
    char byte = 0;
    CHECK(mkfifo(scratch("pipe", path), 0600) == 0, "no pipe");
    const int reader = open(path, O_RDWR);
    CHECK(atomic_file_open(&file, path, &error) && file.temporary == NULL, "%s", error.message);
    fputs("x", file.stream);
    CHECK(atomic_file_commit(&file, &error) && stat(path, &status) == 0 && S_ISFIFO(status.st_mode), "%s",
          error.message);
    CHECK(test_state.failed || (read(reader, &byte, 1) == 1 && byte == 'x'), "the pipe has %d", byte);
    close(reader);
    test_case("atomic_file: the longest name");
    memset(name, 'n', NAME_LONGEST);
    name[NAME_LONGEST] = '\0';
    CHECK(atomic_file_open(&file, scratch(name, path), &error), "%s", error.message);
    CHECK(atomic_file_commit(&file, &error) && holds(path, ""), "%s", error.message);
    test_case("atomic_file: a directory, a missing directory, no name");
    CHECK(!atomic_file_open(&file, scratch(".", path), &error) && says(&error, path, "is a directory"), "%s",
          error.message);
    CHECK(!atomic_file_open(&file, scratch("none/x", path), &error) && says(&error, path, "no such file"), "%s",
          error.message);
    CHECK(!atomic_file_open(&file, scratch("none/", path), &error) && says(&error, path, "is a directory"), "%s",
          error.message);
    CHECK(!atomic_file_open(&file, "", &error) && says(&error, "", "no such file"), "%s", error.message);
    CHECK(file.stream == NULL && file.path == NULL && file.temporary == NULL);
}

/* Makes every later write on the stream fail as on a full disk. */
static bool fill_disk(FILE *stream)
{
    const int full = open("/dev/full", O_WRONLY);
    const bool done = full >= 0 && dup2(full, fileno(stream)) >= 0;
    if (full >= 0)
        close(full);
    return done;
}

static void test_full_disk(void)
{
    char directory[PATH_SIZE], path[PATH_SIZE];
    Error error = {0};
    AtomicFile file;
    if (access("/dev/full", W_OK) != 0) {
        test_skip("atomic_file: a full disk", "no /dev/full");
        return;
    }
    test_case("atomic_file: a full disk keeps the old file and says so");
    CHECK(directory_create(scratch("full", directory), &error), "%s", error.message);
    put(scratch("full/target", path), "old", 3);
    CHECK(atomic_file_open(&file, path, &error) && fill_disk(file.stream), "%s", error.message);
    fputs("new", file.stream);
    CHECK(!atomic_file_commit(&file, &error) && says(&error, path, "No space left on device"), "%s", error.message);
    CHECK(says(&error, path, "the previous file is untouched"), "%s", error.message);
    CHECK(holds(path, "old") && count_files(directory, "tmp") == 0 && file.stream == NULL);
    test_case("atomic_file: a write that failed before the commit is noticed");
    CHECK(atomic_file_open(&file, path, &error), "%s", error.message);
    const int saved = dup(fileno(file.stream));
    CHECK(fill_disk(file.stream) && fputs("new", file.stream) >= 0 && fflush(file.stream) != 0);
    CHECK(dup2(saved, fileno(file.stream)) >= 0);
    close(saved);
    CHECK(!atomic_file_commit(&file, &error) && says(&error, path, "cannot write"), "%s", error.message);
    CHECK(holds(path, "old") && count_files(directory, "tmp") == 0);
}

static void test_refusing_system(void)
{
    char directory[PATH_SIZE], path[PATH_SIZE];
    Error error = {0};
    AtomicFile file;
    test_case("atomic_file: a limit on the size of files");
    CHECK(directory_create(scratch("limit", directory), &error), "%s", error.message);
    put(scratch("limit/target", path), "old", 3);
    const rlim_t old = limit_files(4096);
    CHECK(atomic_file_open(&file, path, &error), "%s", error.message);
    for (int i = 0; i < 100000; i++)
        putc('x', file.stream);
    CHECK(!atomic_file_commit(&file, &error) && says(&error, path, "untouched"), "%s", error.message);
    limit_files(old);
    CHECK(holds(path, "old") && count_files(directory, "tmp") == 0);
    if (geteuid() == 0) {
        test_skip("atomic_file: a read-only directory", "root may write everywhere");
        return;
    }
    test_case("atomic_file: a read-only directory");
    chmod(directory, 0555);
    CHECK(!atomic_file_open(&file, path, &error) && says(&error, path, "permission denied"), "%s", error.message);
    CHECK(!directory_create(scratch("limit/below", path), &error) && says(&error, path, "permission denied"), "%s",
          error.message);
    chmod(directory, 0755);
}

static void test_directories(void)
{
    char path[PATH_SIZE];
    struct stat status;
    Error error = {0};
    test_case("directory_create: parents, again, and with slashes");
    CHECK(directory_create(scratch("a/b//c", path), &error) && stat(path, &status) == 0 && S_ISDIR(status.st_mode),
          "%s", error.message);
    CHECK(directory_create(path, &error) && directory_create(scratch("a/d///", path), &error), "%s", error.message);
    CHECK(directory_create("/", &error) && directory_create(".", &error), "%s", error.message);
    test_case("directory_create: a file in the way, an empty path");
    put(scratch("a/file", path), "x", 1);
    CHECK(!directory_create(path, &error) && says(&error, path, "not a directory"), "%s", error.message);
    CHECK(!directory_create(scratch("a/file/below", path), &error) && says(&error, path, "file is not a directory"),
          "%s", error.message);
    CHECK(!directory_create("", &error) && says(&error, "", "no such file"), "%s", error.message);
    test_case("path_join");
    static const char *const cases[][3] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"}, {"", "b", "b"}, {".", "b.c", "./b.c"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *joined = path_join(cases[i][0], cases[i][1]);
        CHECK(joined != NULL && strcmp(joined, cases[i][2]) == 0, "%s", joined);
        free(joined);
    }
}

int main(void)
{
    test_open();
    test_read_limits();
    test_read_pipes();
    test_commit();
    test_kinds_of_target();
    test_full_disk();
    test_refusing_system();
    test_directories();
    return test_finish();
}
