// SPDX-License-Identifier: Apache-2.0
// A map for Yosys: each cover becomes the claim that it is never reached. A model checker that
// refutes the claim has reached the cover.
(* techmap_celltype = "$cover" *)
module _fv_cover_as_assert (A, EN);
  input A, EN;
  \$assert _TECHMAP_REPLACE_ (.A(~A), .EN(EN));
endmodule
