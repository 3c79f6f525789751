// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/privileges.h"
#include "cli/command_main.h"

int main(int argc, char **argv)
{
	privileges_raise();
	privileges_choose_user();
	return command_main(argc, argv);
}
