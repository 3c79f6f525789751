/*
 * @probes: `pidPID:module::`, where no function is named
 * @dtrace: The name is left out, so that each instruction of each function is a probe, too.
 * @erlbpf: It means `entry` and `return` only, because beam.smp has millions of instructions; `pidPID:module:function:` means
 *   those of a function.
 */
/* @options: -q -c true */

pid$target:ld-linux*:: { n++; }

pid$target:ld-linux*::
/probename != "entry" && probename != "return"/
{
	instructions++;
}

END { printf("%d %d\n", n > 0, instructions); }
