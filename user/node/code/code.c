// SPDX-License-Identifier: BSD-2-Clause
#include "node/code/code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "node/atoms/atoms.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define IS_ATOM(term) (((term)&0x3f) == 0x0b)
#define MAX_ARITY 255

/*
 * An ErtsCodeInfo (code_ix.h) precedes each function's code: the call to it (JIT), its breakpoint, its MFA. x86 JIT
 * code begins it with a call, or with a nop if nothing can fail (emit_i_func_info() in beam_asm_module.cpp); the
 * emulator begins it with the address of an instruction.
 */
struct code_info {
	uint64_t op;
	uint64_t breakpoint;
	uint64_t mfa[3];
};

_Static_assert(sizeof(struct code_info) == CODE_INFO_BYTES, "CODE_INFO_BYTES is the size of an ErtsCodeInfo");

static bool is_code_info(const struct target *target, const struct code_info *info)
{
	uint8_t first = (uint8_t)info->op;

	if (!IS_ATOM(info->mfa[0]) || !IS_ATOM(info->mfa[1]) || info->mfa[2] > MAX_ARITY || info->mfa[0] >> 32 ||
	    info->mfa[1] >> 32)
		return false;
	if (target->vm->flavor == FLAVOR_JIT && image_arch(target->vm->image) == ARCH_X86_64)
		return first == 0xe8 || first == 0x90;
	/* The emulator's instructions may look like it, but none is a word of 0. */
	return !info->breakpoint;
}

/* Such code has a module name that does not exist. */
bool code_is_of_jit(const char *function)
{
	static const char module[] = "erts_beamasm:";

	return !strncmp(function, module, strlen(module));
}

/*
 * The code begins with a short jump over the bytes that the VM uses for a breakpoint (emit_i_breakpoint_trampoline()).
 */
#define SHORT_JUMP 0xeb

bool code_is_entry(const struct target *target, uint64_t entry, uint32_t module, uint32_t name, uint8_t arity)
{
	struct {
		struct code_info info;
		uint8_t code[8];
	} found;

	return target->vm->flavor == FLAVOR_JIT && image_arch(target->vm->image) == ARCH_X86_64 &&
	       !procfs_memory(target->pid, entry - sizeof(found.info), &found, sizeof(found)) &&
	       is_code_info(target, &found.info) && atom_of_term(found.info.mfa[0]) == module &&
	       atom_of_term(found.info.mfa[1]) == name && found.info.mfa[2] == arity && found.code[0] == SHORT_JUMP;
}

#define CODE_CHUNK 512	     /* words per read */
#define CODE_MAX (256 << 10) /* bytes; longer than all functions seen in practice */

int code_function_at(const struct target *target, uint64_t address, uint64_t mfa[3], uint64_t *start)
{
	const size_t info_words = sizeof(struct code_info) / 8;
	uint64_t words[CODE_CHUNK + sizeof(struct code_info) / 8];
	uint64_t end = address & ~7ULL;

	for (uint64_t from = end; end - from < CODE_MAX && from > sizeof(words);) {
		/* Chunks overlap, because an ErtsCodeInfo may cross the boundary. */
		from -= CODE_CHUNK * 8;
		if (procfs_memory(target->pid, from, words,
				  from + sizeof(words) > end ? CODE_CHUNK * 8 : sizeof(words)))
			return -EFAULT;
		for (size_t i = CODE_CHUNK; i-- > 0;) {
			const struct code_info *info = (const struct code_info *)&words[i];

			if (from + (i + info_words) * 8 > end || !is_code_info(target, info))
				continue;
			memcpy(mfa, info->mfa, sizeof(info->mfa));
			if (start)
				*start = from + (i + info_words) * 8;
			return 0;
		}
	}
	return -ENOENT;
}

/* All functions. */

#define SCAN_WORDS 2048		/* words per read */
#define SCAN_MAX (256ULL << 20) /* bytes of a node's code that are searched */
#define FUNCTIONS_MAX (1u << 20)
#define INFO_WORDS (sizeof(struct code_info) / 8)
#define NIF_WORDS 5			/* in the code of a NIF, of which the last three are an ErtsNativeFunc */
#define HEADER_WORDS 24			/* in a module's header before its functions, plus one */
#define TAIL_WORDS HEADER_WORDS		/* the longest structure that may cross a boundary */
#define BEFORE_CODE 4096		/* maximum bytes between a module's header and its first function */
#define MODULE_FUNCTIONS_MAX (1u << 16) /* in one module */

struct range {
	uint64_t start, end;
};

struct code_scan {
	const struct target *target;
	struct code_list *list;
	struct range *files, *code; /* mapped code of files, and the JIT's memory */
	size_t file_count, code_count;
	uint64_t left;	     /* bytes that may still be read */
	size_t header_words; /* in a module's header before its functions; 0: unknown */
	uint64_t header_end; /* end of the last header */
	uint64_t read_at;    /* address of the first word read; 0: none */
};

static bool is_in_file(const struct code_scan *s, uint64_t address)
{
	for (size_t i = 0; i < s->file_count; i++) {
		if (s->files[i].start <= address && address < s->files[i].end)
			return true;
	}
	return false;
}

/*
 * The code of a module's function after its NIF is loaded (emit_call_nif() in instr_bif.cpp): a prologue and a jump,
 * then the C function, the library's structure, and the C function of a dirty NIF or 0.
 */
static bool is_nif(const struct code_scan *s, const uint64_t *code)
{
	const uint64_t *native = code + NIF_WORDS - 3;

	return is_in_file(s, native[0]) && native[1] && (!native[2] || is_in_file(s, native[2]));
}

/* One line of /proc/PID/maps. */
static int add_mapping(struct code_scan *s, const char *line)
{
	unsigned long long start, end;
	char executable;
	int at = 0;
	bool is_file;

	if (sscanf(line, "%llx-%llx %*c%*c%c%*c %*s %*s %*s %n", &start, &end, &executable, &at) != 3 ||
	    executable != 'x' || !at)
		return 0;
	/* The JIT's memory is anonymous or a memfd. */
	is_file = line[at] == '/' && strncmp(line + at, "/memfd:", strlen("/memfd:")) != 0;
	if (!is_file && line[at] == '[' && strncmp(line + at, "[anon", strlen("[anon")) != 0)
		return 0;
	if (is_file ? !array_has_room(s->files, s->file_count) : !array_has_room(s->code, s->code_count))
		return -ENOMEM;
	if (is_file)
		s->files[s->file_count++] = (struct range){ start, end };
	else
		s->code[s->code_count++] = (struct range){ start, end };
	return 0;
}

static int find_mappings(struct code_scan *s)
{
	_cleanup_free_ char *text = procfs_maps(s->target->pid);
	char *rest = text, *line;
	int err = text ? 0 : -errno;

	while (!err && (line = strsep(&rest, "\n")))
		err = add_mapping(s, line);
	return err;
}

/* `at`: the address of `words`. */
static int take_function(struct code_scan *s, const uint64_t *words, uint64_t at)
{
	const struct code_info *info = (const struct code_info *)words;

	if (!is_code_info(s->target, info))
		return 0;
	if (s->list->count >= FUNCTIONS_MAX)
		return -E2BIG;
	if (!array_has_room(s->list->functions, s->list->count))
		return -ENOMEM;
	s->list->functions[s->list->count++] = (struct code_function){
		.start = at + INFO_WORDS * 8,
		.module = atom_of_term(info->mfa[0]),
		.name = atom_of_term(info->mfa[1]),
		.arity = (uint8_t)info->mfa[2],
		.is_nif = is_nif(s, &words[INFO_WORDS]),
	};
	return 0;
}

/*
 * A module's header begins with the number of its functions, and ends with their addresses and the end address; the
 * first function is close behind. Inside a header, a size may look like the number of its last functions.
 */
static int take_module(struct code_scan *s, const uint64_t *words, uint64_t at)
{
	uint64_t count = words[0], info = words[s->header_words];
	uint64_t end = at + (s->header_words + count + 1) * 8;

	if (!s->header_words || !count || count > MODULE_FUNCTIONS_MAX || info & 7 || info - end >= BEFORE_CODE ||
	    at < s->header_end)
		return 0;
	if (!array_has_room(s->list->modules, s->list->module_count))
		return -ENOMEM;
	s->header_end = end;
	s->list->modules[s->list->module_count++] = (struct code_module){
		.header = at,
		.start = info,
		.function_count = (uint32_t)count,
	};
	return 0;
}

static int take_words(struct code_scan *s, const uint64_t *words, size_t count, uint64_t at)
{
	int err = 0;

	for (size_t i = 0; !err && i + TAIL_WORDS <= count; i++) {
		err = take_function(s, &words[i], at + i * 8);
		if (!err)
			err = take_module(s, &words[i], at + i * 8);
	}
	return err;
}

static bool is_empty(const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (words[i])
			return false;
	}
	return true;
}

/* The JIT fills its memory from the start. Unused memory must not be read: that would allocate it. */
static int scan_range(struct code_scan *s, const struct range *range)
{
	uint64_t words[TAIL_WORDS + SCAN_WORDS];
	size_t have = 0;
	int err = 0;

	s->header_end = range->start;
	for (uint64_t at = range->start; !err && at < range->end;) {
		size_t size = range->end - at < SCAN_WORDS * 8 ? range->end - at : SCAN_WORDS * 8;

		if (s->left < size)
			return -E2BIG;
		s->left -= size;
		if (procfs_memory(s->target->pid, at, words + have, size) || is_empty(words + have, size / 8))
			return 0;
		if (!s->read_at)
			s->read_at = at;
		at += size;
		have += size / 8;
		err = take_words(s, words, have, at - have * 8);
		/* A header may cross the boundary. */
		if (have >= TAIL_WORDS) {
			memmove(words, words + have - (TAIL_WORDS - 1), (TAIL_WORDS - 1) * 8);
			have = TAIL_WORDS - 1;
		}
	}
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int modules_by_start(const void *a, const void *b)
{
	const struct code_module *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static size_t words_of_header(const struct target *target)
{
	int64_t offset;

	if (field_offset(target->vm, "code_header.functions", &offset) || offset / 8 >= HEADER_WORDS)
		return 0;
	return (size_t)offset / 8;
}

/* Code behind a module's last function was loaded later. */
static bool is_behind_module(const struct code_list *list, const struct code_function *f, uint64_t address)
{
	const struct code_module *module = array_last_upto(list->modules, list->module_count, start, f->start);

	return module && f->start < module->end && address >= module->end;
}

const struct code_function *code_list_at(const struct code_list *list, uint64_t address)
{
	const struct code_function *f = array_last_upto(list->functions, list->count, start, address);

	return f && address - f->start < CODE_MAX && !is_behind_module(list, f, address) ? f : NULL;
}

bool code_list_is_behind(const struct code_list *list, uint64_t function_start, uint64_t address)
{
	const struct code_function *f = array_last_upto(list->functions, list->count, start, address);

	return f && f->start == function_start && is_behind_module(list, f, address);
}

#define ENDS_TOGETHER 64
#define JUMP_BYTES 6
#define JUMPS_MOST 128

/*
 * The jumps of all functions of a module to shared code, such as that for exhausted reductions, are between the last
 * function and the end in the header: codegen() in beam_asm_module.cpp of OTP 27 and 29. asmjit writes each as an empty
 * prefix and a jmp. OTP 25 has none.
 */
static uint64_t end_before_jumps(uint64_t end, const uint8_t *bytes, size_t size)
{
	for (; size >= JUMP_BYTES && bytes[size - JUMP_BYTES] == 0x40 && bytes[size - JUMP_BYTES + 1] == 0xe9;
	     size -= JUMP_BYTES)
		end -= JUMP_BYTES;
	return end;
}

static void leave_out_jumps(const struct code_scan *s, struct code_module *modules, size_t count)
{
	uint8_t bytes[ENDS_TOGETHER][JUMPS_MOST * JUMP_BYTES] = {};
	struct procfs_piece pieces[ENDS_TOGETHER];

	for (size_t i = 0; i < count; i++) {
		uint64_t code = modules[i].end ? modules[i].end - modules[i].start : 0;
		size_t size = code < sizeof(bytes[i]) ? (size_t)code : sizeof(bytes[i]);

		pieces[i] = (struct procfs_piece){ modules[i].end - size, bytes[i], size, false };
	}
	procfs_pieces(s->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].is_read)
			modules[i].end = end_before_jumps(modules[i].end, bytes[i], pieces[i].size);
	}
}

/* The end addresses follow the addresses of the functions. */
static void read_ends(const struct code_scan *s)
{
	struct procfs_piece pieces[ENDS_TOGETHER];
	uint64_t ends[ENDS_TOGETHER];

	for (size_t first = 0; first < s->list->module_count; first += ENDS_TOGETHER) {
		struct code_module *modules = &s->list->modules[first];
		size_t left = s->list->module_count - first, count = left < ENDS_TOGETHER ? left : ENDS_TOGETHER;

		for (size_t i = 0; i < count; i++)
			pieces[i] = (struct procfs_piece){
				modules[i].header + (s->header_words + modules[i].function_count) * 8,
				&ends[i],
				sizeof(ends[i]),
				false,
			};
		procfs_pieces(s->target->pid, pieces, count);
		for (size_t i = 0; i < count; i++)
			modules[i].end = pieces[i].is_read && ends[i] > modules[i].start ? ends[i] : 0;
		leave_out_jumps(s, modules, count);
	}
}

/* The memory of an ending process disappears: a part of the code may be missing. */
static bool has_ended_meanwhile(const struct code_scan *s)
{
	uint64_t word;

	return s->read_at && procfs_memory(s->target->pid, s->read_at, &word, sizeof(word));
}

int code_list_read(const struct target *target, struct code_list *list)
{
	struct code_scan scan = { .target = target, .list = list, .left = SCAN_MAX };
	int err;

	*list = (struct code_list){};
	if (target->vm->flavor != FLAVOR_JIT)
		return -ENOENT;
	scan.header_words = words_of_header(target);
	err = find_mappings(&scan);
	for (size_t i = 0; !err && i < scan.code_count; i++)
		err = scan_range(&scan, &scan.code[i]);
	if (!err)
		read_ends(&scan);
	if (!err && has_ended_meanwhile(&scan))
		err = -ESRCH;
	free(scan.files);
	free(scan.code);
	if (!err && list->count)
		qsort(list->functions, list->count, sizeof(*list->functions), by_start);
	if (!err && list->module_count)
		qsort(list->modules, list->module_count, sizeof(*list->modules), modules_by_start);
	if (err)
		code_list_free(list);
	return err;
}

void code_list_free(struct code_list *list)
{
	free(list->functions);
	free(list->modules);
	*list = (struct code_list){};
}
