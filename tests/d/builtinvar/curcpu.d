/* @options: -q */
BEGIN { printf("%d %d %d %d\n", curcpu->cpu_id == cpu, pset, lgrp, curcpu->cpu_pset); exit(0); }
