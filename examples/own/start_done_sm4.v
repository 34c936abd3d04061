// SPDX-License-Identifier: Apache-2.0
// SM4 (GB/T 32907-2016), a round a cycle, as a core that knows nothing of schedulers: start with the
// operands, done with the result, 33 cycles later, 65 with inverse (the key schedule runs to its end
// first). start while it works begins anew. Byte 0 in the top bits.
`default_nettype none
module start_done_sm4 (
  input  wire         clk,
  input  wire         rst,
  input  wire         start,
  input  wire         inverse,
  input  wire [127:0] key,
  input  wire [127:0] data,
  output wire         done,
  output wire [127:0] result
);
  // entry 0 in the top byte
  localparam [2047:0] SBOX = {
    128'hd690e9fecce13db716b614c228fb2c05,
    128'h2b679a762abe04c3aa44132649860699,
    128'h9c4250f491ef987a33540b43edcfac62,
    128'he4b31ca9c908e89580df94fa758f3fa6,
    128'h4707a7fcf37317ba83593c19e6854fa8,
    128'h686b81b27164da8bf8eb0f4b70569d35,
    128'h1e240e5e6358d1a225227c3b01217887,
    128'hd40046579fd327524c3602e7a0c4c89e,
    128'heabf8ad240c738b5a3f7f2cef96115a1,
    128'he0ae5da49b341a55ad933230f58cb1e3,
    128'h1df6e22e8266ca60c02923ab0d534e6f,
    128'hd5db3745defd8e2f03ff6a726d6c5b51,
    128'h8d1baf92bbddbc7f11d95c411f105ad8,
    128'h0ac13188a5cd7bbd2d74d012b8e5b4b0,
    128'h8969974a0c96777e65b9f109c56ec684,
    128'h18f07dec3adc4d2079ee5f3ed7cb3948
  };

  function [31:0] tau(input [31:0] a);
    tau = {SBOX[2047 - 8*a[31:24] -: 8], SBOX[2047 - 8*a[23:16] -: 8],
           SBOX[2047 - 8*a[15:8] -: 8], SBOX[2047 - 8*a[7:0] -: 8]};
  endfunction

  function [31:0] mix_data(input [31:0] b);
    mix_data = b ^ {b[29:0], b[31:30]} ^ {b[21:0], b[31:22]} ^ {b[13:0], b[31:14]}
               ^ {b[7:0], b[31:8]};
  endfunction

  function [31:0] mix_key(input [31:0] b);
    mix_key = b ^ {b[18:0], b[31:19]} ^ {b[8:0], b[31:9]};
  endfunction

  // CK_n: byte j is 7 * (4n + j) mod 256
  function [31:0] ck(input [4:0] n);
    reg [7:0] c;
    begin
      c  = 8'd28 * {3'd0, n};
      ck = {c, c + 8'd7, c + 8'd14, c + 8'd21};
    end
  endfunction

  // ahead: the key schedule runs alone; back: it runs backwards
  reg         run_q, ahead_q, back_q, done_q;
  reg [4:0]   n_q;
  reg [127:0] x_q, k_q;

  wire [31:0] x0 = x_q[127:96], x1 = x_q[95:64], x2 = x_q[63:32], x3 = x_q[31:0];
  wire [31:0] k0 = k_q[127:96], k1 = k_q[95:64], k2 = k_q[63:32], k3 = k_q[31:0];
  // forwards the four words make the next one, backwards the one before them
  wire [31:0] k_new = (back_q ? k3 : k0)
                      ^ mix_key(tau((back_q ? k0 ^ k1 ^ k2 : k1 ^ k2 ^ k3) ^ ck(n_q)));
  wire [31:0] x_new = x0 ^ mix_data(tau(x1 ^ x2 ^ x3 ^ (back_q ? k3 : k_new)));
  wire        last  = n_q == (back_q ? 5'd0 : 5'd31);

  assign done   = done_q;
  assign result = {x3, x2, x1, x0};

  always @(posedge clk) begin
    done_q <= 1'b0;
    if (run_q) begin
      if (~ahead_q) x_q <= {x1, x2, x3, x_new};
      // at the end of the schedule its last words stay: they are the first of the way back
      k_q <= back_q ? {k_new, k0, k1, k2} : {k1, k2, k3, k_new};
      if (last & ahead_q) begin
        ahead_q <= 1'b0;
        back_q  <= 1'b1;
      end else if (last) begin
        run_q  <= 1'b0;
        done_q <= 1'b1;
      end else begin
        n_q <= back_q ? n_q - 5'd1 : n_q + 5'd1;
      end
    end
    if (start) begin
      run_q   <= 1'b1;
      ahead_q <= inverse;
      back_q  <= 1'b0;
      n_q     <= 5'd0;
      x_q     <= data;
      k_q     <= key ^ 128'ha3b1bac6_56aa3350_677d9197_b27022dc;
    end
    if (rst) begin
      run_q   <= 1'b0;
      ahead_q <= 1'b0;
      back_q  <= 1'b0;
      done_q  <= 1'b0;
      n_q     <= 5'd0;
      x_q     <= 128'd0;
      k_q     <= 128'd0;
    end
  end
endmodule
`default_nettype wire
