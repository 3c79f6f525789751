// SPDX-License-Identifier: BSD-2-Clause
/* Any memory as a node's tables of functions: drivers, static NIFs, BIFs; and as Erlang's code with its lines. */
#include "foreign.h"
#include "node/atoms/atoms.h"
#include "node/code/bifs.h"
#include "node/code/code.h"
#include "node/code/lines.h"
#include "node/code/natives.h"

static void read_natives(void)
{
	struct native_list list;

	native_list_of(&foreign.target, &list);
	native_list_read(&list);
	for (size_t i = 0; i < list.count; i++) {
		size_t length = strnlen(list.natives[i].name, NATIVE_NAME_SIZE);

		must(length < NATIVE_NAME_SIZE && strchr(list.natives[i].name, ':'),
		     "a function has a name in two parts");
	}
	native_list_free(&list);
	native_list_is_ready(&foreign.target);
}

static void read_bifs(void)
{
	const struct bif_list *list = bifs_of(&foreign.target);

	for (size_t i = 0; list && i < list->count; i++) {
		const struct bif *bif = &list->bifs[i];

		must(bif->address >= FOREIGN_CODE && bif->address % 16 == 0, "a BIF is where a function is");
		must(!i || list->bifs[i - 1].address < bif->address, "no two BIFs are one function");
		must(bif_find(list, bif->address) == bif, "a BIF is found by its address");
		must(bif->arity <= BIF_MAX_ARITY, "a BIF has few arguments");
		must_be_text(bif->mfa, BIF_MFA_SIZE);
		must(strrchr(bif->mfa, '/'), "a BIF's name has an arity");
	}
	if (foreign.vm.bifs)
		foreign.vm.free_bifs(foreign.vm.bifs);
}

static void read_code(void)
{
	uint64_t address, mfa[3], start;

	memcpy(&address, foreign.head.table + 4, sizeof(address));
	if (code_function_at(&foreign.target, address, mfa, &start))
		return;
	must(start <= address, "a function begins before its code");
	must(mfa[2] <= 255, "a function has an arity");
}

static void read_lines(const struct code_list *code)
{
	struct line_list *lines = line_list_read(&foreign.target, code);
	struct code_line line;

	for (size_t i = 0; lines && i < code->count; i++) {
		const struct code_function *function = &code->functions[i];

		for (uint64_t at = 0; at < 256; at += 8) {
			if (!line_list_at(lines, function, function->start + at, &line))
				continue;
			must(line.line > 0 && line.line < 1u << 24, "a line has a number");
			if (line.file)
				must_be_text(line.file, 4096);
			must(!line.file || !line.is_module, "a file is not named twice");
		}
	}
	line_list_free(lines);
}

static void read_all_code(void)
{
	struct code_list list;

	if (code_list_read(&foreign.target, &list))
		return;
	read_lines(&list);
	must(foreign.vm.flavor == FLAVOR_JIT, "only the JIT's code is found");
	for (size_t i = 0; i < list.count; i++)
		must(list.functions[i].module != ATOM_NONE && list.functions[i].name != ATOM_NONE,
		     "a function has a name");
	code_list_free(&list);
}

static void fuzz(const uint8_t *data, size_t size)
{
	if (!foreign_begin(data, size))
		return;
	read_natives();
	read_bifs();
	read_code();
	read_all_code();
}
