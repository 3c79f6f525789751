/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of sources share: VMs that are ELF files of our own, and their sites. */
#ifndef ERLBPF_TESTS_SOURCE_CHECK_H
#define ERLBPF_TESTS_SOURCE_CHECK_H

#include "check.h"
#include "elf_builder.h"
#include "probe/catalogue.h"
#include "probe/sites/source.h"
#include "probe/translator.h"

#define MAX_ROWS 512

/* The rows of the translators, as translator_each() tells them. */
struct row {
	char probe[64];
	char function[96];
	bool at_return;
	bool has_missing;
	enum flavor flavor;
	int otp[8];
	size_t otp_count;
};

struct rows {
	struct row rows[MAX_ROWS];
	size_t count;
};

void rows_read(struct rows *rows);
bool row_is_for(const struct row *row, int otp);
/* A row may be for all probes of a name that ends with a number: then the first of them is asked for. */
const char *row_first_probe(const char *probe, char buf[PROBE_NAME_SIZE]);

/* A VM, its sites, and what is missing. */
struct checked_vm {
	struct elf_opened o;
	struct vm vm;
	struct site_list list;
};

/* Exports every function that a translator names. */
void vm_begin(struct checked_vm *c, int otp, enum flavor flavor, const struct elf_note *notes, size_t count);
void vm_begin_on(struct checked_vm *c, uint16_t machine, int otp, enum flavor flavor, const struct elf_note *notes,
		 size_t count);
/* Exports these symbols. */
void vm_begin_with(struct checked_vm *c, int otp, enum flavor flavor, const struct elf_spec *spec);
void vm_find(struct checked_vm *c, const char *glob, enum source source);
void vm_end(struct checked_vm *c);

/* Site number `n` of a probe, NULL if there are fewer. */
const struct site *site_of(const struct checked_vm *c, const char *probe, size_t n);
size_t sites_of(const struct checked_vm *c, const char *probe);

/* Why the probe, or some of its arguments, is missing; NULL: it is not. */
const char *missing_of(const struct checked_vm *c, const char *probe, bool whole);

#endif
