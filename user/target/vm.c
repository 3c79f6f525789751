// SPDX-License-Identifier: BSD-2-Clause
/*
 * Executables: is it a BEAM, which release, which flavor, built with notes or without. Known ones
 * are kept, so that a thousand processes of one file cost one look; so are files that are no BEAM.
 *
 * Facts from the files (OTP 25.2.3, 27.3.4.1 and 29.1.1, Debian): all export enif_* and driver_* for
 * native code. Up to OTP 28 they export their own functions and etp_otp_release, etp_erts_version
 * and etp_beamasm too; OTP 29 is built with hidden visibility and exports neither.
 */
#include "target/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

#include "base/cleanup.h"

struct known {
	struct {
		uint64_t device, inode;
		int64_t changed_s, changed_ns;
	} key;
	struct vm *vm; /* NULL: no BEAM */
	UT_hash_handle hh;
};

static struct known *known;

static const char *const beam_symbols[] = { "enif_send", "enif_make_atom", "driver_output" };
static const char *const function_symbols[] = { "erts_schedule", "erts_send_message" };

static bool has_all(const struct image *image, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!image_symbol(image, names[i]))
			return false;
	}
	return true;
}

static int read_int(const struct image *image, const char *name, int32_t *value)
{
	const struct image_symbol *symbol = image_symbol(image, name);

	return symbol ? image_read(image, symbol->address, value, sizeof(*value)) : -ENOENT;
}

static void read_facts(struct vm *vm)
{
	struct image_section notes;
	char release[16];
	int32_t is_jit;

	vm->is_beam = has_all(vm->image, beam_symbols, sizeof(beam_symbols) / sizeof(*beam_symbols));
	if (!vm->is_beam)
		return;
	if (!image_read_string(vm->image, "etp_otp_release", release, sizeof(release)))
		vm->otp = atoi(release);
	image_read_string(vm->image, "etp_erts_version", vm->erts, sizeof(vm->erts));
	if (!read_int(vm->image, "etp_beamasm", &is_jit))
		vm->flavor = is_jit ? FLAVOR_JIT : FLAVOR_EMU;
	vm->has_notes = image_section(vm->image, ".note.stapsdt", SIZE_MAX, &notes) != -ENOENT;
	vm->has_functions = has_all(vm->image, function_symbols, sizeof(function_symbols) / sizeof(*function_symbols));
}

static struct vm *vm_read(int fd, const struct stat *st)
{
	struct vm *vm = calloc(1, sizeof(*vm));

	if (!vm)
		return NULL;
	vm->fd = fd;
	vm->device = st->st_dev;
	vm->inode = st->st_ino;
	if (!image_open(fd, &vm->image, &vm->broken)) {
		vm->broken = NULL;
		read_facts(vm);
	}
	return vm;
}

static void vm_free(struct vm *vm)
{
	if (vm->notes)
		vm->free_notes(vm->notes);
	if (vm->bifs)
		vm->free_bifs(vm->bifs);
	image_free(vm->image);
	close(vm->fd);
	free(vm);
}

/* Opens the executable itself, whatever has become of its path. */
static int open_exe(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int stat_exe(pid_t pid, struct stat *st)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return stat(path, st) ? -errno : 0;
}

/* The files that are no BEAM: at most so many are kept, however long we run. */
#define MAX_KNOWN 4096

static void forget_others(void)
{
	struct known *entry, *next;

	HASH_ITER(hh, known, entry, next) {
		if (entry->vm)
			continue;
		HASH_DEL(known, entry);
		free(entry);
	}
}

static struct known *remember(const struct known *key, struct vm *vm)
{
	struct known *entry = malloc(sizeof(*entry));

	if (!entry)
		return NULL;
	if (HASH_COUNT(known) >= MAX_KNOWN)
		forget_others();
	*entry = *key;
	entry->vm = vm;
	HASH_ADD(hh, known, key, sizeof(entry->key), entry);
	return entry;
}

static int examine(pid_t pid, const struct known *key, struct vm **vm, const char **why)
{
	struct stat st;
	struct vm *read;
	int fd = open_exe(pid);

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || st.st_ino != key->key.inode) {
		close(fd);
		return -ESRCH;
	}
	read = vm_read(fd, &st);
	if (!read) {
		close(fd);
		return -ENOMEM;
	}
	if (read->is_beam) {
		*vm = read;
		return remember(key, read) ? 0 : -ENOMEM;
	}
	*why = read->broken ? read->broken : "it does not export the native interfaces of a BEAM";
	remember(key, NULL);
	vm_free(read);
	return -ENOEXEC;
}

int vm_get(pid_t pid, struct vm **vm, const char **why)
{
	struct known key = {}, *found;
	struct stat st;
	int err = stat_exe(pid, &st);

	if (err)
		return err;
	key.key.device = st.st_dev;
	key.key.inode = st.st_ino;
	key.key.changed_s = st.st_ctim.tv_sec;
	key.key.changed_ns = st.st_ctim.tv_nsec;
	HASH_FIND(hh, known, &key.key, sizeof(key.key), found);
	*why = "it does not export the native interfaces of a BEAM";
	if (found && !found->vm)
		return -ENOEXEC;
	if (found)
		*vm = found->vm;
	else
		err = examine(pid, &key, vm, why);
	if (!err)
		(*vm)->users++;
	return err;
}

void vm_put(struct vm *vm)
{
	struct known *entry, *next;

	if (!vm || --vm->users)
		return;
	HASH_ITER(hh, known, entry, next) {
		if (entry->vm != vm)
			continue;
		HASH_DEL(known, entry);
		free(entry);
	}
	vm_free(vm);
}
