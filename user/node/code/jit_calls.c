// SPDX-License-Identifier: BSD-2-Clause
/*
 * On x86-64, the JIT calls through a table of addresses behind the code (call *DISTANCE(%rip)), directly (call
 * DISTANCE), or through a register (mov $ADDRESS, %REGISTER); on aarch64 through a register (mov and movk) or directly
 * (bl): beam_asm_global.cpp in OTP 25 to 29. In 29.1.1 for x86-64, the first 256 KiB call 165 functions, and those in
 * `always` are within the first 32 KiB.
 */
#include "node/code/jit_calls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/a64.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "target/reader/procfs.h"

#define LOOKED_AT (256u << 10) /* bytes */
#define PIECE 4096
#define LEAST_KNOWN 20 /* called VM functions; with fewer, this is no JIT code */

static const char *const always[] = {
	"erts_schedule",
	"erts_do_exit_process",
	"erts_garbage_collect_nobump",
	"erts_gc_after_bif_call_lhf",
	"_Z17beam_jit_call_bifP7processPmPKvPFmS0_S1_S3_Em",
	"_Z23beam_jit_remove_messageP7processiPmS1_j",
};

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The address that a possible instruction here refers to, or 0. */
static uint64_t called_x86(const unsigned char *code, size_t size, size_t at, uint64_t address)
{
	int32_t distance;
	uint64_t word;

	if (size - at >= 10 && (code[at] & 0xfe) == 0x48 && (code[at + 1] & 0xf8) == 0xb8) {
		memcpy(&word, code + at + 2, sizeof(word));
		return word;
	}
	if (size - at >= 5 && (code[at] & 0xfe) == 0xe8) {
		memcpy(&distance, code + at + 1, sizeof(distance));
		return address + at + 5 + (uint64_t)(int64_t)distance;
	}
	if (size - at >= 6 && code[at] == 0xff && (code[at + 1] == 0x15 || code[at + 1] == 0x25)) {
		memcpy(&distance, code + at + 2, sizeof(distance));
		word = at + 6 + (uint64_t)(int64_t)distance;
		if (word < size && size - word >= sizeof(word)) {
			memcpy(&word, code + word, sizeof(word));
			return word;
		}
	}
	return 0;
}

static uint64_t called_a64(const unsigned char *code, size_t size, size_t at, uint64_t address)
{
	struct a64 a;

	if (size - at < A64_SIZE)
		return 0;
	a = a64_read_code(code + at, address + at);
	if (a.kind == A64_SET)
		return a64_whole_number(code + at, size - at);
	return a.kind == A64_CALL ? a.value : 0;
}

int jit_calls_find(enum arch arch, const unsigned char *code, size_t size, uint64_t address, uint64_t **calls,
		   size_t *count)
{
	size_t kept = 0, step = arch == ARCH_X86_64 ? 1 : A64_SIZE;

	*calls = NULL;
	*count = 0;
	for (size_t at = 0; at < size; at += step) {
		uint64_t called = arch == ARCH_X86_64 ? called_x86(code, size, at, address)
						      : called_a64(code, size, at, address);

		if (!called)
			continue;
		if (!array_has_room(*calls, *count))
			return -ENOMEM;
		(*calls)[(*count)++] = called;
	}
	if (*count)
		qsort(*calls, *count, sizeof(**calls), compare_addresses);
	for (size_t i = 0; i < *count; i++) {
		if (!kept || (*calls)[i] != (*calls)[kept - 1])
			(*calls)[kept++] = (*calls)[i];
	}
	*count = kept;
	return 0;
}

/* The JIT's code: executable memory without a file. False: none. */
static bool find_code(pid_t pid, uint64_t *address, uint64_t *size)
{
	_cleanup_free_ char *maps = procfs_maps(pid);
	char *line, *rest = maps;

	while (rest && (line = strsep(&rest, "\n"))) {
		uint64_t from, to;
		char mode[5], path[16] = "";

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %15s", &from, &to, mode, path) < 3 ||
		    mode[2] != 'x' || (path[0] && strncmp(path, "/memfd:vmem", strlen("/memfd:vmem"))))
			continue;
		*address = from;
		*size = to - from;
		return true;
	}
	return false;
}

/* Reads the available part from the start. */
static size_t read_code(pid_t pid, uint64_t address, uint64_t size, unsigned char *code)
{
	size_t have = 0;

	while (have < size && have < LOOKED_AT && !procfs_memory(pid, address + have, code + have, PIECE))
		have += PIECE;
	return have;
}

struct calls {
	const struct target *target;
	uint64_t *all;
	size_t count;
};

static bool is_called(const struct calls *calls, const struct image_symbol *symbol)
{
	uint64_t address;

	return !target_address(calls->target, symbol->address, &address) &&
	       bsearch(&address, calls->all, calls->count, sizeof(address), compare_addresses);
}

static bool is_of_jit(const struct calls *calls)
{
	size_t count, known = 0;
	const struct image_symbol *symbols = image_symbols(calls->target->vm->image, &count);

	for (size_t i = 0; i < count && known < LEAST_KNOWN; i++)
		known += symbols[i].is_function && is_called(calls, &symbols[i]);
	return known >= LEAST_KNOWN;
}

static bool agrees(const struct calls *calls)
{
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++) {
		const struct image_symbol *symbol = image_symbol(calls->target->vm->image, always[i]);

		if (symbol && symbol->is_matched && !is_called(calls, symbol))
			return false;
	}
	return true;
}

static bool is_doubtful(const struct target *target)
{
	_cleanup_free_ unsigned char *code = malloc(LOOKED_AT);
	struct calls calls = { .target = target };
	uint64_t address, size;
	bool is_wrong = false;

	if (!code || !find_code(target->pid, &address, &size))
		return false;
	size = read_code(target->pid, address, size, code);
	if (!jit_calls_find(image_arch(target->vm->image), code, size, address, &calls.all, &calls.count))
		is_wrong = is_of_jit(&calls) && !agrees(&calls);
	free(calls.all);
	return is_wrong;
}

const char *jit_calls_mismatch(const struct target *target)
{
	const struct vm *vm = target->vm;

	if (vm->flavor != FLAVOR_JIT || !image_is_matched(vm->image) || !is_doubtful(target))
		return NULL;
	return "the functions found by comparison were rejected, because the JIT of the node does not call them";
}
