// SPDX-License-Identifier: BSD-2-Clause
#include "base/io/stream.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* More than any buffer holds, so that it is written before it is flushed. */
static void fill(FILE *to)
{
	static char text[1 << 20];

	memset(text, 'x', sizeof(text));
	fwrite(text, 1, sizeof(text), to);
}

Test(stream, what_can_be_written_is_no_error)
{
	FILE *file = tmpfile();

	fill(file);
	cr_expect_eq(stream_flush(file), 0);
	fclose(file);
}

Test(stream, a_reader_that_is_gone_is_found_after_the_write_that_failed)
{
	int ends[2];
	FILE *to;

	signal(SIGPIPE, SIG_IGN);
	cr_assert_not(pipe(ends));
	to = fdopen(ends[1], "w");
	close(ends[0]);
	fill(to);
	errno = 0;
	cr_expect_eq(stream_flush(to), -EPIPE);
	cr_expect_eq(stream_flush(to), -EPIPE);
	fclose(to);
}

Test(stream, a_file_at_its_limit_is_an_error_and_no_death)
{
	FILE *file = tmpfile();
	const struct rlimit limit = { 4096, 4096 };

	stream_prepare();
	cr_assert_not(setrlimit(RLIMIT_FSIZE, &limit));
	fill(file);
	errno = 0;
	cr_expect_eq(stream_flush(file), -EFBIG);
	fclose(file);
}

Test(stream, descriptors_that_were_closed_are_opened)
{
	close(0);
	close(2);
	stream_prepare();
	cr_expect_eq(fcntl(0, F_GETFD), 0);
	cr_expect_eq(fcntl(2, F_GETFD), 0);
	cr_expect_eq(write(0, "", 1), -1);
}

Test(stream, a_device_says_again_why_it_could_not_be_written)
{
	FILE *full = fopen("/dev/full", "w");

	cr_assert(full);
	fill(full);
	__fpurge(full);
	cr_expect_eq(stream_flush(full), -ENOSPC);
	fclose(full);
}
