/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all fuzzers share. Each has a function fuzz() that gives the input to a reader, and says with must() what holds
 * of what the reader made of it. Beside that, whatever the input: the sanitizers find nothing, and the reader takes
 * less than FUZZ_CPU_S seconds of CPU time and FUZZ_MEMORY bytes. It is CPU time, so that a busy machine is no finding.
 */
#ifndef ERLBPF_FUZZ_FUZZ_H
#define ERLBPF_FUZZ_FUZZ_H

#include <sanitizer/allocator_interface.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef FUZZ_MEMORY
#define FUZZ_MEMORY (64u << 20)
#endif
#define FUZZ_CPU_S 1

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz(const uint8_t *data, size_t size);

static size_t fuzz_live; /* bytes that the input has made the reader take and not give back */

/* To the file descriptor: some fuzzers close stderr. The fuzzer's own handler of SIGABRT keeps the input. */
static inline void fuzz_fail(const char *what)
{
	static const char begin[] = "it does not hold that ";

	if (write(2, begin, sizeof(begin) - 1) < 0 || write(2, what, strlen(what)) < 0 || write(2, "\n", 1) < 0)
		_exit(1);
	abort();
}

static inline void must(bool holds, const char *what)
{
	if (!holds)
		fuzz_fail(what);
}

static inline void fuzz_is_slow(int signal)
{
	(void)signal;
	fuzz_fail("an input takes less than a second");
}

static inline void fuzz_on_malloc(const volatile void *at, size_t size)
{
	if (!at)
		return;
	fuzz_live += size;
	/* Nothing is live when an input begins, so it cannot be too much by what was there before. */
	if (fuzz_live > FUZZ_MEMORY && fuzz_live < SIZE_MAX / 2) {
		fuzz_live = 0;
		fuzz_fail("an input takes little memory");
	}
}

static inline void fuzz_on_free(const volatile void *at)
{
	if (at)
		fuzz_live -= __sanitizer_get_allocated_size(at);
}

static inline void fuzz_begin(void)
{
	static bool is_ready;
	struct itimerval timer = { .it_value.tv_sec = FUZZ_CPU_S };

	if (!is_ready) {
		is_ready = true;
		signal(SIGPROF, fuzz_is_slow);
#ifndef FUZZ_COVERAGE
		__sanitizer_install_malloc_and_free_hooks(fuzz_on_malloc, fuzz_on_free);
#endif
	}
	fuzz_live = 0;
	setitimer(ITIMER_PROF, &timer, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct itimerval off = {};

	fuzz_begin();
	fuzz(data, size);
	setitimer(ITIMER_PROF, &off, NULL);
	return 0;
}

/* A copy that ends with a NUL: a reader that goes on behind it is seen. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text, "there is memory");
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
