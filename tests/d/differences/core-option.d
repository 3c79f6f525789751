/*
 * @command: the option `core`
 * @dtrace: It aborts when it ends, and leaves an image of its memory for those who develop it.
 * @erlbpf: It is an error, because data of the traced processes would be in the image; gcore(1) makes one of erlbpf.
 */
/* @options: -q -xcore */
/* @status: 1 */

BEGIN { exit(0); }
