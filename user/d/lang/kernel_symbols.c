// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/kernel_symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MODULE_SIZE 64 /* a module's name in the kernel, with the zero */

/* These have had the same type in all kernels that erlbpf knows. */
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

/* "ffffffff81000000 T name[\t[module]]" */
static bool is_line_of(const char *line, const char *module, const char *name, uint64_t *address)
{
	size_t length = strlen(name);
	const char *of;
	char *end;

	*address = strtoull(line, &end, 16);
	if (*end != ' ' || !end[1] || end[2] != ' ' || strncmp(end + 3, name, length) != 0)
		return false;
	of = end + 3 + length;
	if (*of != '\n' && *of != '\t' && *of)
		return false;
	if (!*module)
		return true;
	if (*of != '\t')
		return !strcmp(module, "vmlinux");
	length = strlen(module);
	return of[1] == '[' && !strncmp(of + 2, module, length) && of[2 + length] == ']';
}

int kernel_symbol_find(FILE *symbols, const char *module, const char *name, uint64_t *address)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, symbols) > 0) {
		if (is_line_of(line, module, name, address))
			return *address ? 0 : -EACCES;
	}
	return -ENOENT;
}

int kernel_symbol_address(const char *path, const char *symbol, uint64_t *address)
{
	size_t length = strcspn(symbol, "`");
	_cleanup_file_ FILE *symbols = NULL;
	char module[MODULE_SIZE];

	if (length >= sizeof(module))
		return -ENOENT;
	memcpy(module, symbol, length);
	module[length] = '\0';
	symbols = fopen(path ? path : "/proc/kallsyms", "re");
	if (!symbols)
		return -errno;
	return kernel_symbol_find(symbols, module, name_of(symbol), address);
}

const char *kernel_symbol_type(const char *symbol)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!strcmp(types[i].name, name_of(symbol)))
			return types[i].type;
	}
	return NULL;
}
