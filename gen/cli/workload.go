// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/sched"
	"hwgen/gen/traffic"
	"hwgen/gen/workload"
)

func init() { commands = append(commands, newWorkloadCmd) }

// workloadFlag adds -workload, -w to a command.
func workloadFlag(c *cobra.Command, v *string) {
	c.Flags().StringVarP(v, "workload", "w", "", "`WORKLOAD`: a file or a generator, see `hwgen workload -help`")
}

func newWorkloadCmd(app *App) *cobra.Command {
	var configPath, spec, out string
	var seed int64
	var asJSON bool
	c := &cobra.Command{
		Use:   "workload [-config FILE] -workload W [-out FILE.csv|FILE.jsonl]",
		Short: "Show a workload, or write it to a file",
		Long: `A workload is a stream of packets for a design. It is named by a file or a generator, with options behind a colon:

  table.csv         paper 1's Table 1: task,No,flag,arrival,length and, where needed, cluster,cmd,mode,last
  jobs.jsonl        a jobs file
  capture.pcap      captured traffic (pcap, pcapng, gzip too): a flow is a job. Options clock_mhz (100), idle_s (60),
                    flows (65536), packets
  spaced            ` + traffic.Describe("spaced") + `
  saturated         ` + traffic.Describe("saturated") + `
  bursty            ` + traffic.Describe("bursty") + `
  poisson           ` + traffic.Describe("poisson") + `

Options of generators, with their defaults: packets=10000, seed=1, gap in cycles or load=0.9 (of the busiest cluster or
the job stream), burst=16, job=1-10 (packets a job), interleaved=16 (jobs at a time), length in bytes (packet_bytes).
Options of generators and captures: clusters, ops, and either chained=0.3 (share of jobs) or modes. Lists have weights:
length=64:3/16-32, ops=encrypt:2/sign, clusters=aes:4/sm4, modes=cbc/ctr:3.

Arrivals are clock cycles, lengths bytes. Without -out the command counts the workload's packets. A .jsonl file has keys
and data drawn from -seed, and runs with ` + "`hwgen sim -jobs`" + `. docs/workloads.md has the details.`,
		Example: `  hwgen workload -config quad.toml -workload poisson:load=0.8,packets=1000 -out w.csv
  hwgen workload -config quad.toml -workload w.csv
  hwgen workload -config quad.toml -workload capture.pcap:modes=ctr,clock_mhz=200 -out jobs.jsonl`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if spec == "" {
				return diag.Usage("workload needs -workload W; see `hwgen workload -help`")
			}
			ext := strings.ToLower(filepath.Ext(out))
			if out != "" && ext != ".csv" && ext != ".jsonl" {
				return diag.Usage("-out %s: the name ends in .csv or .jsonl, which says what is written", out)
			}
			if out != "" {
				for _, in := range [][2]string{{"-config", configPath}, {"-workload", traffic.File(spec)}} {
					if in[1] != "" && sameFile(in[1], out) {
						return diag.Usage("%s and -out are the same file, %s; choose another for -out", in[0], out)
					}
				}
				if err := checkWritable(out); err != nil {
					return diag.Usage("-out %s: %w", out, err)
				}
			}
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			w, err := traffic.Parse(spec, l.Design)
			if err != nil {
				return err
			}
			var sum *traffic.Summary
			switch ext {
			case ".jsonl":
				jobs, err := w.Jobs(uint64(seed))
				if err != nil {
					return err
				}
				if err := writeTo(app.Out, out, func(f io.Writer) error { return workload.WriteJobs(f, l.Design, jobs) }); err != nil {
					return err
				}
				if sum, err = traffic.SummaryOfJobs(l.Design, jobs); err != nil {
					return err
				}
			default:
				src, err := w.Open()
				if err != nil {
					return err
				}
				defer src.Close()
				sum = traffic.NewSummary(l.Design)
				counted := sum.Count(src)
				if out != "" {
					err = writeTo(app.Out, out, func(f io.Writer) error { return traffic.WriteCSV(f, counted, l.Design) })
				} else {
					var p sched.Packet
					for counted.Next(&p) {
					}
				}
				if err := cmp.Or(counted.Err(), err); err != nil { // a mistake in the workload has its own place
					return err
				}
			}
			if asJSON {
				return app.PrintJSON(sum)
			}
			app.Printf("%s", sum)
			return nil
		},
	}
	configFlag(c, &configPath)
	workloadFlag(c, &spec)
	c.Flags().StringVarP(&out, "out", "o", "", "write the workload to `FILE`, .csv or .jsonl")
	c.Flags().Int64Var(&seed, "seed", 1, "seed of keys and data of a .jsonl file")
	jsonFlag(c, &asJSON)
	return c
}
