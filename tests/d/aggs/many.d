/* More aggregations than there are maps: they share them, by the sizes of their keys and values. */
/* @options: -q */

BEGIN
{
	@c0 = count(); @s0[0, "k"] = sum(0);
	@c1 = count(); @s1[1, "k"] = sum(1);
	@c2 = count(); @s2[2, "k"] = sum(2);
	@c3 = count(); @s3[3, "k"] = sum(3);
	@c4 = count(); @s4[4, "k"] = sum(4);
	@c5 = count(); @s5[5, "k"] = sum(5);
	@c6 = count(); @s6[6, "k"] = sum(6);
	@c7 = count(); @s7[7, "k"] = sum(7);
	@c8 = count(); @s8[8, "k"] = sum(8);
	@c9 = count(); @s9[9, "k"] = sum(9);
	@c10 = count(); @s10[10, "k"] = sum(10);
	@c11 = count(); @s11[11, "k"] = sum(11);
	@c12 = count(); @s12[12, "k"] = sum(12);
	@c13 = count(); @s13[13, "k"] = sum(13);
	@c14 = count(); @s14[14, "k"] = sum(14);
	@c15 = count(); @s15[15, "k"] = sum(15);
	@c16 = count(); @s16[16, "k"] = sum(16);
	@c17 = count(); @s17[17, "k"] = sum(17);
	@c18 = count(); @s18[18, "k"] = sum(18);
	@c19 = count(); @s19[19, "k"] = sum(19);
	@c20 = count(); @s20[20, "k"] = sum(20);
	@c21 = count(); @s21[21, "k"] = sum(21);
	@c22 = count(); @s22[22, "k"] = sum(22);
	@c23 = count(); @s23[23, "k"] = sum(23);
	@c24 = count(); @s24[24, "k"] = sum(24);
	@c25 = count(); @s25[25, "k"] = sum(25);
	@c26 = count(); @s26[26, "k"] = sum(26);
	@c27 = count(); @s27[27, "k"] = sum(27);
	@c28 = count(); @s28[28, "k"] = sum(28);
	@c29 = count(); @s29[29, "k"] = sum(29);
	@c30 = count(); @s30[30, "k"] = sum(30);
	@c31 = count(); @s31[31, "k"] = sum(31);
	@c32 = count(); @s32[32, "k"] = sum(32);
	@c33 = count(); @s33[33, "k"] = sum(33);
	@c34 = count(); @s34[34, "k"] = sum(34);
	@c35 = count(); @s35[35, "k"] = sum(35);
	@c36 = count(); @s36[36, "k"] = sum(36);
	@c37 = count(); @s37[37, "k"] = sum(37);
	@c38 = count(); @s38[38, "k"] = sum(38);
	@c39 = count(); @s39[39, "k"] = sum(39);
	@c40 = count(); @s40[40, "k"] = sum(40);
	@c41 = count(); @s41[41, "k"] = sum(41);
	@c42 = count(); @s42[42, "k"] = sum(42);
	@c43 = count(); @s43[43, "k"] = sum(43);
	@c44 = count(); @s44[44, "k"] = sum(44);
	@c45 = count(); @s45[45, "k"] = sum(45);
	@c46 = count(); @s46[46, "k"] = sum(46);
	@c47 = count(); @s47[47, "k"] = sum(47);
	@c48 = count(); @s48[48, "k"] = sum(48);
	@c49 = count(); @s49[49, "k"] = sum(49);
	@c50 = count(); @s50[50, "k"] = sum(50);
	@c51 = count(); @s51[51, "k"] = sum(51);
	@c52 = count(); @s52[52, "k"] = sum(52);
	@c53 = count(); @s53[53, "k"] = sum(53);
	@c54 = count(); @s54[54, "k"] = sum(54);
	@c55 = count(); @s55[55, "k"] = sum(55);
	@c56 = count(); @s56[56, "k"] = sum(56);
	@c57 = count(); @s57[57, "k"] = sum(57);
	@c58 = count(); @s58[58, "k"] = sum(58);
	@c59 = count(); @s59[59, "k"] = sum(59);
	@c60 = count(); @s60[60, "k"] = sum(60);
	@c61 = count(); @s61[61, "k"] = sum(61);
	@c62 = count(); @s62[62, "k"] = sum(62);
	@c63 = count(); @s63[63, "k"] = sum(63);
	@c64 = count(); @s64[64, "k"] = sum(64);
	@c65 = count(); @s65[65, "k"] = sum(65);
	@c66 = count(); @s66[66, "k"] = sum(66);
	@c67 = count(); @s67[67, "k"] = sum(67);
	@c68 = count(); @s68[68, "k"] = sum(68);
	@c69 = count(); @s69[69, "k"] = sum(69);
	@c70 = count(); @s70[70, "k"] = sum(70);
	@c71 = count(); @s71[71, "k"] = sum(71);
	@c72 = count(); @s72[72, "k"] = sum(72);
	@c73 = count(); @s73[73, "k"] = sum(73);
	@c74 = count(); @s74[74, "k"] = sum(74);
	@c75 = count(); @s75[75, "k"] = sum(75);
	@c76 = count(); @s76[76, "k"] = sum(76);
	@c77 = count(); @s77[77, "k"] = sum(77);
	@c78 = count(); @s78[78, "k"] = sum(78);
	@c79 = count(); @s79[79, "k"] = sum(79);
	@c80 = count(); @s80[80, "k"] = sum(80);
	@c81 = count(); @s81[81, "k"] = sum(81);
	@c82 = count(); @s82[82, "k"] = sum(82);
	@c83 = count(); @s83[83, "k"] = sum(83);
	@c84 = count(); @s84[84, "k"] = sum(84);
	@c85 = count(); @s85[85, "k"] = sum(85);
	@c86 = count(); @s86[86, "k"] = sum(86);
	@c87 = count(); @s87[87, "k"] = sum(87);
	@c88 = count(); @s88[88, "k"] = sum(88);
	@c89 = count(); @s89[89, "k"] = sum(89);
	@c90 = count(); @s90[90, "k"] = sum(90);
	@c91 = count(); @s91[91, "k"] = sum(91);
	@c92 = count(); @s92[92, "k"] = sum(92);
	@c93 = count(); @s93[93, "k"] = sum(93);
	@c94 = count(); @s94[94, "k"] = sum(94);
	@c95 = count(); @s95[95, "k"] = sum(95);
	@c96 = count(); @s96[96, "k"] = sum(96);
	@c97 = count(); @s97[97, "k"] = sum(97);
	@c98 = count(); @s98[98, "k"] = sum(98);
	@c99 = count(); @s99[99, "k"] = sum(99);
	@q = quantize(5);
	@c7 = count();
	@s8[1, "other"] = sum(-3);
}

BEGIN
{
	clear(@c9);
	trunc(@s10);
	printa("%@d %@d %@d\n", @c7, @c8, @c9);
	printa("%d %s %@d\n", @s8);
	printa("%d %s %@d\n", @s10);
	printa("%d %s %@d\n", @s99);
	printa("%d %s %@d %@d\n", @s8, @s9);
	printa("%@d\n", @q);
	trunc(@c0); trunc(@s0);
	exit(0);
}

END { trunc(@c1); trunc(@s1); trunc(@c2); trunc(@s2); trunc(@c3); trunc(@s3); trunc(@c4); trunc(@s4); trunc(@c5); trunc(@s5); trunc(@c6); trunc(@s6); trunc(@c7); trunc(@s7); trunc(@c8); trunc(@s8); trunc(@c9); trunc(@s9); trunc(@c10); trunc(@s10); trunc(@c11); trunc(@s11); trunc(@c12); trunc(@s12); trunc(@c13); trunc(@s13); trunc(@c14); trunc(@s14); trunc(@c15); trunc(@s15); trunc(@c16); trunc(@s16); trunc(@c17); trunc(@s17); trunc(@c18); trunc(@s18); trunc(@c19); trunc(@s19); trunc(@c20); trunc(@s20); trunc(@c21); trunc(@s21); trunc(@c22); trunc(@s22); trunc(@c23); trunc(@s23); trunc(@c24); trunc(@s24); trunc(@c25); trunc(@s25); trunc(@c26); trunc(@s26); trunc(@c27); trunc(@s27); trunc(@c28); trunc(@s28); trunc(@c29); trunc(@s29); trunc(@c30); trunc(@s30); trunc(@c31); trunc(@s31); trunc(@c32); trunc(@s32); trunc(@c33); trunc(@s33); trunc(@c34); trunc(@s34); trunc(@c35); trunc(@s35); trunc(@c36); trunc(@s36); trunc(@c37); trunc(@s37); trunc(@c38); trunc(@s38); trunc(@c39); trunc(@s39); trunc(@c40); trunc(@s40); trunc(@c41); trunc(@s41); trunc(@c42); trunc(@s42); trunc(@c43); trunc(@s43); trunc(@c44); trunc(@s44); trunc(@c45); trunc(@s45); trunc(@c46); trunc(@s46); trunc(@c47); trunc(@s47); trunc(@c48); trunc(@s48); trunc(@c49); trunc(@s49); trunc(@c50); trunc(@s50); trunc(@c51); trunc(@s51); trunc(@c52); trunc(@s52); trunc(@c53); trunc(@s53); trunc(@c54); trunc(@s54); trunc(@c55); trunc(@s55); trunc(@c56); trunc(@s56); trunc(@c57); trunc(@s57); trunc(@c58); trunc(@s58); trunc(@c59); trunc(@s59); trunc(@c60); trunc(@s60); trunc(@c61); trunc(@s61); trunc(@c62); trunc(@s62); trunc(@c63); trunc(@s63); trunc(@c64); trunc(@s64); trunc(@c65); trunc(@s65); trunc(@c66); trunc(@s66); trunc(@c67); trunc(@s67); trunc(@c68); trunc(@s68); trunc(@c69); trunc(@s69); trunc(@c70); trunc(@s70); trunc(@c71); trunc(@s71); trunc(@c72); trunc(@s72); trunc(@c73); trunc(@s73); trunc(@c74); trunc(@s74); trunc(@c75); trunc(@s75); trunc(@c76); trunc(@s76); trunc(@c77); trunc(@s77); trunc(@c78); trunc(@s78); trunc(@c79); trunc(@s79); trunc(@c80); trunc(@s80); trunc(@c81); trunc(@s81); trunc(@c82); trunc(@s82); trunc(@c83); trunc(@s83); trunc(@c84); trunc(@s84); trunc(@c85); trunc(@s85); trunc(@c86); trunc(@s86); trunc(@c87); trunc(@s87); trunc(@c88); trunc(@s88); trunc(@c89); trunc(@s89); trunc(@c90); trunc(@s90); trunc(@c91); trunc(@s91); trunc(@c92); trunc(@s92); trunc(@c93); trunc(@s93); trunc(@c94); trunc(@s94); trunc(@c95); trunc(@s95); trunc(@c96); trunc(@s96); trunc(@c97); trunc(@s97); trunc(@c98); trunc(@s98); trunc(@c99); trunc(@s99); }
