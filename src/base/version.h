/* version.h -- the program's version, as --version prints it and checkpoints record it. */
#ifndef SOLILOQUY_BASE_VERSION_H
#define SOLILOQUY_BASE_VERSION_H

#define SOLILOQUY_VERSION "0.1.0"

#endif
