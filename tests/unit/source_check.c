// SPDX-License-Identifier: BSD-2-Clause
#include "source_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/code/bifs.h"

static void add_row(void *data, const struct translator_row *from)
{
	struct rows *rows = data;
	struct row *row = &rows->rows[rows->count++];

	cr_assert(lt(sz, rows->count, MAX_ROWS));
	cr_expect(gt(sz, strlen(from->accuracy), 4), "%s does not say how exact it is", from->probe);
	*row = (struct row){
		.at_return = from->at_return,
		.has_missing = from->missing,
		.flavor = from->flavor,
	};
	snprintf(row->probe, sizeof(row->probe), "%s", from->probe);
	snprintf(row->function, sizeof(row->function), "%s", from->function);
	for (size_t i = 0; i < from->otp_count; i++)
		row->otp[row->otp_count++] = from->otp[i];
}

void rows_read(struct rows *rows)
{
	rows->count = 0;
	translator_each(add_row, rows);
}

const char *row_first_probe(const char *probe, char buf[PROBE_NAME_SIZE])
{
	snprintf(buf, PROBE_NAME_SIZE, "%s%s", probe, probe_find(NULL, probe) < 0 ? "0" : "");
	return buf;
}

bool row_is_for(const struct row *row, int otp)
{
	for (size_t i = 0; i < row->otp_count; i++) {
		if (row->otp[i] == otp)
			return true;
	}
	return false;
}

void vm_begin_with(struct checked_vm *c, int otp, enum flavor flavor, const struct elf_spec *spec)
{
	memset(c, 0, sizeof(*c));
	elf_open_spec(spec, &c->o);
	c->vm = (struct vm){
		.image = c->o.image,
		.fd = c->o.fd,
		.otp = otp,
		.like = otp,
		.flavor = flavor,
		.has_notes = spec->note_count || spec->raw_notes,
		.has_functions = true,
	};
}

void vm_begin_on(struct checked_vm *c, uint16_t machine, int otp, enum flavor flavor, const struct elf_note *notes,
		 size_t count)
{
	static struct elf_symbol functions[MAX_ROWS];
	static char mfa[] = "lists:reverse/2";
	static struct bif bif = { .mfa = mfa, .address = ELF_CODE + 0x40, .size = 2 };
	static struct bif_list bifs = { .bifs = &bif, .count = 1 };
	static struct rows rows;
	struct elf_spec spec = {
		.machine = machine,
		.dynamic = functions,
		.notes = notes,
		.note_count = count,
	};

	rows_read(&rows);
	/* A function of several rows is exported several times; that is the same to the reader. */
	for (size_t i = 0; i < rows.count; i++) {
		size_t first = 0;

		while (strcmp(rows.rows[first].function, rows.rows[i].function))
			first++;
		functions[i] = (struct elf_symbol){
			.name = rows.rows[i].function,
			.address = ELF_CODE + 0x40 + first,
			.size = 1,
		};
	}
	spec.dynamic_count = rows.count;
	vm_begin_with(c, otp, flavor, &spec);
	c->vm.bifs = &bifs;
}

void vm_begin(struct checked_vm *c, int otp, enum flavor flavor, const struct elf_note *notes, size_t count)
{
	vm_begin_on(c, EM_X86_64, otp, flavor, notes, count);
}

void vm_find(struct checked_vm *c, const char *glob, enum source source)
{
	struct site_request request = { .glob = glob, .source = source };

	cr_assert(eq(int, site_list_make(&c->vm, &request, &c->list), 0), "%s", glob);
}

void vm_end(struct checked_vm *c)
{
	site_list_free(&c->list);
	if (c->vm.notes)
		c->vm.free_notes(c->vm.notes);
	elf_close(&c->o);
}

const struct site *site_of(const struct checked_vm *c, const char *probe, size_t n)
{
	int64_t id = probe_find(NULL, probe);

	for (size_t i = 0; i < c->list.count; i++) {
		if ((int64_t)c->list.sites[i].probe == id && !n--)
			return &c->list.sites[i];
	}
	return NULL;
}

size_t sites_of(const struct checked_vm *c, const char *probe)
{
	size_t n = 0;

	while (site_of(c, probe, n))
		n++;
	return n;
}

const char *missing_of(const struct checked_vm *c, const char *probe, bool whole)
{
	int64_t id = probe_find(NULL, probe);

	for (size_t i = 0; i < c->list.missing_count; i++) {
		const struct missing *missing = &c->list.missing[i];

		if ((int64_t)missing->probe <= id && id <= (int64_t)missing->last && missing->whole == whole)
			return missing->why;
	}
	return NULL;
}
