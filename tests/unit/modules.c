// SPDX-License-Identifier: BSD-2-Clause
/* Where functions of the JIT are entered: tables as the VM has them, in our own memory. */
#include "node/code/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "node/code/code.h"
#include "probe/sites/jit_entry.h"
#include "target/image/image.h"

#define ATOM(number) ((uint64_t)(number) << 6 | 0xb)
#define TABLE_WORDS 16
#define FIRST_TABLE 64
#define HEADER_FUNCTIONS 12 /* words before them, in OTP 25 */
#define SHOP 700
#define ORDER 701

/* What the VM exports; the tables of modules are behind, as in its data. */
extern uint64_t erts_atom_table[FIRST_TABLE + 3 * TABLE_WORDS];
extern uint32_t the_active_code_index;
uint64_t erts_atom_table[FIRST_TABLE + 3 * TABLE_WORDS];
uint32_t the_active_code_index;

/* A function's information, and its first instruction. */
struct function {
	uint64_t op, breakpoint, mfa[3];
	uint8_t code[8];
};

struct module {
	uint64_t slot[3];
	uint32_t atom, seen;
	uint64_t header;
};

static struct function old_code[2], new_code[2];
static uint64_t old_header[HEADER_FUNCTIONS + 3], new_header[HEADER_FUNCTIONS + 3];
static struct module modules_in[3];
static uint64_t pages[3][1], page[3][1024];
static struct vm vm = { .otp = 25, .like = 25, .flavor = FLAVOR_JIT };
static struct target target = { .vm = &vm, .has_moved = true };

static uint64_t address_of(const void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

static void make_code(struct function code[2], uint64_t header[HEADER_FUNCTIONS + 3])
{
	for (int i = 0; i < 2; i++) {
		code[i] = (struct function){ .op = 0x90, .mfa = { ATOM(SHOP), ATOM(ORDER), (uint64_t)i } };
		memcpy(code[i].code, "\xeb\x06\x00\xe8", 4);
		header[HEADER_FUNCTIONS + i] = address_of(&code[i]);
	}
	header[0] = 2;
}

static void make_table(int i, const uint64_t *header)
{
	static const char name[] = "module_code";
	uint64_t *table = &erts_atom_table[FIRST_TABLE + i * TABLE_WORDS];
	uint32_t entries = 1;

	modules_in[i] = (struct module){ .atom = SHOP, .header = address_of(header) };
	page[i][0] = address_of(&modules_in[i]);
	pages[i][0] = address_of(page[i]);
	table[8] = address_of(name);
	memcpy((char *)table + 116, &entries, sizeof(entries));
	table[15] = address_of(pages[i]);
}

/* The module was loaded again: table 1 has the new code, and the others the old one yet. */
static struct modules *open_modules(void)
{
	const char *why;

	vm.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	cr_assert(eq(int, image_open(vm.fd, &vm.image, &why), 0));
	target.pid = getpid();
	target.moved = address_of(erts_atom_table) - image_symbol(vm.image, "erts_atom_table")->address;
	make_code(old_code, old_header);
	make_code(new_code, new_header);
	make_table(0, old_header);
	make_table(1, new_header);
	make_table(2, old_header);
	return modules_new(&target);
}

Test(modules, the_code_that_is_called_is_that_of_the_active_table)
{
	struct modules *modules = open_modules();
	uint64_t header;

	cr_assert(ne(ptr, modules, NULL));
	the_active_code_index = 0;
	cr_expect(eq(int, modules_current(modules, SHOP, &header), 0));
	cr_expect(eq(u64, header, address_of(old_header)));
	the_active_code_index = 1;
	cr_expect(eq(int, modules_current(modules, SHOP, &header), 0));
	cr_expect(eq(u64, header, address_of(new_header)));
	cr_expect(eq(int, modules_current(modules, SHOP + 1, &header), -ENOENT));
	the_active_code_index = 3;
	cr_expect(eq(int, modules_current(modules, SHOP, &header), -EFAULT));
	modules_free(modules);
}

#ifdef __x86_64__

Test(modules, a_function_is_entered_behind_its_information)
{
	struct modules *modules = open_modules();
	struct modules_function order = { .module = SHOP, .name = ORDER, .arity = 1 };
	uint64_t entry;

	cr_expect(eq(int, modules_entry(modules, address_of(new_header), &order, &entry), 0));
	cr_expect(eq(u64, entry, address_of(new_code[1].code)));
	order.arity = 2;
	cr_expect(eq(int, modules_entry(modules, address_of(new_header), &order, &entry), -ENOENT));
	cr_expect(eq(u64, entry, 0));
	modules_free(modules);
}

/* The memory may be another's by now: nothing is put on what is not the entry of this function. */
Test(modules, what_is_no_entry_is_refused)
{
	struct modules *modules = open_modules();
	struct function was = new_code[1];
	uint64_t entry = address_of(new_code[1].code);

	cr_expect(code_is_entry(&target, entry, SHOP, ORDER, 1));
	cr_expect(not(code_is_entry(&target, entry + 2, SHOP, ORDER, 1)));
	cr_expect(not(code_is_entry(&target, entry, SHOP, ORDER + 1, 1)));
	cr_expect(not(code_is_entry(&target, entry, SHOP + 1, ORDER, 1)));
	cr_expect(not(code_is_entry(&target, entry, SHOP, ORDER, 2)));
	new_code[1].code[0] = 0xe9;
	cr_expect(not(code_is_entry(&target, entry, SHOP, ORDER, 1)));
	new_code[1] = was;
	new_code[1].op = 0;
	cr_expect(not(code_is_entry(&target, entry, SHOP, ORDER, 1)));
	new_code[1] = was;
	vm.flavor = FLAVOR_EMU;
	cr_expect(not(code_is_entry(&target, entry, SHOP, ORDER, 1)));
	vm.flavor = FLAVOR_JIT;
	cr_expect(not(code_is_entry(&target, 4096, SHOP, ORDER, 1)));
	modules_free(modules);
}

Test(modules, a_program_reads_the_registers_of_the_jit)
{
	struct modules *modules = open_modules();
	const struct erl_pid_layout pids = { .data_bits = 28 };
	const struct erl_name_layout names = {};
	struct erl_config config;

	cr_assert(eq(int, jit_entry_config(&target, &pids, &names, &config), 0));
	cr_expect(eq(int, config.args[0].operand.reg, 2));
	cr_expect(eq(int, config.args[0].form, ERL_FORM_TERM));
	cr_expect(eq(i64, config.args[1].operand.disp[0], -24));
	cr_expect(eq(int, config.args[1].operand.base, ERL_BASE_IP));
	cr_expect(eq(u64, config.pids.data_bits, 28));
	cr_expect(eq(u64, config.otp, 25));
	vm.flavor = FLAVOR_EMU;
	cr_expect(eq(int, jit_entry_config(&target, &pids, &names, &config), -ENOENT));
	vm.flavor = FLAVOR_JIT;
	modules_free(modules);
}

#endif
