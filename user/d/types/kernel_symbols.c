// SPDX-License-Identifier: BSD-2-Clause
#include "d/types/kernel_symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/hash.h"

#define KERNEL "vmlinux"
#define PIECE (1 << 20)

/* These have the same type in all supported kernels. */
static const struct {
	const char *name, *type;
} types[] = {
	{ "cad_pid", "struct pid *" },
	{ "crashing_cpu", "int" },
	{ "init_mm", "struct mm_struct" },
	{ "init_net", "struct net" },
	{ "init_pid_ns", "struct pid_namespace" },
	{ "init_task", "struct task_struct" },
	{ "init_user_ns", "struct user_namespace" },
	{ "init_uts_ns", "struct uts_namespace" },
	{ "jiffies", "unsigned long" },
	{ "jiffies_64", "uint64_t" },
	{ "loops_per_jiffy", "unsigned long" },
	{ "max_low_pfn", "unsigned long" },
	{ "max_pfn", "unsigned long" },
	{ "min_low_pfn", "unsigned long" },
	{ "nr_cpu_ids", "unsigned int" },
	{ "nr_threads", "int" },
	{ "panic_on_oops", "int" },
	{ "panic_timeout", "int" },
	{ "saved_command_line", "char *" },
	{ "total_forks", "unsigned long" },
};

static const char *name_of(const char *symbol)
{
	const char *tick = strchr(symbol, '`');

	return tick ? tick + 1 : symbol;
}

struct code_line {
	uint64_t address;
	uint32_t line; /* start in the text */
};

/*
 * The text stays unchanged. A hash table by name holds the start of each line, plus 1. Of lines with the same name, the
 * first is found first, because collisions use the next slot. Functions are sorted by address. Both are made at the
 * first lookup.
 */
struct kernel_symbols {
	char *text;
	size_t size, line_count;
	size_t slot_count; /* a power of two, and at least twice the number of lines */
	uint32_t *slots;
	size_t code_count;
	struct code_line *code;
};

/* "ffffffff81000000 T name[\t[module]]": the position of the name; NULL: invalid. */
static const char *name_in(const char *line, size_t *length, uint64_t *address)
{
	char *end;

	*address = strtoull(line, &end, 16);
	if (*end != ' ' || !end[1] || end[2] != ' ')
		return NULL;
	*length = strcspn(end + 3, "\t\n");
	return end + 3;
}

static bool is_of_module(const char *behind_name, const char *module, size_t length)
{
	if (!length)
		return true;
	if (*behind_name != '\t')
		return length == strlen(KERNEL) && !memcmp(module, KERNEL, length);
	return behind_name[1] == '[' && !strncmp(behind_name + 2, module, length) && behind_name[2 + length] == ']';
}

static int read_whole(struct kernel_symbols *symbols, const char *path)
{
	_cleanup_file_ FILE *file = fopen(path, "re");
	size_t room = 0, n = 1;

	if (!file)
		return -errno;
	while (n) {
		if (!array_has_room_for(symbols->text, room, symbols->size + PIECE + 1))
			return -ENOMEM;
		n = fread(symbols->text + symbols->size, 1, room - symbols->size - 1, file);
		symbols->size += n;
	}
	symbols->text[symbols->size] = '\0';
	for (const char *at = symbols->text; *at; at++)
		symbols->line_count += *at == '\n';
	return symbols->size < UINT32_MAX ? 0 : -EFBIG;
}

static uint32_t *slot_of(const struct kernel_symbols *symbols, const char *name, size_t length)
{
	return &symbols->slots[fnv32(0, name, length) & (symbols->slot_count - 1)];
}

static uint32_t *slot_next(const struct kernel_symbols *symbols, uint32_t *slot)
{
	return slot + 1 < symbols->slots + symbols->slot_count ? slot + 1 : symbols->slots;
}

static int add_slots(struct kernel_symbols *symbols)
{
	const char *text = symbols->text, *next;
	uint64_t address;
	size_t length;

	for (symbols->slot_count = 1; symbols->slot_count < 2 * (symbols->line_count + 1);)
		symbols->slot_count *= 2;
	symbols->slots = calloc(symbols->slot_count, sizeof(*symbols->slots));
	if (!symbols->slots)
		return -ENOMEM;
	for (const char *line = text; *line; line = *next ? next + 1 : next) {
		const char *name = name_in(line, &length, &address);
		uint32_t *slot;

		next = line + strcspn(line, "\n");
		if (!name)
			continue;
		slot = slot_of(symbols, name, length);
		while (*slot)
			slot = slot_next(symbols, slot);
		*slot = (uint32_t)(line - text) + 1;
	}
	return 0;
}

int kernel_symbols_read(const char *path, struct kernel_symbols **symbols)
{
	struct kernel_symbols *new = calloc(1, sizeof(*new));
	int err = new ? read_whole(new, path ? path : "/proc/kallsyms") : -ENOMEM;

	if (err) {
		kernel_symbols_free(new);
		return err;
	}
	*symbols = new;
	return 0;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->text);
	free(symbols->slots);
	free(symbols->code);
	free(symbols);
}

int kernel_symbols_find(struct kernel_symbols *symbols, const char *symbol, uint64_t *address)
{
	size_t module_length = strcspn(symbol, "`"), wanted_length, length;
	const char *wanted = name_of(symbol);
	int err = symbols->slots ? 0 : add_slots(symbols);

	if (err)
		return err;
	wanted_length = strlen(wanted);
	for (uint32_t *slot = slot_of(symbols, wanted, wanted_length); *slot; slot = slot_next(symbols, slot)) {
		const char *name = name_in(symbols->text + *slot - 1, &length, address);

		if (length == wanted_length && !memcmp(name, wanted, length) &&
		    is_of_module(name + length, symbol, module_length))
			return *address ? 0 : -EACCES;
	}
	return -ENOENT;
}

static int by_address(const void *a, const void *b)
{
	const struct code_line *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* True if the line is a function with an address. */
static bool is_code(const char *name, uint64_t address)
{
	return name && address && strchr("tTwW", name[-2]);
}

static bool has_code(struct kernel_symbols *symbols)
{
	const char *text = symbols->text, *next;
	uint64_t address;
	size_t length;

	if (symbols->code)
		return symbols->code_count;
	symbols->code = calloc(symbols->line_count + 1, sizeof(*symbols->code));
	for (const char *line = text; *line && symbols->code; line = *next ? next + 1 : next) {
		next = line + strcspn(line, "\n");
		if (is_code(name_in(line, &length, &address), address))
			symbols->code[symbols->code_count++] = (struct code_line){ address, (uint32_t)(line - text) };
	}
	if (symbols->code_count)
		qsort(symbols->code, symbols->code_count, sizeof(*symbols->code), by_address);
	return symbols->code_count;
}

static void describe_code(const struct kernel_symbols *symbols, const struct code_line *code,
			  struct kernel_code *function)
{
	size_t length, module_length;
	const char *name = name_in(symbols->text + code->line, &length, &function->address), *module = name + length;

	function->size = code + 1 < symbols->code + symbols->code_count ? code[1].address - code->address : 0;
	module_length = strcspn(module, "\n");
	if (module_length > 3) {
		module += 2; /* "\t[" */
		module_length -= 3;
	} else {
		module = KERNEL;
		module_length = strlen(KERNEL);
	}
	snprintf(function->name, sizeof(function->name), "%.*s", (int)length, name);
	snprintf(function->module, sizeof(function->module), "%.*s", (int)module_length, module);
}

bool kernel_symbols_at(struct kernel_symbols *symbols, uint64_t address, struct kernel_code *code)
{
	const struct code_line *found;

	if (!has_code(symbols))
		return false;
	found = array_last_upto(symbols->code, symbols->code_count, address, address);
	if (found)
		describe_code(symbols, found, code);
	return found;
}

bool kernel_symbols_function(struct kernel_symbols *symbols, const char *name, struct kernel_code *code)
{
	size_t wanted = strlen(name), length;
	uint64_t address;

	if (!has_code(symbols))
		return false;
	for (const struct code_line *at = symbols->code; at < symbols->code + symbols->code_count; at++) {
		const char *there = name_in(symbols->text + at->line, &length, &address);

		if (length != wanted || memcmp(there, name, length))
			continue;
		describe_code(symbols, at, code);
		return true;
	}
	return false;
}

const char *kernel_symbol_type(const char *symbol)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!strcmp(types[i].name, name_of(symbol)))
			return types[i].type;
	}
	return NULL;
}
