# soliloquy -- `make` builds ./soliloquy; `make help` lists the rest.
#
# CC=clang  OPENMP=0  SANITIZE=1  ARCH=x86-64-v3  VECTOR=16|32|64   each combination has its own folder under build/.

CC       := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
ARCH     := native
OPENMP   := 1
SANITIZE := 0
VECTOR   := auto
DATA     := data
PREFIX   ?= /usr/local

INEXACT := -Ofast -ffast-math -funsafe-math-optimizations -ffinite-math-only -fassociative-math -freciprocal-math # refused
ifneq ($(filter $(INEXACT),$(CFLAGS) $(CC)),)
$(error soliloquy relies on IEEE arithmetic (NaN checks, equal bits): remove $(filter $(INEXACT),$(CFLAGS) $(CC)))
endif

VARIANT := $(notdir $(firstword $(CC)))-$(or $(ARCH),plain)$(if $(filter 0,$(OPENMP)),-serial)$(if \
           $(filter 1,$(SANITIZE)),-sanitize)$(if $(filter-out auto,$(VECTOR)),-vector$(VECTOR))
BUILD   := build/$(VARIANT)
PROGRAM := $(BUILD)/soliloquy
DEFAULT := $(filter build/gcc-native,$(BUILD))

comma    := ,
WARNINGS := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
            -Wwrite-strings -Wfloat-conversion -Wno-psabi
# -mtune=generic: GCC's tuning for Zen splits some fused multiply-adds, and rows would differ by the tile they fall in.
FLAGS    := -std=gnu11 -D_GNU_SOURCE -O3 -g $(if $(ARCH),-march=$(ARCH) -mtune=generic) \
            -ffp-contract=fast -fno-math-errno -fno-trapping-math $(WARNINGS) -Isrc \
            $(if $(filter-out auto,$(VECTOR)),-DVECTOR_BYTES=$(VECTOR)) \
            $(if $(filter 0,$(OPENMP)),-Wno-unknown-pragmas -Wno-unused-parameter,-fopenmp) \
            $(if $(filter 1,$(SANITIZE)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined \
            -fno-omit-frame-pointer) $(CFLAGS)
COMPILE   = @mkdir -p $(@D) && echo '$(firstword $(CC)) $<$(if $(filter -D%,$1), ($1))' && $(CC) $(FLAGS) $1 -MMD -MP -c -o $@ $<
LINK      = @$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ -lm

CHECK_SOURCES   := src/training/gradient_check.c src/training/update_check.c
LIBRARY_SOURCES := $(filter-out src/cli/main.c $(CHECK_SOURCES),$(wildcard src/*/*.c))
# What the gradient check needs, compiled a second time in double precision.
DOUBLE_SOURCES  := $(filter-out src/model/evaluation.c,$(wildcard src/kernels/*.c src/layers/*.c src/model/*.c \
                   src/optimizer/*.c)) $(CHECK_SOURCES)
# The lab's model that a test checks in double.
DOUBLE_LAB      := $(BUILD)/double/lab/order_model.o
LIBRARY_OBJECTS := $(LIBRARY_SOURCES:src/%.c=$(BUILD)/%.o)
DOUBLE_OBJECTS  := $(DOUBLE_SOURCES:src/%.c=$(BUILD)/double/%.o)

# Tests named *_real.c run in both flavours.
TESTS         := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
DOUBLE_TESTS  := $(patsubst %,$(BUILD)/tests/%_double,$(filter %_real,$(TESTS)))
TEST_PROGRAMS := $(addprefix $(BUILD)/tests/,$(TESTS)) $(DOUBLE_TESTS)
TEST_SCRIPTS  := $(wildcard tests/test_*.sh)

ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif

.PHONY: all demo test gradcheck sanitize bench reference install clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAM)
	@$(if $(DEFAULT),cmp -s $(PROGRAM) soliloquy || { cp $(PROGRAM) soliloquy.new && mv soliloquy.new soliloquy; },echo 'built $(PROGRAM)')

$(PROGRAM): $(BUILD)/cli/main.o $(BUILD)/gradient_check_double.o $(BUILD)/libsoliloquy.a
	$(LINK)

$(BUILD)/libsoliloquy.a: $(LIBRARY_OBJECTS)
	@rm -f $@ && ar rcs $@ $^

# All of the double flavour as one object with a single visible name, so that both flavours fit one program.
$(BUILD)/gradient_check_double.o: $(DOUBLE_OBJECTS)
	@ld -r -o $@ $^ && objcopy --keep-global-symbol=gradient_check_double $@

$(BUILD)/%.o: src/%.c $(BUILD)/flags
	$(call COMPILE)

$(BUILD)/double/%.o: src/%.c $(BUILD)/flags
	$(call COMPILE,-DREAL_IS_DOUBLE)

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	$(call COMPILE,-Itests)

$(BUILD)/tests/%_double.o: tests/%.c $(BUILD)/flags
	$(call COMPILE,-DREAL_IS_DOUBLE -Itests)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/tests/naive_model.o $(BUILD)/gradient_check_double.o $(BUILD)/libsoliloquy.a
	$(LINK)

# The double objects come first; the library then gives only what has no `real` in it.
$(DOUBLE_TESTS): $(BUILD)/tests/%_double: $(BUILD)/tests/%_double.o $(BUILD)/tests/naive_model.o $(DOUBLE_OBJECTS) \
                 $(DOUBLE_LAB) $(BUILD)/libsoliloquy.a
	$(LINK)

# Changes when the compiler or its flags do, and everything is then compiled anew.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D) && printf '%s\n' '$(subst ','\'',$(CC) $(FLAGS))' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else $(if $(filter 0,$(OPENMP)),,$(REQUIRE_OPENMP) &&) mv $@.new $@; fi
REQUIRE_OPENMP = { echo '\#include <omp.h>' | $(CC) -fopenmp -fsyntax-only -x c - >/dev/null 2>&1 || \
	{ echo '$(CC) has no OpenMP here: build with OPENMP=0, or install it (for clang, Debian: libomp-dev)' >&2; exit 1; }; }

# Threads that wait soon sleep, so that tests on small models are fast on a busy machine, too.
test: all $(TEST_PROGRAMS)
	@GOMP_SPINCOUNT=$${GOMP_SPINCOUNT:-1000} SOLILOQUY=$(PROGRAM) BUILD=$(BUILD) tests/run.sh $(sort $(TEST_PROGRAMS)) $(sort $(TEST_SCRIPTS))

gradcheck: all
	@$(PROGRAM) gradcheck

sanitize:
	@$(MAKE) --no-print-directory test SANITIZE=1

demo: all
	@scripts/demo.sh $(if $(DEFAULT),./soliloquy,$(PROGRAM)) $(DATA)

bench: all
	@scripts/bench.sh $(PROGRAM)

reference:
	scripts/reference.py tests/golden
	scripts/attention_reference.py '$(DATA)' tests/golden
	scripts/streams.py tests/golden/streams

install: all
	install -D $(PROGRAM) '$(DESTDIR)$(PREFIX)/bin/soliloquy'

clean:
	rm -rf build soliloquy

help:
	@echo 'make            build ./soliloquy'
	@echo 'make demo       train on tiny Shakespeare, print a sample, write the attention maps'
	@echo 'make test       every test; the last line counts them'
	@echo 'make gradcheck  every gradient against central differences in double precision'
	@echo 'make sanitize   the tests under AddressSanitizer and UBSan'
	@echo 'make bench      characters a second, the share of the processor that they use, and PyTorch beside it'
	@echo 'make reference  write tests/golden anew (needs python3-torch, python3-numpy, banking77/ in DATA)'
	@echo 'make install    to PREFIX=$(PREFIX)'
	@echo 'make clean      remove everything that was built'
	@echo 'variables: CC=clang OPENMP=0 SANITIZE=1 ARCH=x86-64-v3 VECTOR=16|32|64 DATA=DIRECTORY CFLAGS=...'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
