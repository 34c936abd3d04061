// SPDX-License-Identifier: Apache-2.0
// Sending end of the host link (docs/host-link.md): data frames out of the buffer, answers, and
// what the host must know, as bytes for the UART. It has no timer: the host asks for what is lost.
// Frame: 7E, kind (bit 4 open, bit 5 gap), number or tag, next number expected, next number to
// leave the buffer, errors, frames in the scheduler, payload, CRC-32, 7E, escaped as in
// hwgen_link_rx.
// Slots [sent, filled) are to be sent, [acked, sent) are sent and kept until the host has them.
// Answers go before data; data tells what a status would.
`default_nettype none
module hwgen_link_tx #(
  // slots of 128 bytes, a power of two, 2 to 64
  parameter WINDOW = 8,
  // what the design is; byte i is INFO[8*i +: 8]
  parameter INFO_BYTES = 4,
  parameter [8*INFO_BYTES-1:0] INFO = 0,
  // derived: do not set
  parameter SLOT_W = $clog2(WINDOW)
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              close,
  // from the receiving end
  input  wire              ev_ack,
  input  wire              ev_poll,
  input  wire              ev_hello,
  input  wire              ev_bad,
  input  wire [7:0]        tag,
  input  wire [7:0]        ack,
  // a close is done: say so
  input  wire              ev_opened,
  // an access is done: say so; sending until that is said, for which these are held
  input  wire              ev_answer,
  input  wire [7:0]        answer_no,
  input  wire [1:0]        answer_resp,
  input  wire [31:0]       answer_data,
  output wire              sending,
  // what every frame tells
  input  wire              live,
  input  wire              gap,
  input  wire [7:0]        expect_no,
  input  wire [7:0]        drained,
  input  wire [7:0]        errors,
  input  wire [7:0]        in_flight,
  // buffer
  input  wire [7:0]        filled,
  output wire [7:0]        acked,
  output wire              re,
  output wire [SLOT_W+6:0] raddr,
  input  wire [7:0]        rdata,
  // to the UART
  output wire              tx_valid,
  input  wire              tx_ready,
  output wire [7:0]        tx_data
);
  localparam [7:0] FLAG = 8'h7e, ESCAPE = 8'h7d;
  localparam [3:0] STATUS = 4'd0, DATA = 4'd1, HELLO = 4'd3, OPENED = 4'd4, ANSWER = 4'd5;
  localparam [2:0] IDLE = 3'd0, BEGIN = 3'd1, HEAD = 3'd2, BODY = 3'd3, CHECK = 3'd4, END = 3'd5;
  localparam POS_W = (INFO_BYTES > 128) ? $clog2(INFO_BYTES + 1) : 8;
  localparam [31:0] INFO_LAST_I = INFO_BYTES - 1;
  localparam [POS_W-1:0] INFO_LAST = INFO_LAST_I[POS_W-1:0];
  localparam [POS_W-1:0] ONE = 1;
  localparam [POS_W-1:0] ANSWER_LAST = 4;

  reg  [2:0]       state_q;
  reg  [3:0]       kind_q;
  reg  [7:0]       no_q, acked_q, sent_q, tag_q, seen_q;
  // poll_q has to be answered, tell_q is told by any frame
  reg              hello_q, opened_q, answer_q, poll_q, tell_q, escape_q;
  // byte of the part of the frame, and the last one of the payload
  reg  [POS_W-1:0] pos_q, end_q;

  wire             crc_busy, unused_good;  // a sender's CRC is sent, not checked
  wire [7:0]       crc;
  reg  [7:0]       octet;
  wire             raw   = (state_q == BEGIN) | (state_q == END);
  wire             sends = (state_q != IDLE) & ~crc_busy;
  wire             twice = ~raw & ~escape_q & ((octet == FLAG) | (octet == ESCAPE));
  wire             step  = sends & tx_ready & ~twice;
  wire             data  = live & (sent_q != filled);
  // byte of an answer's data
  wire [1:0]       after = pos_q[1:0] - 2'd1;

  // an acknowledgement counts if it is of what is held
  wire [7:0]       held  = filled - acked_q;
  wire [7:0]       more  = ack - acked_q;
  wire [7:0]       ahead = sent_q - acked_q;
  wire             acks  = ev_ack & (more <= held);

  assign acked    = acked_q;
  assign re       = state_q == BODY;
  assign raddr    = {no_q[SLOT_W-1:0], pos_q[6:0]};
  assign sending  = answer_q | ((state_q != IDLE) & (kind_q == ANSWER));
  assign tx_valid = sends;
  assign tx_data  = twice ? ESCAPE : escape_q ? octet ^ 8'h20 : octet;

  hwgen_link_crc u_crc (
    .clk(clk), .init(rst | (state_q == IDLE)), .load(step & ~raw), .out(state_q == CHECK),
    .data(octet), .busy(crc_busy), .value(crc), .good(unused_good)
  );
  wire unused_ok = &{1'b0, unused_good};  // likewise not checked

  always @* begin
    case (state_q)
      HEAD:
        case (pos_q[2:0])
          3'd0:    octet = {2'b00, gap, live, kind_q};
          3'd1:    octet = no_q;
          3'd2:    octet = expect_no;
          3'd3:    octet = drained;
          3'd4:    octet = errors;
          default: octet = in_flight;
        endcase
      BODY:
        case (kind_q)
          DATA:    octet = rdata;
          ANSWER:  octet = (pos_q[2:0] == 3'd0) ? {6'd0, answer_resp} : answer_data[8*after +: 8];
          default: octet = INFO[8*pos_q +: 8];
        endcase
      CHECK:   octet = crc;
      default: octet = FLAG;
    endcase
  end

  always @(posedge clk) begin
    seen_q <= drained;
    if (sends & tx_ready) escape_q <= twice;
    case (state_q)
      IDLE: begin
        pos_q <= {POS_W{1'b0}};
        no_q  <= tag_q;
        if (hello_q | opened_q | answer_q | poll_q | data | tell_q) state_q <= BEGIN;
        tell_q <= 1'b0;
        if (hello_q) begin
          kind_q  <= HELLO;
          hello_q <= 1'b0;
        end else if (opened_q) begin
          kind_q   <= OPENED;
          opened_q <= 1'b0;
        end else if (answer_q) begin
          kind_q   <= ANSWER;
          no_q     <= answer_no;
          answer_q <= 1'b0;
        end else if (data & ~poll_q) begin
          kind_q <= DATA;
          no_q   <= sent_q;
          sent_q <= sent_q + 8'd1;
        end else begin
          kind_q <= STATUS;
          poll_q <= 1'b0;
        end
      end
      BEGIN: if (step) state_q <= HEAD;
      HEAD: if (step) begin
        pos_q <= pos_q + ONE;
        if (pos_q[2:0] == 3'd5) begin
          pos_q   <= {POS_W{1'b0}};
          state_q <= (kind_q == STATUS || kind_q == OPENED) ? CHECK : BODY;
          end_q   <= (kind_q == DATA) ? ONE : (kind_q == ANSWER) ? ANSWER_LAST : INFO_LAST;
        end
      end
      BODY: if (step) begin
        pos_q <= pos_q + ONE;
        // byte 0 of a slot says where it ends; 0 if an open has just swept the slot
        if (kind_q == DATA && pos_q == {POS_W{1'b0}}) begin
          end_q <= (rdata[6:0] == 7'd0) ? ONE : {{(POS_W-7){1'b0}}, rdata[6:0]};
        end else if (pos_q == end_q) begin
          pos_q   <= {POS_W{1'b0}};
          state_q <= CHECK;
        end
      end
      CHECK: if (step) begin
        pos_q <= pos_q + ONE;
        if (pos_q[1:0] == 2'd3) state_q <= END;
      end
      default: if (step) state_q <= IDLE;
    endcase
    if (acks) begin
      acked_q <= ack;
      // a poll asks for all that the host lacks; else what is to be sent again may be there now
      if (ev_poll | (ahead < more)) sent_q <= ack;
    end
    if (ev_hello) begin
      hello_q <= 1'b1;
      tag_q   <= tag;
    end
    // whoever says hello asked for nothing yet
    if (ev_answer | ev_hello) answer_q <= ~ev_hello;
    if (ev_opened) begin
      opened_q <= 1'b1;
      tag_q    <= tag;
    end
    if (ev_poll) begin
      poll_q <= 1'b1;
      tag_q  <= tag;
    end
    if (live & (ev_bad | (drained != seen_q))) tell_q <= 1'b1;
    if (rst | close) begin
      acked_q  <= 8'd0;
      sent_q   <= 8'd0;
      seen_q   <= 8'd0;
      tell_q   <= 1'b0;
      poll_q   <= 1'b0;
      opened_q <= 1'b0;
    end
    if (rst) begin
      state_q  <= IDLE;
      hello_q  <= 1'b0;
      answer_q <= 1'b0;
      escape_q <= 1'b0;
      tag_q    <= 8'd0;
    end
  end
endmodule
`default_nettype wire
