// SPDX-License-Identifier: BSD-2-Clause
/*
 * Executables: is it a BEAM, which release, which flavor, with or without notes. Results are cached, so that a thousand
 * processes of one file cost one read. The cache includes files that are no BEAM, and files that could not be read,
 * which are retried after a time that doubles.
 *
 * Facts from the files (OTP 25.2.3, 27.3.4.1 and 29.1.1, Debian): all export enif_* and driver_* for native code. Up to
 * OTP 28 they also export their own functions and etp_otp_release, etp_erts_version and etp_beamasm; OTP 29 is built
 * with hidden visibility and exports neither.
 */
#include "target/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/hash.h"
#include "base/log.h"
#include "target/image/image_build.h"
#include "target/reader/reader.h"

struct known {
	struct reader_identity key;
	struct vm *vm;	       /* NULL: no BEAM, or unreadable */
	uint64_t unused_ns;    /* when the last user released it, 0: in use */
	char *why;	       /* if unreadable */
	int err;	       /* if unreadable */
	uint64_t retry_ns;     /* time of the next read, 0: when the file changes */
	unsigned int failures; /* consecutive */
	UT_hash_handle hh;
};

static struct known *known;

static const char *const beam_symbols[] = { "enif_send", "enif_make_atom", "driver_output", NULL };
static const char *const function_symbols[] = { "erts_schedule", "erts_send_message" };

static bool has_any(const struct image *image, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (image_symbol(image, names[i]))
			return true;
	}
	return false;
}

static bool is_beam(const struct image *image)
{
	for (size_t i = 0; beam_symbols[i]; i++) {
		if (!image_symbol(image, beam_symbols[i]))
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
	char release[16];
	int32_t is_jit;

	if (!image_read_string(vm->image, "etp_otp_release", release, sizeof(release)))
		vm_set_release(vm, atoi(release));
	image_read_string(vm->image, "etp_erts_version", vm->erts, sizeof(vm->erts));
	if (!read_int(vm->image, "etp_beamasm", &is_jit))
		vm->flavor = is_jit ? FLAVOR_JIT : FLAVOR_EMU;
	vm->has_notes = image_has_section(vm->image, ".note.stapsdt");
	vm->has_no_frame_pointer = image_has_no_frame_pointer(vm->image);
	vm->has_large_mutex = image_has_large_mutex(vm->image);
	vm->has_functions = has_any(vm->image, function_symbols, sizeof(function_symbols) / sizeof(*function_symbols));
}

static struct vm *vm_new(const struct reader_image *made)
{
	struct vm *vm = calloc(1, sizeof(*vm));

	if (!vm) {
		image_free(made->image);
		close(made->fd);
		return NULL;
	}
	vm->image = made->image;
	vm->fd = made->fd;
	vm->device = made->identity.device;
	vm->inode = made->identity.inode;
	read_facts(vm);
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

/* Limits the number of cached files that are no BEAM. */
#define MAX_KNOWN 4096

static void forget(struct known *entry)
{
	HASH_DEL(known, entry);
	free(entry->why);
	free(entry);
}

static void forget_others(void)
{
	struct known *entry, *next;

	HASH_ITER(hh, known, entry, next) {
		if (!entry->vm)
			forget(entry);
	}
}

static struct known *find(const struct reader_identity *key)
{
	struct known *entry;

	HASH_FIND(hh, known, key, sizeof(*key), entry);
	return entry;
}

/* The entry of a file, which is made if it is missing. NULL: out of memory. */
static struct known *remember(const struct reader_identity *key)
{
	struct known *entry = find(key);

	if (entry)
		return entry;
	if (HASH_COUNT(known) >= MAX_KNOWN)
		forget_others();
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = *key;
	HASH_ADD(hh, known, key, sizeof(entry->key), entry);
	return entry;
}

#define FIRST_RETRY_NS (10 * NS_PER_S)
#define MAX_DOUBLING 6 /* about ten minutes */

/* A file that is no BEAM stays so until it changes. Timeouts and lack of memory may go away, so retry those. */
static void remember_failure(const struct reader_identity *key, int err, const char *why)
{
	struct known *entry = remember(key);

	if (!entry)
		return;
	free(entry->why);
	entry->why = strdup(why);
	entry->err = err;
	entry->retry_ns = 0;
	if (err == -ENOEXEC)
		return;
	entry->retry_ns = duration_now() + (FIRST_RETRY_NS << entry->failures);
	entry->failures += entry->failures < MAX_DOUBLING;
}

static const char no_beam[] = "it does not export the native interfaces of a BEAM";
static const char too_slow[] = "reading its executable timed out";

/* Copies `reason` to *why. */
static int refuse(int err, const char *reason, const char **why)
{
	static char last[128];

	snprintf(last, sizeof(last), "%s",
		 err == -ETIMEDOUT		       ? too_slow
		 : !strcmp(reason, IMAGE_LACKS_NEEDED) ? no_beam
						       : reason);
	*why = last;
	return err;
}

/* An image that was cached when the file was compared with known builds, perhaps by an earlier erlbpf. */
static bool take_cached(pid_t pid, const struct reader_identity *key, struct reader_image *made)
{
	struct image_file file = { .read = reader_bytes };
	void *flat;
	size_t size;

	if (!image_cache_get(key, sizeof(*key), &flat, &size))
		return false;
	file.fd = reader_open(pid, "exe", &made->identity);
	if (file.fd < 0) {
		free(flat);
		return false;
	}
	made->fd = file.fd;
	if (image_take(flat, size, &file, &made->image)) {
		close(file.fd);
		return false;
	}
	/* The cached image may have been made for other symbols. */
	if (is_beam(made->image))
		return true;
	image_free(made->image);
	close(file.fd);
	return false;
}

/*
 * A node that is not selected is checked again every few seconds, and reading its file is the slowest part. So keep
 * unused entries for a while. But release them then: an open file prevents unmounting.
 */
#define UNUSED_NS (60 * NS_PER_S)
#define MOST_UNUSED 8

static size_t unused_count;

static struct known *longest_unused(void)
{
	struct known *entry, *next, *found = NULL;

	if (!unused_count)
		return NULL;
	HASH_ITER(hh, known, entry, next) {
		if (entry->unused_ns && (!found || entry->unused_ns < found->unused_ns))
			found = entry;
	}
	return found;
}

static void drop_unused(void)
{
	struct known *entry;

	while ((entry = longest_unused()) &&
	       (unused_count > MOST_UNUSED || duration_now() - entry->unused_ns >= UNUSED_NS)) {
		vm_free(entry->vm);
		forget(entry);
		unused_count--;
	}
}

static struct vm *use(struct known *entry)
{
	unused_count -= entry->unused_ns != 0;
	entry->unused_ns = 0;
	return entry->vm;
}

/* A command tells the user about a slow comparison; the agent does so once per file. */
static int make_image(pid_t pid, const struct reader_identity *file, struct reader_image *made)
{
	int err = reader_make_image(pid, "exe", file, beam_symbols, made);

	if (!err && image_is_matched(made->image))
		pr_info("process %d: the VM does not export its functions, so it was compared with known builds (%.1f "
			"s)",
			pid, (double)made->took_ns / NS_PER_S);
	return err;
}

static int examine(pid_t pid, const struct reader_identity *key, struct vm **vm, const char **why)
{
	struct reader_image made;
	struct known *entry;
	int err = take_cached(pid, key, &made) ? 0 : make_image(pid, key, &made);

	if (err == -ENOEXEC || err == -ETIMEDOUT || err == -ENOMEM || err == -EIO || err == -EINVAL) {
		refuse(err, made.why, why);
		remember_failure(key, err, *why);
	}
	if (err)
		return err;
	if (!reader_is_same(&made.identity, key)) {
		image_free(made.image);
		close(made.fd);
		return -ESRCH;
	}
	*vm = vm_new(&made);
	entry = *vm ? remember(&made.identity) : NULL;
	if (entry) {
		entry->vm = *vm;
		entry->failures = 0;
	} else if (*vm) {
		vm_free(*vm);
	}
	return entry ? 0 : -ENOMEM;
}

int vm_get(pid_t pid, struct vm **vm, const char **why)
{
	struct reader_identity key = {};
	struct known *found;
	int err = reader_identify(pid, "exe", &key);

	if (err == -ETIMEDOUT)
		*why = too_slow;
	if (err)
		return err;
	drop_unused();
	found = find(&key);
	if (found && !found->vm && (!found->retry_ns || duration_now() < found->retry_ns))
		return refuse(found->err, found->why ? found->why : "", why);
	if (found && found->vm)
		*vm = use(found);
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
		entry->unused_ns = duration_now();
		unused_count++;
	}
	drop_unused();
}
