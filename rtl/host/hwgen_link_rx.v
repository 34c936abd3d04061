// SPDX-License-Identifier: Apache-2.0
// Receiving end of the host link (docs/host-link.md): takes frames out of the bytes of the UART,
// checks them, keeps those of data that come in their order, and tells of the others.
// Frame: 7E, kind, number or tag, acknowledgement, length (bit 7: last segment), payload, CRC-32,
// 7E; 7E and 7D inside are sent as 7D and the byte XOR 20.
// A data frame is written to the slot of the next number, byte 0 the length, while it comes; it
// counts once its CRC is right. It needs a free slot: what is sent beyond WINDOW is ignored.
// ev_* are pulses of a cycle, with tag, number and ack beside them.
`default_nettype none
module hwgen_link_rx #(
  // slots of 128 bytes, a power of two, 2 to 64
  parameter WINDOW = 8,
  // 1: there are registers, and frames that access them
  parameter REGS   = 0,
  // derived: do not set
  parameter SLOT_W = $clog2(WINDOW)
) (
  input  wire              clk,
  input  wire              rst,
  // bytes from the UART
  input  wire              rx_valid,
  input  wire              rx_bad,
  input  wire [7:0]        rx_data,
  // data frames are taken
  input  wire              live,
  // number of the next data frame, and of the next to leave the buffer
  output wire [7:0]        expect_no,
  input  wire [7:0]        drained,
  // buffer
  output wire              we,
  output wire [SLOT_W+6:0] waddr,
  output wire [7:0]        wdata,
  // what came
  output wire              ev_ack,
  output wire              ev_poll,
  output wire              ev_hello,
  output wire              ev_open,
  output wire              ev_bad,
  output wire              ev_access,
  output wire [7:0]        tag,
  output wire [7:0]        number,
  output wire [7:0]        ack,
  // a frame begins; bytes of its payload, as many as an access has
  output wire              head,
  output wire              body,
  output wire [7:0]        octet,
  // a data frame was lost since the last one that was kept
  output wire              gap,
  // frames that were none, modulo 256
  output wire [7:0]        errors
);
  localparam [7:0] FLAG = 8'h7e, ESCAPE = 8'h7d;
  localparam [7:0] POLL = 8'd0, DATA = 8'd1, ACK = 8'd2, HELLO = 8'd3, OPEN = 8'd4,
                   ACCESS = 8'd5;
  // bytes of payload of an access
  localparam [6:0] ACCESS_LEN = 7'd9;
  localparam [31:0] WINDOW_I = WINDOW;
  // header and CRC
  localparam [7:0] FIXED = 8'd8;

  reg  [7:0] expect_q, kind_q, no_q, ack_q, tag_q, errors_q;
  reg  [6:0] len_q;
  reg  [7:0] pos_q;
  reg        escape_q, skip_q, gap_q, kept_q;
  reg        ack_ev_q, poll_q, hello_q, open_q, access_q, bad_q;

  wire       flag   = rx_valid & (rx_data == FLAG);
  wire       take   = rx_valid & ~flag & ~skip_q & (escape_q | (rx_data != ESCAPE));
  // longer than any frame
  wire       over   = pos_q == 8'd144;
  wire       crc_good, crc_busy;
  wire [7:0] unused_value;  // a receiver's CRC is checked, not sent

  wire       some   = (pos_q != 8'd0) | escape_q | skip_q;
  wire       whole  = ~skip_q & ~escape_q & ~crc_busy & crc_good & (pos_q == {1'b0, len_q} + FIXED);
  wire       ended  = flag & some;
  wire       good   = ended & whole;
  wire [7:0] held   = expect_q - drained;
  wire       room   = held != WINDOW_I[7:0];
  // a frame that comes while there is no room, or no session, is not kept though there may be at its
  // end
  wire       keep   = live & room;
  wire       fits   = (kind_q == DATA) & live & (no_q == expect_q) & kept_q & (len_q != 7'd0);
  wire       access = (REGS != 0) & (kind_q == ACCESS) & (len_q == ACCESS_LEN);
  wire       known  = (kind_q == POLL) | (kind_q == DATA) | (kind_q == ACK) | (kind_q == HELLO) |
                      (kind_q == OPEN) | access;
  wire       opens  = good & (kind_q == OPEN);
  wire       faulty = ended & ~(whole & known);

  assign expect_no = expect_q;
  assign gap       = gap_q;
  assign errors    = errors_q;
  assign tag       = tag_q;
  assign ack       = ack_q;
  assign ev_ack    = ack_ev_q;
  assign ev_poll   = poll_q;
  assign ev_hello  = hello_q;
  assign ev_open   = open_q;
  assign ev_access = access_q;
  assign ev_bad    = bad_q;
  assign number    = no_q;
  assign octet     = escape_q ? rx_data ^ 8'h20 : rx_data;
  assign head      = take & (pos_q == 8'd0);
  assign body      = take & (kind_q == ACCESS) & (pos_q >= 8'd4) & (pos_q < 8'd13);

  // byte 3 is the slot's byte 0; the CRC falls behind the payload or, if that is full, away
  wire [7:0] off = pos_q - 8'd3;
  assign we    = take & ((pos_q == 8'd3) ? keep : kept_q) & (pos_q >= 8'd3) & ~off[7];
  assign waddr = {expect_q[SLOT_W-1:0], off[6:0]};
  assign wdata = octet;

  generate
    if (WINDOW < 2 || WINDOW > 64 || (1 << SLOT_W) != WINDOW) begin : g_bad
      hwgen_error_link_window_must_be_a_power_of_two_from_2_to_64 u_error ();
    end
  endgenerate

  hwgen_link_crc u_crc (
    .clk(clk), .init(rst | flag), .load(take), .out(1'b0), .data(octet),
    .busy(crc_busy), .value(unused_value), .good(crc_good)
  );
  wire unused_ok = &{1'b0, unused_value};  // likewise not sent

  always @(posedge clk) begin
    ack_ev_q <= good & ((kind_q == POLL) | (kind_q == DATA) | (kind_q == ACK));
    poll_q   <= good & (kind_q == POLL);
    hello_q  <= good & (kind_q == HELLO);
    open_q   <= opens;
    access_q <= good & access;
    bad_q    <= faulty | (good & (kind_q == DATA) & ~fits);
    if (rx_bad) skip_q <= 1'b1;
    if (rx_valid) begin
      escape_q <= ~escape_q & ~flag & (rx_data == ESCAPE);
      if (flag) begin
        pos_q  <= 8'd0;
        skip_q <= 1'b0;
      end
      if (take) begin
        pos_q <= pos_q + 8'd1;
        if (over) skip_q <= 1'b1;
        case (pos_q)
          8'd0: kind_q <= octet;
          8'd1: no_q   <= octet;
          8'd2: ack_q  <= octet;
          8'd3: begin
            len_q  <= octet[6:0];
            kept_q <= keep;
          end
          default: ;
        endcase
      end
    end
    if (good & ((kind_q == POLL) | (kind_q == HELLO) | (kind_q == OPEN))) tag_q <= no_q;
    if (faulty) errors_q <= errors_q + 8'd1;
    if (good & (kind_q == DATA)) begin
      if (fits) expect_q <= expect_q + 8'd1;
      gap_q <= ~fits;
    end else if (faulty) begin
      gap_q <= 1'b1;
    end
    if (rst | opens) begin
      expect_q <= 8'd0;
      gap_q    <= 1'b0;
    end
    if (rst) begin
      pos_q    <= 8'd0;
      escape_q <= 1'b0;
      // until the first 7E there is no frame
      skip_q   <= 1'b0;
      errors_q <= 8'd0;
      tag_q    <= 8'd0;
      kind_q   <= 8'd0;
      no_q     <= 8'd0;
      ack_q    <= 8'd0;
      len_q    <= 7'd0;
      kept_q   <= 1'b0;
      ack_ev_q <= 1'b0;
      poll_q   <= 1'b0;
      hello_q  <= 1'b0;
      open_q   <= 1'b0;
      access_q <= 1'b0;
      bad_q    <= 1'b0;
    end
  end
endmodule
`default_nettype wire
