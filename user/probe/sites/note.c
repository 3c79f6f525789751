// SPDX-License-Identifier: BSD-2-Clause
/*
 * A note is a header of three 32-bit words (sizes of owner and content, type), the owner "stapsdt", and a content of
 * three addresses (site, base, semaphore) and three strings (provider, name, arguments). The base tells by how much the
 * file was moved after linking: .stapsdt.base has the current address.
 *
 * The kernel places a breakpoint wherever it is told to. In the middle of an instruction, it would kill the process, so
 * a site must be a nop. The kernel also increments 16 bits at the semaphore, which must therefore be in writable data,
 * in .probes. It supports one semaphore per site, and refuses to attach all probes if one note gives a site a second
 * semaphore.
 */
#include "probe/sites/note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

#define MAX_NOTES 65536
#define MAX_NOTE_BYTES (16u << 20)
#define NOTE_TYPE 3
#define OWNER "stapsdt"
#define ADDRESSES (3 * sizeof(uint64_t))

struct reader {
	const struct image *image;
	struct image_section notes;
	struct image_section semaphores; /* size 0: the file has none */
	uint64_t base;			 /* current address of .stapsdt.base, 0: unknown */
	struct note_list *list;
	size_t count; /* all SDT notes, including refused ones */
	int err;      /* a site could not be read */
	note_refused refused;
	void *data;
};

static uint32_t read_u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t read_u64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static size_t align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static const unsigned char x86_nop[] = { 0x90 };
static const unsigned char arm_nop[] = { 0x1f, 0x20, 0x03, 0xd5 };

/* Is the error a property of the file? Otherwise, reading failed and nothing is known. */
static bool is_of_file(int err)
{
	return !err || err == -ENOENT || err == -EINVAL || err == -EFBIG;
}

static bool holds(struct reader *r, uint64_t address, const unsigned char *code, size_t size)
{
	unsigned char found[8];
	int err = image_read_code(r->image, address, found, size);

	if (!is_of_file(err))
		r->err = err;
	return !err && !memcmp(found, code, size);
}

/*
 * A site must be a nop of one byte: not a nop5, and not followed by one. Linux 6.18 to 7.2 replaces a probed nop5 with
 * a call. The call writes below the stack pointer, where leaf functions keep variables; and many versions of 6.18 to
 * 7.0 do not remove the call.
 */
static const char *check_site(struct reader *r, struct note *note)
{
	if (image_code_offset(r->image, note->site, &note->site_offset))
		return "its site is not in executable code";
	if (image_arch(r->image) == ARCH_AARCH64)
		return holds(r, note->site, arm_nop, sizeof(arm_nop)) ? NULL : "its site is not a nop";
	return holds(r, note->site, x86_nop, sizeof(x86_nop)) ? NULL : "its site is not a nop of one byte";
}

static const char *check_semaphore(const struct reader *r, uint64_t address, struct note *note)
{
	uint64_t start = r->semaphores.address, size = r->semaphores.size, last;

	if (!address)
		return NULL;
	if (address & 1 || size < 2 || address < start || address - start > size - 2)
		return "its semaphore is not in .probes";
	if (image_data_offset(r->image, address, &note->semaphore_offset) ||
	    image_data_offset(r->image, address + 1, &last) || last != note->semaphore_offset + 1)
		return "its semaphore is not in writable data";
	return NULL;
}

/* The next string of the content, or NULL if it is not terminated; moves *at behind it. */
static const char *next_string(const unsigned char **at, const unsigned char *end)
{
	const char *s = (const char *)*at;
	const unsigned char *nul = memchr(*at, '\0', (size_t)(end - *at));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return s;
}

static const char *read_content(struct reader *r, const unsigned char *content, size_t size, struct note *note)
{
	const unsigned char *at = content + ADDRESSES, *end = content + size;
	uint64_t moved, linked_base;
	const char *why;

	if (size < ADDRESSES + 3)
		return "it is too short";
	note->provider = next_string(&at, end);
	note->name = note->provider ? next_string(&at, end) : NULL;
	note->args = note->name ? next_string(&at, end) : NULL;
	if (!note->args || !*note->provider || !*note->name)
		return "its strings are invalid";
	linked_base = read_u64(content + 8);
	moved = r->base && linked_base ? r->base - linked_base : 0;
	note->site = read_u64(content) + moved;
	why = check_site(r, note);
	if (why)
		return why;
	return check_semaphore(r, read_u64(content + 16) ? read_u64(content + 16) + moved : 0, note);
}

static int add(struct note_list *list, const struct note *note)
{
	if (!array_has_room(list->notes, list->count))
		return -ENOMEM;
	list->notes[list->count++] = *note;
	return 0;
}

static int broken(struct reader *r, size_t at, const char *why)
{
	r->refused(r->data, r->notes.offset + at, why);
	return -EINVAL;
}

static int read_note(struct reader *r, size_t *at)
{
	const unsigned char *p = r->notes.data + *at;
	size_t left = r->notes.size - *at, owner_size, content_size, size;
	struct note note = { .note_offset = r->notes.offset + *at };
	const char *why;

	if (left < 12)
		return broken(r, *at, "the last note is truncated");
	owner_size = read_u32(p);
	content_size = read_u32(p + 4);
	if (owner_size > left || content_size > left)
		return broken(r, *at, "a note is larger than its section");
	size = 12 + align4(owner_size) + align4(content_size);
	if (12 + align4(owner_size) + content_size > left)
		return broken(r, *at, "a note is larger than its section");
	*at += size < left ? size : left;
	if (read_u32(p + 8) != NOTE_TYPE || owner_size != sizeof(OWNER) || memcmp(p + 12, OWNER, sizeof(OWNER)))
		return 0;
	if (++r->count > MAX_NOTES)
		return broken(r, note.note_offset - r->notes.offset, "there are too many notes");
	why = read_content(r, p + 12 + align4(owner_size), content_size, &note);
	if (r->err)
		return r->err;
	if (!why)
		return add(r->list, &note);
	r->refused(r->data, note.note_offset, why);
	return 0;
}

static int read_sections(struct reader *r)
{
	struct image_section base;
	int err = image_section(r->image, ".note.stapsdt", MAX_NOTE_BYTES, &r->notes);

	if (err == -ENOENT || !is_of_file(err))
		return err;
	if (err)
		return broken(r, 0,
			      err == -EFBIG ? "the section of the notes is too large"
					    : "the section of the notes is not in the file");
	err = image_section(r->image, ".stapsdt.base", MAX_NOTE_BYTES, &base);
	if (!err)
		r->base = base.address;
	if (!is_of_file(err))
		return err;
	err = image_section(r->image, ".probes", MAX_NOTE_BYTES, &r->semaphores);
	if (err)
		r->semaphores.size = 0;
	return is_of_file(err) ? 0 : err;
}

static int by_site(const void *a, const void *b)
{
	const struct note *x = *(const struct note *const *)a, *y = *(const struct note *const *)b;

	if (x->site_offset != y->site_offset)
		return x->site_offset < y->site_offset ? -1 : 1;
	return (x->note_offset > y->note_offset) - (x->note_offset < y->note_offset);
}

/* Sets their names to NULL, which marks them as refused. */
static void refuse_second_semaphores(struct reader *r, struct note **sorted)
{
	const struct note *first = sorted[0];

	for (size_t i = 1; i < r->list->count; i++) {
		struct note *note = sorted[i];

		if (note->site_offset != first->site_offset) {
			first = note;
		} else if (note->semaphore_offset != first->semaphore_offset) {
			r->refused(r->data, note->note_offset, "another note gives its site another semaphore");
			note->name = NULL;
		}
	}
}

/* The first note of a site determines its semaphore. */
static int keep_one_semaphore_per_site(struct reader *r)
{
	struct note_list *list = r->list;
	_cleanup_free_ struct note **sorted = NULL;
	size_t kept = 0;

	if (!list->count)
		return 0;
	sorted = calloc(list->count, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = &list->notes[i];
	qsort(sorted, list->count, sizeof(*sorted), by_site);
	refuse_second_semaphores(r, sorted);
	for (size_t i = 0; i < list->count; i++) {
		if (list->notes[i].name)
			list->notes[kept++] = list->notes[i];
	}
	list->count = kept;
	return 0;
}

int note_list_read(const struct image *image, struct note_list *list, note_refused refused, void *data)
{
	struct reader r = { .image = image, .list = list, .refused = refused, .data = data };
	int err;

	*list = (struct note_list){};
	err = read_sections(&r);
	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t at = 0; !err && r.notes.data && at < r.notes.size;)
		err = read_note(&r, &at);
	if (!err)
		err = keep_one_semaphore_per_site(&r);
	if (err)
		note_list_free(list);
	return err;
}

void note_list_free(struct note_list *list)
{
	free(list->notes);
	*list = (struct note_list){};
}
