// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a D program. The corpus begins with the programs of tests/d. */
#include "d_compile.h"

static void fuzz(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	compile_and_build(text, size);
	free(text);
}
