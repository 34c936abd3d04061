// SPDX-License-Identifier: Apache-2.0
// A board whose serial line follows a script, and then the board's registers and memories as VCD.
//
//   sim SCRIPT SNAPSHOT
//
// The script: b HEX bytes to the board, w N clocks, r a reset of one clock, at which the host falls silent. Standard
// output has the clock and value of each byte from the board.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "Vdut.h"
#include "board.h"
#include "line.h"
#include "verilated.h"
#include "verilated_vcd_c.h"

double sc_time_stamp() { return 0; }

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  auto context = std::make_unique<VerilatedContext>();
  context->commandArgs(argc, argv);
  context->randReset(2);
  context->randSeed(1);
  context->traceEverOn(true);
  auto dut = std::make_unique<Vdut>(context.get());
  const double clocks = SIM_CLOCK_HZ / static_cast<double>(SIM_BAUD);
  Sender send;
  Receiver receive;
  long now = 0;
  const auto run = [&](long n) {
    for (long i = 0; i < n; i++, now++) {
      dut->uart_rx = send.level(clocks);
      dut->clk = 1;
      dut->eval();
      dut->clk = 0;
      dut->eval();
      uint8_t b;
      if (receive.sample(dut->uart_tx, clocks, &b)) std::printf("%ld %02x\n", now, b);
    }
  };
  const auto reset = [&](long n) {
    dut->rst = 1;
    run(n);
    dut->rst = 0;
  };
  dut->clk = 0;
  reset(8);
  std::ifstream script(argv[1]);
  std::string what;
  while (script >> what) {
    if (what == "b") {
      std::string hex;
      script >> hex;
      for (size_t i = 0; i + 1 < hex.size(); i += 2) send.put(std::strtoul(hex.substr(i, 2).c_str(), nullptr, 16));
    } else if (what == "w") {
      long n;
      script >> n;
      run(n);
    } else {
      send = Sender();
      reset(1);
    }
  }
  VerilatedVcdC vcd;
  dut->trace(&vcd, 99);
  vcd.open(argv[2]);
  vcd.dump(0);
  vcd.close();
  dut->final();
}
