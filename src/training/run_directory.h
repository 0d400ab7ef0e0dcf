/* run_directory.h -- the files of a run, and who may write them.
 *
 * A directory holds one run. Whoever trains in it holds its lock: a second one would take the log away from the first.
 * The lock is the system's (flock) and ends with the process, however that ends. */
#ifndef SOLILOQUY_TRAINING_RUN_DIRECTORY_H
#define SOLILOQUY_TRAINING_RUN_DIRECTORY_H

#include "base/error.h"

#define RUN_BEST "best.safetensors"
#define RUN_LAST "last.safetensors"
#define RUN_LOG "log.jsonl"

/* Whether a directory holds files of a run. */
bool run_exists(const char *directory);

/* Removes the files of an earlier run, that a new one may stand in its place. */
bool run_remove(const char *directory, Error *error);

/* Takes the lock of an existing directory, and clears away what a killed process left half written. Refuses where
 * another process holds it. *lock is a descriptor for run_unlock, or -1 on a file system without locks. */
bool run_lock(const char *directory, int *lock, Error *error);
void run_unlock(int lock);

#endif
