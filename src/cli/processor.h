/* processor.h -- whether this processor has the instructions that the program was built for. */
#ifndef SOLILOQUY_CLI_PROCESSOR_H
#define SOLILOQUY_CLI_PROCESSOR_H

/* The name of an instruction set that the build uses and the processor lacks, or NULL. Itself needs none of them. */
const char *processor_lacks(void);

#endif
