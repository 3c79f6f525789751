// SPDX-License-Identifier: BSD-2-Clause
#include "base/privileges.h"
#include "cli/command_main.h"

int main(int argc, char **argv)
{
	privileges_raise();
	return command_main(argc, argv);
}
