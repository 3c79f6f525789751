// SPDX-License-Identifier: BSD-2-Clause
/*
 * VMs of aarch64 that others built: what is found in them and where, without running them. ERLBPF_ARM64_VMS names them:
 * "25=PATH 27=PATH". tests/vms/test_arm64.py has those of Debian.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/read_at.h"
#include "node/memory/fields.h"
#include "probe/code/entry.h"
#include "probe/code/instruction.h"
#include "source_check.h"
#include "target/image/image_build.h"

/* With functions that are found by comparison, if it has none of its own: only who needs something is compared. */
static int open_image(int fd, struct image **image, const char **why)
{
	static const char *const needed[] = { "enif_send", NULL };
	struct image_file file = { .fd = fd, .read = read_at };
	void *flat;
	size_t size;
	int err = image_build(fd, &image_limits_usual, needed, &flat, &size, why);

	return err ? err : image_take(flat, size, &file, image);
}

static void open_vm(struct checked_vm *c, int otp, const char *path)
{
	memset(c, 0, sizeof(*c));
	c->o.fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert(ge(int, c->o.fd, 0), "%s", path);
	c->o.err = open_image(c->o.fd, &c->o.image, &c->o.why);
	cr_assert(eq(int, c->o.err, 0), "%s: %s", path, c->o.why);
	c->vm = (struct vm){
		.image = c->o.image,
		.fd = c->o.fd,
		.otp = otp,
		.like = otp,
		.flavor = FLAVOR_JIT,
		.has_functions = image_symbol(c->o.image, "erts_schedule"),
	};
}

static void each_vm(void (*look)(struct checked_vm *c))
{
	const char *vms = getenv("ERLBPF_ARM64_VMS");
	char *copy, *state, *word;

	if (!vms)
		cr_skip_test("vms_arm64 runs it: ERLBPF_ARM64_VMS names the VMs");
	copy = strdup(vms);
	for (word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		const char *path = strchr(word, '=');
		struct checked_vm c;

		cr_assert(ne(ptr, (void *)path, NULL), "%s", word);
		open_vm(&c, atoi(word), path + 1);
		look(&c);
		vm_end(&c);
	}
	free(copy);
}

static bool is_at(const struct site *site, const struct checked_vm *c, const struct image_symbol *function)
{
	uint64_t offset;

	return !image_code_offset(c->o.image, function->address, &offset) && site->offset == offset;
}

static bool has_site_at(const struct checked_vm *c, const struct row *row, const struct image_symbol *function)
{
	char name[PROBE_NAME_SIZE];
	const struct site *site;

	for (size_t n = 0; (site = site_of(c, row_first_probe(row->probe, name), n)); n++) {
		if (site->at_return == row->at_return && is_at(site, c, function))
			return true;
	}
	return false;
}

/* A probe of which one function is hidden has none of its sites. */
static bool is_whole(const struct checked_vm *c, const struct row *row)
{
	return !missing_of(c, row->probe, true);
}

static void look_for_sites(struct checked_vm *c)
{
	static struct rows rows;
	size_t found = 0;

	memset(&rows, 0, sizeof(rows));
	rows_read(&rows);
	cr_assert(eq(int, image_arch(c->o.image), ARCH_AARCH64));
	vm_find(c, "*:*", SOURCE_SYMBOL);
	for (size_t i = 0; i < rows.count; i++) {
		const struct row *row = &rows.rows[i];
		const struct image_symbol *function = image_symbol(c->o.image, row->function);

		if (!function || row->flavor == FLAVOR_EMU || !row_is_for(row, c->vm.otp) || !is_whole(c, row))
			continue;
		cr_expect(has_site_at(c, row, function), "%s at %s of OTP %d", row->probe, row->function, c->vm.otp);
		found++;
	}
	/* OTP 29 exports none of its own functions, so these are all found by comparison. */
	cr_expect(gt(sz, found, 100), "OTP %d", c->vm.otp);
}

Test(arm64_binaries, every_function_of_a_translator_has_its_site_where_it_begins)
{
	each_vm(look_for_sites);
}

/* Without these, `top` has no processes, and ids of processes are no pids. */
static void look_for_tables(struct checked_vm *c)
{
	static const char *const tables[] = { "erts_proc", "erts_port", "erts_atom_table" };
	static const char *const members[] = { "process.size",	    "process.reds",    "process.state",
					       "process.queue_len", "process.initial", "process.heap_sz" };
	int64_t offset;

	for (size_t i = 0; i < COUNT(tables); i++)
		cr_expect(ne(ptr, (void *)image_symbol(c->o.image, tables[i]), NULL), "%s of OTP %d", tables[i],
			  c->vm.otp);
	for (size_t i = 0; i < COUNT(members); i++)
		cr_expect(eq(int, field_offset(&c->vm, members[i], &offset), 0), "%s of OTP %d", members[i], c->vm.otp);
}

Test(arm64_binaries, tables_of_processes_and_ports_and_their_members_are_known)
{
	each_vm(look_for_tables);
}

/* Arguments are in x0, x1 and so on. */
static void look_at_operands(struct checked_vm *c)
{
	static const struct {
		const char *probe;
		uint8_t arguments[2]; /* registers */
	} known[] = { { "message-send", { 0, 1 } } };

	vm_find(c, "erlang:*", SOURCE_SYMBOL);
	for (size_t i = 0; i < COUNT(known); i++) {
		const struct site *site = site_of(c, known[i].probe, 0);

		cr_assert(ne(ptr, (void *)site, NULL), "%s of OTP %d", known[i].probe, c->vm.otp);
		for (int n = 0; n < 2; n++) {
			const struct erl_operand *op = &site->config.args[n].operand;

			cr_expect(eq(int, (int)op->base, (int)ERL_BASE_REG), "%s", known[i].probe);
			cr_expect(eq(u8, op->reg, known[i].arguments[n]), "%s", known[i].probe);
		}
	}
}

Test(arm64_binaries, arguments_are_in_the_registers_of_the_architecture)
{
	each_vm(look_at_operands);
}

static void look_at_functions(struct checked_vm *c)
{
	size_t count, functions = 0;
	const struct image_symbol *symbols = image_symbols(c->o.image, &count);

	for (size_t i = 0; i < count; i++) {
		const struct image_symbol *f = &symbols[i];
		struct entry_place place;

		if (!f->is_function || f->size < 8)
			continue;
		functions++;
		cr_expect(instruction_can_be_probed(c->o.image, f->address), "%s", f->name);
		cr_expect(instruction_begins(c->o.image, f->address, f->size, 4), "%s", f->name);
		cr_expect(eq(int, instruction_begins(c->o.image, f->address, f->size, 2), false), "%s", f->name);
		cr_expect(eq(int, instruction_begins(c->o.image, f->address, f->size, f->size), false), "%s", f->name);
		/* What stands there is not x86-64's. */
		cr_expect(eq(int, entry_find_cheap(c->o.image, f->address, f->size, &place), false), "%s", f->name);
	}
	cr_expect(gt(sz, functions, 200), "OTP %d", c->vm.otp);
}

Test(arm64_binaries, probes_go_to_instructions_and_to_the_first_of_a_function)
{
	each_vm(look_at_functions);
}

/* What arch/arm64/kernel/probes/decode-insn.c of Linux 6.1 simulates: mask and value. */
static bool is_simulated(uint32_t word)
{
	static const uint32_t rows[][2] = {
		{ 0xfc000000, 0x14000000 }, /* b */
		{ 0xfc000000, 0x94000000 }, /* bl */
		{ 0xff000010, 0x54000000 }, /* b.cond */
		{ 0x7e000000, 0x34000000 }, /* cbz, cbnz */
		{ 0x7e000000, 0x36000000 }, /* tbz, tbnz */
		{ 0xff9ffc1f, 0xd61f0000 }, /* br, blr, ret */
		{ 0x1f000000, 0x10000000 }, /* adr, adrp */
		{ 0xbf000000, 0x18000000 }, /* ldr of a literal */
		{ 0xff000000, 0x98000000 }, /* ldrsw of a literal */
		{ 0xffffffff, 0xd503201f }, /* nop: stepped by older kernels */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		if ((word & rows[i][0]) == rows[i][1])
			return true;
	}
	return false;
}

static void look_at_code(struct checked_vm *c)
{
	uint64_t address, size;
	size_t words = 0, cheap = 0;

	for (size_t i = 0; image_code_segment(c->o.image, i, &address, &size); i++) {
		unsigned char *code = malloc(size);

		cr_assert(eq(int, image_read_code(c->o.image, address, code, size), 0));
		for (size_t at = 0; at + 4 <= size; at += 4) {
			uint32_t word;

			memcpy(&word, code + at, sizeof(word));
			words++;
			if (instruction_is_stepped(ARCH_AARCH64, code + at, size - at))
				continue;
			cheap++;
			cr_expect(is_simulated(word), "%08x at %llx", word, (unsigned long long)(address + at));
		}
		free(code);
	}
	cr_expect(words > 500000 && cheap > words / 20, "%zu of %zu of OTP %d", cheap, words, c->vm.otp);
}

Test(arm64_binaries, what_is_said_to_be_cheap_is_simulated_by_the_kernel)
{
	each_vm(look_at_code);
}
