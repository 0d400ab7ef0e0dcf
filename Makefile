# soliloquy -- `make` builds ./soliloquy; `make help` lists the rest.
#
# CC=clang  OPENMP=0  SANITIZE=1  ARCH=x86-64-v3  VECTOR=16|32|64   each combination has its own folder under build/.

CC      := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
ARCH    ?= native
OPENMP  ?= 1
SANITIZE ?= 0
VECTOR  ?= auto
PREFIX  ?= /usr/local
DATA    ?= data

ifneq ($(filter -Ofast -ffast-math -funsafe-math-optimizations -ffinite-math-only,$(CFLAGS) $(CC)),)
$(error soliloquy relies on IEEE arithmetic (NaN checks, equal bits): remove -Ofast and -ffast-math from CFLAGS)
endif

VARIANT := $(notdir $(firstword $(CC)))-$(ARCH)$(if $(filter 0,$(OPENMP)),-serial)$(if $(filter 1,$(SANITIZE)),-sanitize)$(if $(filter-out auto,$(VECTOR)),-vector$(VECTOR))
BUILD   := build/$(VARIANT)

WARNINGS := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
            -Wwrite-strings -Wfloat-conversion -Wno-psabi
FLAGS := -std=gnu11 -O3 -g $(if $(ARCH),-march=$(ARCH)) -ffp-contract=fast -fno-math-errno -fno-trapping-math $(WARNINGS) -Isrc \
         $(if $(filter-out auto,$(VECTOR)),-DVECTOR_BYTES=$(VECTOR)) \
         $(if $(filter 0,$(OPENMP)),-Wno-unknown-pragmas,-fopenmp) \
         $(if $(filter 1,$(SANITIZE)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer) \
         $(CFLAGS)
comma := ,
LIBRARIES := -lm

SOURCES  := $(sort $(wildcard src/*/*.c))
LIBRARY_SOURCES := $(filter-out src/cli/main.c,$(SOURCES))
# What the gradient check needs, compiled a second time in double precision.
DOUBLE_SOURCES := $(sort $(wildcard src/kernels/*.c src/layers/*.c src/model/*.c src/optimizer/*.c)) src/training/gradient_check.c
OBJECTS  := $(LIBRARY_SOURCES:src/%.c=$(BUILD)/%.o)
DOUBLE_OBJECTS := $(DOUBLE_SOURCES:src/%.c=$(BUILD)/double/%.o)

TESTS    := $(sort $(wildcard tests/test_*.c))
# Tests named *_real.c run in both flavours.
TEST_PROGRAMS := $(TESTS:tests/%.c=$(BUILD)/tests/%) $(patsubst tests/%.c,$(BUILD)/tests/%_double,$(filter %_real.c,$(TESTS)))
TEST_SCRIPTS  := $(sort $(wildcard tests/test_*.sh))

DEFAULT := $(and $(filter gcc,$(CC)),$(filter native,$(ARCH)),$(filter 1,$(OPENMP)),$(filter 0,$(SANITIZE)),$(filter auto,$(VECTOR)))
PROGRAM := $(BUILD)/soliloquy

.PHONY: all demo test gradcheck sanitize bench reference install clean help
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAM)
	@$(if $(DEFAULT),cmp -s $(PROGRAM) soliloquy || { cp $(PROGRAM) soliloquy.new && mv soliloquy.new soliloquy; },echo "built $(PROGRAM)")

$(PROGRAM): $(BUILD)/cli/main.o $(BUILD)/libsoliloquy.a $(BUILD)/gradient_check_double.o
	$(CC) $(FLAGS) -o $@ $^ $(LIBRARIES)

$(BUILD)/libsoliloquy.a: $(OBJECTS)
	@rm -f $@
	@ar rcs $@ $^

# All of the double flavour as one object with a single visible name, so that both flavours fit one program.
$(BUILD)/gradient_check_double.o: $(DOUBLE_OBJECTS)
	@ld -r -o $@ $^
	@objcopy --keep-global-symbol=gradient_check_double $@

$(BUILD)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/double/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -DREAL_IS_DOUBLE -MMD -MP -c -o $@ $<

$(BUILD)/tests/%.o: tests/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -Itests -MMD -MP -c -o $@ $<

$(BUILD)/tests/%_double.o: tests/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -Itests -DREAL_IS_DOUBLE -MMD -MP -c -o $@ $<

# A double test takes the double objects first and everything that has no `real` in it from the library.
$(BUILD)/tests/%_real_double: $(BUILD)/tests/%_real_double.o $(BUILD)/tests/naive_model.o $(DOUBLE_OBJECTS) $(BUILD)/libsoliloquy.a
	@$(CC) $(FLAGS) -o $@ $^ $(LIBRARIES)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/tests/naive_model.o $(BUILD)/libsoliloquy.a $(BUILD)/gradient_check_double.o
	@$(CC) $(FLAGS) -o $@ $^ $(LIBRARIES)

test: all $(TEST_PROGRAMS)
	@SOLILOQUY=$(PROGRAM) BUILD=$(BUILD) tests/run.sh $(TEST_PROGRAMS) $(TEST_SCRIPTS)

gradcheck: all
	@$(PROGRAM) gradcheck

sanitize:
	@$(MAKE) --no-print-directory test SANITIZE=1

demo: all
	@scripts/demo.sh $(PROGRAM) $(DATA)

reference:
	scripts/reference.py tests/golden

install: all
	install -D $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/soliloquy

clean:
	rm -rf build soliloquy

help:
	@echo 'make            build ./soliloquy'
	@echo 'make demo       train on tiny Shakespeare, print a sample, write the attention maps'
	@echo 'make test       every test; the last line counts them'
	@echo 'make gradcheck  every gradient against central differences in double precision'
	@echo 'make sanitize   the tests under AddressSanitizer and UBSan'
	@echo 'make reference  write tests/golden anew (needs python3-torch)'
	@echo 'make install    to PREFIX=$(PREFIX)'
	@echo 'make clean      remove everything that was built'
	@echo 'variables: CC=clang OPENMP=0 SANITIZE=1 ARCH=x86-64-v3 VECTOR=16|32|64'

-include $(shell find build -name '*.d' 2>/dev/null)
