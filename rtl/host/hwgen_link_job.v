// SPDX-License-Identifier: Apache-2.0
// Host link, buffer to job stream: the payloads of data frames, one behind the other, as frames of
// the stream; a segment whose length has bit 7 set ends one. Two cycles a byte.
// Byte 0 of a slot is the length, the payload follows. drained: number of the next slot to leave.
// close = 1: nothing is read any more, a frame that is half out gets a last beat of one byte, and
// drained is 0; closed = 1 when that is done. Outputs are registers; bytes with tkeep 0 are 0.
`default_nettype none
module hwgen_link_job #(
  // bits of the job stream: 32, 64, 128
  parameter DATA_W = 32,
  // slots of 128 bytes, a power of two, 2 to 64
  parameter WINDOW = 8,
  // derived: do not set
  parameter KEEP_W = DATA_W / 8,
  parameter SLOT_W = $clog2(WINDOW)
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              close,
  output wire              closed,
  // slots [drained, expect_no) hold segments
  input  wire [7:0]        expect_no,
  output wire [7:0]        drained,
  output wire              re,
  output wire [SLOT_W+6:0] raddr,
  input  wire [7:0]        rdata,
  output wire [DATA_W-1:0] m_axis_job_tdata,
  output wire [KEEP_W-1:0] m_axis_job_tkeep,
  output wire              m_axis_job_tvalid,
  input  wire              m_axis_job_tready,
  output wire              m_axis_job_tlast
);
  localparam [1:0] IDLE = 2'd0, HEAD = 2'd1, READ = 2'd2, BYTE = 2'd3;

  reg  [1:0]        state_q;
  reg  [7:0]        drained_q;
  // next byte of the slot to read, and the last one
  reg  [6:0]        off_q, end_q;
  reg               final_q;
  reg  [DATA_W-1:0] data_q;
  reg  [KEEP_W-1:0] keep_q;
  reg               valid_q, last_q;
  // a frame has begun and its last beat is not out
  reg               inside_q;

  wire              sent  = valid_q & m_axis_job_tready;
  wire              ended = off_q == end_q;
  // the beat's next byte is its last
  wire              fills = &keep_q[KEEP_W-2:0];

  assign drained = drained_q;
  assign closed  = (state_q == IDLE) & ~valid_q & ~inside_q;
  assign raddr   = {drained_q[SLOT_W-1:0], off_q};
  assign re      = ((state_q == IDLE) & (drained_q != expect_no)) | (state_q == READ);

  assign m_axis_job_tdata  = data_q;
  assign m_axis_job_tkeep  = keep_q;
  assign m_axis_job_tvalid = valid_q;
  assign m_axis_job_tlast  = last_q;

  integer i;
  always @(posedge clk) begin
    if (sent) begin
      valid_q <= 1'b0;
      last_q  <= 1'b0;
      keep_q  <= {KEEP_W{1'b0}};
      data_q  <= {DATA_W{1'b0}};
      if (last_q) inside_q <= 1'b0;
    end
    case (state_q)
      IDLE: begin
        off_q <= 7'd0;
        if (drained_q != expect_no) state_q <= HEAD;
      end
      HEAD: begin
        end_q   <= rdata[6:0];
        final_q <= rdata[7];
        off_q   <= 7'd1;
        state_q <= READ;
      end
      READ: state_q <= BYTE;
      // waits while the beat before is on offer
      BYTE: if (!valid_q) begin
        inside_q <= 1'b1;
        for (i = 0; i < KEEP_W; i = i + 1)
          if (!keep_q[i] && (i == 0 || keep_q[(i == 0) ? 0 : i - 1])) data_q[8*i +: 8] <= rdata;
        keep_q  <= {keep_q[KEEP_W-2:0], 1'b1};
        valid_q <= fills | (ended & final_q);
        last_q  <= ended & final_q;
        off_q   <= off_q + 7'd1;
        state_q <= READ;
        if (ended) begin
          off_q     <= 7'd0;
          drained_q <= drained_q + 8'd1;
          state_q   <= IDLE;
        end
      end
      default: state_q <= IDLE;
    endcase
    if (close) begin
      state_q   <= IDLE;
      off_q     <= 7'd0;
      drained_q <= 8'd0;
      // what is on offer stays; behind it, or in place of a beat half filled, the frame's end
      if (!valid_q & inside_q) begin
        valid_q <= 1'b1;
        last_q  <= 1'b1;
        keep_q  <= {{(KEEP_W-1){1'b0}}, 1'b1};
        data_q  <= {DATA_W{1'b0}};
      end
    end
    if (rst) begin
      state_q   <= IDLE;
      off_q     <= 7'd0;
      end_q     <= 7'd0;
      drained_q <= 8'd0;
      valid_q   <= 1'b0;
      last_q    <= 1'b0;
      keep_q    <= {KEEP_W{1'b0}};
      data_q    <= {DATA_W{1'b0}};
      inside_q  <= 1'b0;
    end
  end
endmodule
`default_nettype wire
