// SPDX-License-Identifier: BSD-2-Clause
#include "base/percent.h"

#include <stdlib.h>
#include <string.h>

bool percent_parse(const char *text, double *percent)
{
	char *end;

	*percent = strtod(text, &end);
	return end != text && !strcmp(end, *end == '%' ? "%" : "") && *percent >= 0 && *percent <= 1000;
}

double percent_of_environment(const char *name, double otherwise)
{
	const char *text = getenv(name);
	double percent;

	return text && percent_parse(text, &percent) ? percent : otherwise;
}
