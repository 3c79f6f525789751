// SPDX-License-Identifier: BSD-2-Clause
#include "base/io/output_stream.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MORE_THAN_A_PIPE (1 << 20)

struct reader {
	int fd;
	size_t taken;
	int asked;
};

/* Does not read until it was asked a few times, and then little. */
static void read_late(void *data)
{
	static char text[1 << 16];
	struct reader *reader = data;
	ssize_t size;

	if (++reader->asked < 3)
		return;
	size = read(reader->fd, text, sizeof(text));
	for (ssize_t i = 0; i < size; i++)
		cr_assert_eq(text[i], (char)('a' + (reader->taken + (size_t)i) % 26));
	reader->taken += size > 0 ? (size_t)size : 0;
}

static void fill(FILE *to)
{
	static char text[MORE_THAN_A_PIPE];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 26);
	fwrite(text, 1, sizeof(text), to);
}

/* Who reads here is only called while the write lasts, so the write would never end without. */
Test(output, other_work_goes_on_while_nobody_reads_and_nothing_is_lost)
{
	struct reader reader = {};
	struct output_stream *output;
	int ends[2];

	cr_assert_not(pipe(ends));
	reader.fd = ends[0];
	output = output_stream_new(ends[1], read_late, &reader);
	cr_assert(output);
	fill(output_stream_file(output));
	cr_expect_eq(output_stream_flush(output), 0);
	close(ends[1]);
	for (size_t before = 0; before != reader.taken;) {
		before = reader.taken;
		read_late(&reader);
	}
	cr_expect_eq(reader.taken, MORE_THAN_A_PIPE);
	output_stream_free(output);
}

Test(output, a_terminal_that_nobody_reads_is_waited_for_too)
{
	struct reader reader = { .fd = posix_openpt(O_RDWR | O_NOCTTY) };
	struct output_stream *output;
	int terminal;

	cr_assert(reader.fd >= 0 && !grantpt(reader.fd) && !unlockpt(reader.fd));
	terminal = open(ptsname(reader.fd), O_WRONLY | O_NOCTTY);
	cr_assert(terminal >= 0);
	output = output_stream_new(terminal, read_late, &reader);
	fill(output_stream_file(output));
	cr_expect_eq(output_stream_flush(output), 0);
	cr_expect_gt(reader.asked, 3);
	output_stream_free(output);
}

Test(output, a_file_is_written_without_other_work)
{
	FILE *file = tmpfile();
	struct output_stream *output = output_stream_new(fileno(file), NULL, NULL);

	fill(output_stream_file(output));
	cr_expect_eq(output_stream_flush(output), 0);
	cr_expect_eq(lseek(fileno(file), 0, SEEK_END), MORE_THAN_A_PIPE);
	output_stream_free(output);
	fclose(file);
}

Test(output, a_reader_that_is_gone_is_an_error_that_stays)
{
	struct output_stream *output;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	cr_assert_not(pipe(ends));
	output = output_stream_new(ends[1], NULL, NULL);
	close(ends[0]);
	fputs("text", output_stream_file(output));
	cr_expect_eq(output_stream_flush(output), -EPIPE);
	errno = 0;
	cr_expect_eq(output_stream_flush(output), -EPIPE);
	output_stream_free(output);
}

Test(output, what_cannot_be_written_to_says_why)
{
	struct output_stream *output = output_stream_new(open("/dev/full", O_WRONLY), NULL, NULL);

	fill(output_stream_file(output));
	cr_expect_eq(output_stream_flush(output), -ENOSPC);
	output_stream_free(output);
}
