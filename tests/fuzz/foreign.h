/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile process, in place of user/target/reader/procfs.c, target.c and image.c: the linker takes what is defined
 * here and leaves those out. Its memory is the input over and over, so that most pointers lead somewhere and many lead
 * back: the structures that a VM would have are loops here. It changes between two readings of the same address: bits
 * of the head say in which reading it is moved by some bytes. After some readings it is gone.
 */
#ifndef ERLBPF_FUZZ_FOREIGN_H
#define ERLBPF_FUZZ_FOREIGN_H

#include <errno.h>

#include "base/text.h"
#include "fuzz.h"
#include "target/reader/procfs.h"
#include "target/target.h"

/* The input begins with it. */
struct foreign_head {
	uint64_t torn;	   /* a bit per reading, over and over: that one sees other bytes */
	uint16_t moved;	   /* by so many */
	uint16_t readings; /* before it is gone */
	uint32_t absent;   /* bits of symbols that the file does not have */
	uint8_t release, is_emu, has_notes, is_arm;
	uint8_t table[12]; /* for the fuzzers' own use */
};

/* What an input may cost, however many its pieces are, and however large. */
#define FOREIGN_READINGS 8192
#define FOREIGN_BYTES (1u << 20)

static struct {
	struct foreign_head head;
	const uint8_t *bytes;
	size_t size;
	uint64_t reading;
	size_t left; /* of FOREIGN_BYTES */
	struct vm vm;
	struct target target;
} foreign;

/* False: the input is too short. */
static inline bool foreign_begin(const uint8_t *data, size_t size)
{
	static const int releases[] = { 25, 27, 26, 28, 0, 29 };

	if (size < sizeof(foreign.head) + 8)
		return false;
	memset(&foreign, 0, sizeof(foreign));
	memcpy(&foreign.head, data, sizeof(foreign.head));
	foreign.bytes = data + sizeof(foreign.head);
	foreign.size = size - sizeof(foreign.head);
	foreign.left = FOREIGN_BYTES;
	foreign.vm.otp = foreign.vm.like = releases[foreign.head.release % (sizeof(releases) / sizeof(*releases))];
	foreign.vm.flavor = foreign.head.is_emu & 1 ? FLAVOR_EMU : FLAVOR_JIT;
	foreign.vm.has_notes = foreign.head.has_notes & 1;
	foreign.vm.image = (struct image *)&foreign; /* nobody looks into it: see below */
	foreign.target.vm = &foreign.vm;
	foreign.target.pid = 1;
	return true;
}

static inline void foreign_copy(uint64_t address, uint8_t *to, size_t size)
{
	size_t at = address % foreign.size;

	while (size) {
		size_t n = size < foreign.size - at ? size : foreign.size - at;

		memcpy(to, foreign.bytes + at, n);
		to += n;
		size -= n;
		at = 0;
	}
}

int procfs_memory(pid_t pid, uint64_t address, void *buf, size_t size)
{
	uint64_t reading = foreign.reading++;

	(void)pid;
	must(size <= FOREIGN_BYTES, "no more is read at once than any structure has");
	if (address < 4096 || address >> 47 || size > foreign.left ||
	    reading >= 1 + foreign.head.readings % FOREIGN_READINGS)
		return -EFAULT;
	foreign.left -= size;
	if (foreign.head.torn >> reading % 64 & 1)
		address += foreign.head.moved;
	foreign_copy(address, buf, size);
	return 0;
}

void procfs_pieces(pid_t pid, struct procfs_piece *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pieces[i].is_read = !procfs_memory(pid, pieces[i].address, pieces[i].to, pieces[i].size);
}

#ifndef FOREIGN_WITHOUT_MAPS
/* A file and the JIT's memory; then what the input says is mapped. */
char *procfs_maps(pid_t pid)
{
	static const char form[] = "400000-500000 r-xp 00000000 fe:00 1 /bin/beam.smp\n"
				   "%llx-%llx r-xs 00000000 00:01 2 /memfd:vmem (deleted)\n%.*s";
	unsigned long long start = 0x7f0000000000 + (foreign.head.table[11] << 12);
	char *text;

	(void)pid;
	if (asprintf(&text, form, start, start + (foreign.head.table[10] << 12), (int)foreign.size, foreign.bytes) >= 0)
		return text;
	errno = ENOMEM;
	return NULL;
}
#endif

int target_address(const struct target *target, uint64_t file_address, uint64_t *address)
{
	(void)target;
	*address = file_address;
	return 0;
}

enum arch image_arch(const struct image *image)
{
	(void)image;
	return foreign.head.is_arm & 1 ? ARCH_AARCH64 : ARCH_X86_64;
}

/* Functions at every 16 bytes, for those who want to know what is one. */
#define FOREIGN_FUNCTIONS 64
#define FOREIGN_CODE 0x400000

const struct image_symbol *image_symbols(const struct image *image, size_t *count)
{
	static struct image_symbol symbols[FOREIGN_FUNCTIONS];

	(void)image;
	for (size_t i = 0; i < FOREIGN_FUNCTIONS; i++)
		symbols[i] = (struct image_symbol){
			.name = "function",
			.address = FOREIGN_CODE + i * 16,
			.size = 16,
			.is_function = true,
		};
	*count = FOREIGN_FUNCTIONS;
	return symbols;
}

/* Those that the readers ask for, each at a place of its own, but for what the head takes away. vm.py has the same. */
static const char *const foreign_symbols[] = {
	"erts_atom_table",
	"erts_proc",
	"erts_port",
	"erts_this_dist_entry",
	"erts_this_node_sysname",
	"bif_table",
	"driver_list",
	"erts_static_nif_tab",
	"spawn_driver",
	"forker_driver",
	"fd_driver",
	"vanilla_driver",
	"prim_socket_nif_init",
	"erts_aligned_scheduler_data",
	"erts_no_schedulers",
	"erts_aligned_dirty_cpu_scheduler_data",
	"erts_no_dirty_cpu_schedulers",
	"erts_aligned_dirty_io_scheduler_data",
	"erts_no_dirty_io_schedulers",
	"erts_visible_dist_entries",
	"erts_hidden_dist_entries",
	"erts_allctrs_info",
};

#define FOREIGN_SYMBOLS (sizeof(foreign_symbols) / sizeof(*foreign_symbols))

const struct image_symbol *image_symbol(const struct image *image, const char *name)
{
	static struct image_symbol symbols[FOREIGN_SYMBOLS];

	(void)image;
	for (size_t i = 0; i < FOREIGN_SYMBOLS; i++) {
		if (strcmp(foreign_symbols[i], name) || foreign.head.absent >> i & 1)
			continue;
		symbols[i] = (struct image_symbol){
			.name = foreign_symbols[i],
			.address = 4096 + i * 256,
			.size = 48ULL * foreign.head.table[0],
		};
		return &symbols[i];
	}
	return NULL;
}

int target_symbol(const struct target *target, const char *name, uint64_t *address)
{
	const struct image_symbol *symbol = image_symbol(target->vm->image, name);

	return symbol ? target_address(target, symbol->address, address) : -ENOENT;
}

int image_symbol_compare(const struct image_symbol *a, const struct image_symbol *b)
{
	return strcmp(a->name, b->name);
}

/* What of the node's is shown: it fits, ends, and is UTF-8. */
static inline void must_be_text(const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	unsigned int code;

	must(length < size, "a text fits and ends");
	for (size_t at = 0, step; at < length; at += step) {
		step = text_utf8(text + at, length - at, &code);
		must(step > 0, "a text is UTF-8");
	}
}

#endif
