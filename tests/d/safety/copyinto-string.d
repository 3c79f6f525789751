BEGIN { s = (string)alloca(10); copyinto(0, 4, s); exit(0); }
