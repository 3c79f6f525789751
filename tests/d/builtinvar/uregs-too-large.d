BEGIN { trace(uregs[26]); exit(0); }
