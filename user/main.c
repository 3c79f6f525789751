// SPDX-License-Identifier: BSD-2-Clause
#include "cli/command_main.h"

int main(int argc, char **argv)
{
	return command_main(argc, argv);
}
