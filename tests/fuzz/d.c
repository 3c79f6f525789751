// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a D program. The corpus begins with the programs of tests/d. */
#include "d_compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	compile_and_build(text, size);
	free(text);
	return 0;
}
