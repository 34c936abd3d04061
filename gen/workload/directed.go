// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"bytes"
	"fmt"
	"slices"

	"hwgen/gen/cipher"
)

// Case is a directed test at the stream level, for one cluster.
type Case struct {
	Name string
	// Build adds the frames; want is what the case's name promises of the last frame it adds.
	Build func(x *Script)
	// Lane: it is about what a lane does, and so of interest on each core.
	Lane bool
}

// Script builds a directed test: frames with the status that each must get.
type Script struct {
	*FrameGen
	C    int // cluster
	Errs []string
	// MustSee statuses have to be among the results of the run.
	MustSee []Status

	Key  int // a slot loaded for requester 0
	task int
}

// Do adds a frame whose only possible status is s.
func (x *Script) Do(s Status, f Frame) *Answer {
	a := x.Add(f)
	if len(a.Statuses) != 1 || a.Statuses[0] != s {
		x.Errs = append(x.Errs, fmt.Sprintf("frame %d (%s): the model says %v, the test %s", len(x.Frames)-1, &f,
			a.Statuses, s))
	}
	return a
}

// Task is a job id not used before.
func (x *Script) Task() int { x.task++; return x.task * 0x9e37 & 0xffff }

func (x *Script) pair(chained bool) (Pair, bool) {
	p := Pairs(x.D.Clusters[x.C], chained)
	if len(p) == 0 {
		return Pair{}, false
	}
	return p[x.Rng.Intn(len(p))], true
}

// cipherPair is a chained mode that is not a MAC, if the cluster has one.
func (x *Script) cipherPair() (Pair, bool) {
	for _, p := range Pairs(x.D.Clusters[x.C], true) {
		if p.Mode != cipher.MAC {
			return p, true
		}
	}
	return Pair{}, false
}

// Good adds a good packet of each sort: what comes after an error has to be right.
func (x *Script) Good() {
	if p, ok := x.pair(false); ok {
		x.Do(OK, x.SinglePacket(x.C, 0, x.Key, p))
	}
	for _, p := range Pairs(x.D.Clusters[x.C], true) {
		if p.Cmd != cipher.Verify {
			x.Do(OK, x.FirstPacket(x.C, 0, x.Task(), x.Key, p, true))
			return
		}
	}
}

func (x *Script) edit(f Frame, change func(h *Header)) Frame {
	h := ParseHeader(f.Bytes)
	change(&h)
	return Frame{TID: f.TID, Bytes: append(h.Bytes(), f.Bytes[HeaderBytes:]...)}
}

// any good frame to be broken.
func (x *Script) victim() Frame {
	if p, ok := x.pair(false); ok {
		return x.SinglePacket(x.C, 0, x.Key, p)
	}
	p, _ := x.pair(true)
	return x.FirstPacket(x.C, 0, x.Task(), x.Key, p, false)
}

func (x *Script) beats(change func(b []Beat) []Beat) Frame {
	f := x.victim()
	h := ParseHeader(f.Bytes)
	h.Cookie = uint32(len(x.Frames))
	copy(f.Bytes, h.Bytes())
	return Frame{TID: f.TID, Beats: change(Beatify(f.Bytes, x.D.KeepW))}
}

// Cases are the directed tests: every status, keys, aborts.
func Cases() []Case {
	return []Case{
		{"bad_header", func(x *Script) {
			for _, v := range []uint8{0, 2, 0x81} {
				x.Do(BadHeader, x.edit(x.victim(), func(h *Header) { h.Version = v }))
				x.Good()
			}
			for c := len(x.D.Clusters); c < 256; c = c*2 + 1 {
				x.Do(BadHeader, x.edit(x.victim(), func(h *Header) { h.Cluster = uint8(c) }))
				x.Good()
			}
			for b := 2; b < 8; b++ {
				x.Do(BadHeader, x.edit(x.victim(), func(h *Header) { h.Flags |= 1 << b }))
			}
			x.Good()
			for b := range 8 {
				x.Do(BadHeader, x.edit(x.victim(), func(h *Header) { h.Status = 1 << b }))
			}
			x.Good()
			x.Do(BadHeader, x.edit(x.victim(), func(h *Header) { h.Flags ^= FlagIV }))
			x.Good()
			if max := 1<<x.D.TidW - 1; max >= x.D.Requesters {
				f := x.victim()
				f.TID = max
				x.Do(BadHeader, f)
				x.Good()
			}
			for _, f := range []Frame{
				x.Load(x.C, 0, x.Key, 0, x.Random(x.D.Clusters[x.C].KeyBytes)), x.AbortJob(x.C, 0, 1),
			} {
				h := ParseHeader(f.Bytes)
				x.Do(BadHeader, Frame{Bytes: Pack(h, x.Random(16), f.Bytes[HeaderBytes:])})
				x.Good()
			}
		}, false},
		{"unsupported", func(x *Script) {
			for _, cmd := range []cipher.Cmd{4, 5, 6, 7, 10, 15} {
				h := Header{Cluster: uint8(x.C), Cmd: cmd, KeySlot: uint8(x.Key)}
				x.Do(Unsupported, Frame{Bytes: Pack(h, nil, x.Random(16))})
			}
			x.Good()
			for m := cipher.Mode(6); m < 16; m++ {
				h := Header{Cluster: uint8(x.C), Mode: m, No: 1, KeySlot: uint8(x.Key)}
				x.Do(Unsupported, Frame{Bytes: Pack(h, nil, x.Random(16))})
			}
			x.Good()
			h := Header{Cluster: uint8(x.C), Cmd: cipher.Sign, Mode: cipher.ECB, KeySlot: uint8(x.Key)}
			x.Do(Unsupported, Frame{Bytes: Pack(h, nil, x.Random(16))})
			for cmd := cipher.Encrypt; cmd <= cipher.Verify; cmd++ {
				for m := cipher.ECB; m <= cipher.MAC; m++ {
					if !cipher.Legal(cmd, m) || Supports(x.D.Clusters[x.C], cmd, m) {
						continue
					}
					h := Header{Cluster: uint8(x.C), Cmd: cmd, Mode: m, KeySlot: uint8(x.Key), Task: uint16(x.Task())}
					var iv []byte
					if needIV(h) {
						iv = x.Random(16)
					}
					x.Do(Unsupported, Frame{Bytes: Pack(h, iv, x.Random(16))})
				}
			}
			x.Good()
		}, false},
		{"bad_length", func(x *Script) {
			for _, d := range []int{1, 15, 16, 17, 160, 4096} {
				f := x.victim()
				f.Bytes = append(f.Bytes, x.Random(d)...)
				x.Do(BadLength, f)
				x.Good()
			}
			for _, d := range []int{1, 15, 16} {
				f := x.victim()
				f.Bytes = f.Bytes[:len(f.Bytes)-d]
				x.Do(BadLength, f)
				x.Good()
			}
			for _, n := range []int{0, 1, 17, x.D.PktBytes + 16, x.D.PktBytes + 1, 65520, 65535} {
				f := x.victim()
				h := f.Header()
				iv := 0
				if h.Flags&FlagIV != 0 {
					iv = 16
				}
				h.Flags &^= FlagLast
				h.Length = uint16(n)
				body := x.Random(iv + min(n, 2*x.D.PktBytes+64))
				x.Do(BadLength, Frame{Bytes: append(h.Bytes(), body...)})
				x.Good()
			}
			for bit := range 16 { // a length that is wrong in one bit
				x.Do(BadLength, x.edit(x.victim(), func(h *Header) { h.Length ^= 1 << bit }))
				x.Good()
			}
			for n := 5; n < HeaderBytes; n++ { // under 16 bytes
				h := Header{Version: 1, Cluster: uint8(x.C), KeySlot: uint8(x.Key), Task: uint16(n)}
				if Supports(x.D.Clusters[x.C], cipher.Decrypt, cipher.ECB) {
					h.Cmd = cipher.Decrypt
				}
				if !Supports(x.D.Clusters[x.C], h.Cmd, cipher.ECB) {
					break
				}
				x.Wait()
				x.Do(BadLength, Frame{Bytes: h.Bytes()[:n]})
				x.Wait()
				x.Good()
			}
			key := x.D.Clusters[x.C].KeyBytes
			for _, n := range []int{1, 8, key - 1, key + 1, key + 16, 16, 24, 32} {
				if n != key {
					x.Do(BadLength, x.Load(x.C, 0, x.Key, 0, x.Random(n)))
				}
			}
			x.Good()
			f := x.AbortJob(x.C, 0, 1)
			x.Do(BadLength, Frame{Bytes: Pack(f.Header(), nil, x.Random(16))})
			x.Good()
			if p, ok := x.cipherPair(); ok { // no bytes at No 0
				f := x.FirstPacket(x.C, 0, x.Task(), x.Key, p, true)
				h := f.Header()
				x.Do(BadLength, Frame{Bytes: Pack(h, f.Bytes[16:32], nil)})
				x.Good()
			}
			if Supports(x.D.Clusters[x.C], cipher.Sign, cipher.MAC) { // no bytes in an open MAC job
				t := x.Task()
				x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, Pair{cipher.Sign, cipher.MAC}, false))
				f := x.NextPacket(x.C, [2]int{0, t}, true)
				x.Do(BadLength, Frame{Bytes: Pack(f.Header(), nil, nil)})
				x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, true)) // refused at ingress: the job is untouched
				x.Good()
			}
		}, false},
		{"bad_tkeep", func(x *Script) {
			w := x.D.KeepW
			full := uint16(1<<w - 1)
			hb := HeaderBytes / w
			for _, k := range []uint16{0, full >> 1, full &^ 1, full &^ 2, 1} {
				x.Do(BadLength, x.beats(func(b []Beat) []Beat { // before tlast
					b = append(b, Beat{Keep: full, Last: true, Data: x.Random(w)})
					b[len(b)-2].Last = false
					b[hb].Keep = k
					return b
				}))
				x.Good()
				if k != full>>1 && k != 1 {
					x.Do(BadLength, x.beats(func(b []Beat) []Beat { b[len(b)-1].Keep = k; return b }))
					x.Good()
				}
			}
			x.Do(BadLength, x.beats(func(b []Beat) []Beat { // tlast with no byte
				b[len(b)-1].Last = false
				return append(b, Beat{Last: true, Data: x.Random(w)})
			}))
			x.Good()
			for k := range hb { // a hole in the header
				a := x.Add(x.beats(func(b []Beat) []Beat { b[k].Keep = full &^ 2; return b }))
				if a.Allows(OK) {
					x.Errs = append(x.Errs, "a hole in the header is not refused")
				}
				x.Good()
			}
		}, false},
		{"no_such_job", func(x *Script) {
			for _, p := range Pairs(x.D.Clusters[x.C], true) {
				h := Header{Cluster: uint8(x.C), Cmd: p.Cmd, Mode: p.Mode, Task: 999, No: 1, KeySlot: uint8(x.Key)}
				x.Do(NoSuchJob, Frame{Bytes: Pack(h, nil, x.Random(16))})
				x.Do(NoSuchJob, x.AbortJob(x.C, 0, 999))
				x.Good()
			}
			p, ok := x.pair(true)
			if !ok {
				return
			}
			t := x.Task()
			x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, Pair{p.Cmd, p.Mode}, false))
			f := x.NextPacket(x.C, [2]int{0, t}, false)
			if x.D.Requesters > 1 {
				f.TID = 1 // the same id of another requester
				x.Do(NoSuchJob, f)
				x.Do(NoSuchJob, x.AbortJob(x.C, 1, t))
			}
			x.Add(x.NextPacket(x.C, [2]int{0, t}, true))
			h := Header{Cluster: uint8(x.C), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(t), No: 2, KeySlot: uint8(x.Key)}
			x.Do(NoSuchJob, Frame{Bytes: Pack(h, nil, x.Random(16))}) // behind the last packet
			x.Good()
			x.Wait()
			x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, Pair{p.Cmd, p.Mode}, false)) // the id again
			x.Do(OK, x.AbortJob(x.C, 0, t))
		}, false},
		{"out_of_sequence", func(x *Script) {
			p, ok := x.cipherPair()
			if !ok {
				return
			}
			for k := range 6 {
				t := x.Task()
				x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, p, false))
				x.Wait()
				f := x.NextPacket(x.C, [2]int{0, t}, false)
				switch k {
				case 0:
					f = x.edit(f, func(h *Header) { h.No = 2 })
				case 1:
					f = x.edit(f, func(h *Header) { h.No = 65535 })
				case 2:
					f = x.edit(f, func(h *Header) { h.KeySlot++ })
				case 3:
					f = x.edit(f, func(h *Header) { h.KeySlot = 255 })
				case 4:
					f = x.FirstPacket(x.C, 0, t, x.Key, p, false)
				case 5:
					changed := false
					for _, q := range Pairs(x.D.Clusters[x.C], true) {
						if q != p && !changed {
							f = x.edit(f, func(h *Header) { h.Cmd, h.Mode = q.Cmd, q.Mode })
							changed = true
						}
					}
					if !changed {
						continue
					}
				}
				x.Do(OutOfSequence, f)
				h := Header{Cluster: uint8(x.C), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(t), No: 1, KeySlot: uint8(x.Key)}
				x.Do(NoSuchJob, Frame{Bytes: Pack(h, nil, x.Random(16))}) // dead
				x.Good()
			}
		}, false},
		{"choose_list_full", func(x *Script) {
			p, ok := x.cipherPair()
			if !ok {
				return
			}
			x.Wait()
			n := x.D.Clusters[x.C].Choose
			var tasks []int
			for range n {
				t := x.Task()
				tasks = append(tasks, t)
				x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, p, false))
			}
			x.Do(ChooseListFull, x.FirstPacket(x.C, 0, x.Task(), x.Key, p, false))
			x.Do(ChooseListFull, x.FirstPacket(x.C, 0, x.Task(), x.Key, p, true))
			if q, ok := x.pair(false); ok {
				x.Do(OK, x.SinglePacket(x.C, 0, x.Key, q)) // unchained packets need no entry
			}
			for i, t := range tasks {
				if i%2 == 0 {
					x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, true))
				} else {
					x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, false))
					x.Add(x.AbortJob(x.C, 0, t))
				}
			}
			x.Wait()
			x.Good()
		}, false},
		{"key_empty", func(x *Script) {
			cl := x.D.Clusters[x.C]
			x.Do(KeyEmpty, x.Load(x.C, 0, cl.KeySlots, 0, x.Random(cl.KeyBytes)))
			if cl.KeySlots < 255 {
				x.Do(KeyEmpty, x.Load(x.C, 0, 255, 0, x.Random(cl.KeyBytes)))
			}
			try := func(tid, slot int) {
				if p, ok := x.pair(false); ok {
					x.Do(KeyEmpty, x.SinglePacket(x.C, tid, slot, p))
				}
				if p, ok := x.pair(true); ok {
					t := x.Task()
					x.Do(KeyEmpty, x.FirstPacket(x.C, tid, t, slot, p, false))
					h := Header{Cluster: uint8(x.C), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(t), No: 1, KeySlot: uint8(slot)}
					x.Do(NoSuchJob, Frame{TID: tid, Bytes: Pack(h, nil, x.Random(16))})
				}
				x.Good()
			}
			try(0, 255)
			if cl.KeySlots < 255 {
				try(0, cl.KeySlots)
			}
			for bit := 1; bit < 256; bit <<= 1 { // a number that is wrong in one bit
				if slot := x.Key ^ bit; slot >= cl.KeySlots {
					try(0, slot)
				}
			}
			if cl.KeySlots > 1 {
				s := (x.Key + 1) % cl.KeySlots
				x.Wait()
				x.Add(x.Load(x.C, 0, s, 0, nil))
				try(0, s)
				x.Do(OK, x.Load(x.C, 0, s, 0, x.Random(cl.KeyBytes)))
				if p, ok := x.pair(false); ok {
					x.Do(OK, x.SinglePacket(x.C, 0, s, p))
				}
				x.Wait()
				x.Do(OK, x.Load(x.C, 0, s, 0, nil)) // erased
				try(0, s)
			}
			if x.D.Requesters > 1 {
				try(1, x.Key)                                                   // another's
				x.Do(KeyEmpty, x.Load(x.C, 1, x.Key, 0, x.Random(cl.KeyBytes))) // nor loaded over
				x.Do(KeyEmpty, x.Load(x.C, 1, x.Key, 0, nil))                   // nor erased
				x.Good()
				x.Wait()
				x.Do(OK, x.Load(x.C, 0, x.Key, 0, nil))
				x.Do(OK, x.Load(x.C, 1, x.Key, 0, x.Random(cl.KeyBytes))) // the owner has erased it
				if p, ok := x.pair(false); ok {
					x.Do(KeyEmpty, x.SinglePacket(x.C, 0, x.Key, p))
					x.Do(OK, x.SinglePacket(x.C, 1, x.Key, p))
				}
				x.Wait()
				x.Do(OK, x.Load(x.C, 1, x.Key, 0, nil))
				x.Do(OK, x.Load(x.C, 0, x.Key, 0, x.Random(cl.KeyBytes)))
				x.Good()
			}
		}, false},
		{"key_permissions", func(x *Script) {
			cl := x.D.Clusters[x.C]
			for perm := range uint8(16) {
				x.Wait()
				x.Do(OK, x.Load(x.C, 0, x.Key, perm, x.Random(cl.KeyBytes)))
				for _, chained := range []bool{false, true} {
					for _, p := range Pairs(cl, chained) {
						f := x.FirstPacket
						var fr Frame
						if chained {
							fr = f(x.C, 0, x.Task(), x.Key, p, true)
						} else {
							fr = x.SinglePacket(x.C, 0, x.Key, p)
						}
						if perm != 0 && perm>>p.Cmd&1 == 0 {
							x.Do(KeyEmpty, fr)
						} else if p.Cmd != cipher.Verify {
							x.Do(OK, fr)
						} else {
							x.Add(fr)
						}
					}
				}
			}
			x.Wait()
			x.Do(OK, x.Load(x.C, 0, x.Key, 0, x.Random(cl.KeyBytes)))
			x.Good()
		}, false},
		{"key_busy", func(x *Script) {
			cl := x.D.Clusters[x.C]
			p, ok := x.cipherPair()
			if !ok {
				return
			}
			for _, key := range [][]byte{x.Random(cl.KeyBytes), nil} {
				x.Wait()
				t := x.Task()
				x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, p, false))
				x.Do(KeyBusy, x.Load(x.C, 0, x.Key, 0, key))
				if q, ok := x.pair(false); ok {
					x.Do(KeyBusy, x.SinglePacket(x.C, 0, x.Key, q)) // barred
				}
				x.Do(KeyBusy, x.FirstPacket(x.C, 0, x.Task(), x.Key, p, true))
				x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, false)) // open jobs go on
				x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, true))
				x.Wait()
				if q, ok := x.pair(false); ok {
					x.Do(KeyBusy, x.SinglePacket(x.C, 0, x.Key, q)) // still
				}
				x.Do(OK, x.Load(x.C, 0, x.Key, 0, x.Random(cl.KeyBytes)))
				x.Good()
			}
		}, false},
		{"mac_mismatch", func(x *Script) {
			v := Pair{cipher.Verify, cipher.MAC}
			if !slices.Contains(Pairs(x.D.Clusters[x.C], true), v) {
				return
			}
			b, err := cipher.New(x.D.Clusters[x.C].Algorithm, x.m.cl[x.C].slots[x.Key].key)
			if err != nil {
				x.Errs = append(x.Errs, err.Error())
				return
			}
			for bit := range 128 {
				data := x.Random(x.Rng.Intn(min(33, x.D.PktBytes+1)))
				tag := cipher.CMAC(b, data)
				h := Header{
					Cluster: uint8(x.C), Cmd: v.Cmd, Mode: v.Mode, Task: uint16(x.Task()), KeySlot: uint8(x.Key), Flags: FlagLast,
				}
				x.Do(OK, Frame{Bytes: Pack(h, slices.Clone(tag), data)})
				h.Task = uint16(x.Task())
				tag[bit/8] ^= 1 << (bit % 8)
				x.Do(MACMismatch, Frame{Bytes: Pack(h, tag, data)})
			}
			x.Good()
		}, true},
		{"abort", func(x *Script) {
			p, ok := x.pair(true)
			if !ok {
				return
			}
			for range 6 {
				t := x.Task()
				x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, p, false))
				for range x.Rng.Intn(4) {
					x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, false))
				}
				x.Do(OK, x.AbortJob(x.C, 0, t))
				h := Header{Cluster: uint8(x.C), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(t), No: 1, KeySlot: uint8(x.Key)}
				x.Do(NoSuchJob, Frame{Bytes: Pack(h, nil, x.Random(16))})
				x.Good()
				x.Wait()
				x.Do(NoSuchJob, x.AbortJob(x.C, 0, t))
				x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, p, false)) // the id is free again
				x.Wait()
				x.Do(OK, x.AbortJob(x.C, 0, t)) // with nothing in flight
				x.Good()
			}
		}, false},
		{"aborted", func(x *Script) {
			p, ok := x.pair(true)
			if !ok {
				return
			}
			if x.D.Slots >= 4 { // else the abort can't get in while packets are in flight
				x.MustSee = append(x.MustSee, Aborted)
			}
			for range 4 {
				t := x.Task()
				f := x.FirstPacket(x.C, 0, t, x.Key, p, false)
				x.Do(OK, f)
				for range min(6, x.D.Slots/2) {
					x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, false))
				}
				x.Do(OK, x.AbortJob(x.C, 0, t)) // right behind: some have not been done yet
				x.Wait()
				x.Good()
			}
		}, false},
		{"carries", func(x *Script) {
			// a counter's carry stops at each bit in turn
			if !Supports(x.D.Clusters[x.C], cipher.Encrypt, cipher.CTR) || x.D.PktBlocks < 2 {
				return
			}
			for bit := range 128 {
				iv := bytes.Repeat([]byte{0xff}, 16)
				iv[15-bit/8] ^= 1 << (bit % 8)
				h := Header{Cluster: uint8(x.C), Cmd: cipher.Encrypt, Mode: cipher.CTR, KeySlot: uint8(x.Key)}
				x.Do(OK, Frame{Bytes: Pack(h, iv, x.Random(32))})
			}
			x.Good()
		}, true},
		{"last_blocks", func(x *Script) {
			// messages of each length under a MAC: close behind each other, then each alone
			for _, cmd := range []cipher.Cmd{cipher.Sign, cipher.Verify} {
				if !Supports(x.D.Clusters[x.C], cmd, cipher.MAC) {
					continue
				}
				for alone := range 2 {
					for n := range min(33, x.D.PktBytes+1) {
						h := Header{
							Cluster: uint8(x.C), Cmd: cmd, Mode: cipher.MAC, Task: uint16(x.Task()), KeySlot: uint8(x.Key), Flags: FlagLast,
						}
						want, tag := OK, []byte(nil)
						if cmd == cipher.Verify { // a wrong tag: each of its bits counts
							want, tag = MACMismatch, x.Random(16)
						}
						if alone == 1 || x.D.Clusters[x.C].Choose <= n%4 {
							x.Wait()
						}
						x.Do(want, Frame{Bytes: Pack(h, tag, x.Random(n))})
					}
				}
			}
			x.Good()
		}, true},
		{"tag_bits", func(x *Script) {
			// a tag that is wrong in one bit
			c := x.D.Clusters[x.C]
			if !Supports(c, cipher.Verify, cipher.MAC) {
				return
			}
			b, err := cipher.New(c.Algorithm, x.m.cl[x.C].slots[x.Key].key)
			if err != nil {
				x.Errs = append(x.Errs, err.Error())
				return
			}
			for bit := range 128 {
				data := x.Random(x.Rng.Intn(min(33, x.D.PktBytes+1)))
				tag := cipher.CMAC(b, data)
				tag[bit/8] ^= 1 << (bit % 8)
				h := Header{
					Cluster: uint8(x.C), Cmd: cipher.Verify, Mode: cipher.MAC, Task: uint16(x.Task()), KeySlot: uint8(x.Key), Flags: FlagLast,
				}
				if bit%c.Choose == 0 {
					x.Wait()
				}
				x.Do(MACMismatch, Frame{Bytes: Pack(h, tag, data)})
			}
			x.Good()
		}, true},
		{"lengths", func(x *Script) {
			// each length in each mode, from one packet; then a job that an empty packet ends, or one that is not empty
			for _, p := range Pairs(x.D.Clusters[x.C], false) {
				for n := 1; n <= min(48, x.D.PktBytes); n++ {
					h := Header{Cluster: uint8(x.C), Cmd: p.Cmd, Mode: p.Mode, KeySlot: uint8(x.Key), Flags: FlagLast}
					var iv []byte
					if p.Mode == cipher.CTR {
						iv = x.Random(16)
					}
					if p.Mode != cipher.ECB || n%16 == 0 {
						x.Do(OK, Frame{Bytes: Pack(h, iv, x.Random(n))})
					}
				}
			}
			for _, p := range Pairs(x.D.Clusters[x.C], true) {
				if p.Cmd == cipher.Verify {
					continue
				}
				for n := range min(48, x.D.PktBytes) + 1 {
					if p.Mode == cipher.CBC && n%16 != 0 || p.Mode == cipher.MAC && n == 0 {
						continue
					}
					if n%min(3, x.D.Clusters[x.C].Choose) == 0 {
						x.Wait()
					}
					h := Header{Cluster: uint8(x.C), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(x.Task()), KeySlot: uint8(x.Key)}
					var iv []byte
					if p.Mode != cipher.MAC {
						iv = x.Random(16)
					}
					x.Do(OK, Frame{Bytes: Pack(h, iv, x.Random(16*(1+n%x.D.PktBlocks)))})
					h.No, h.Flags = 1, FlagLast
					x.Do(OK, Frame{Bytes: Pack(h, nil, x.Random(n))})
				}
			}
			x.Good()
		}, true},
		{"number_bits", func(x *Script) {
			// job ids and packet numbers that are wrong in one bit
			p, ok := x.cipherPair()
			if !ok {
				return
			}
			for bit := range 16 {
				t := x.Task()
				x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, p, false))
				for range 2 { // the next number has two bits
					x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, false))
				}
				wrong := func(s Status, change func(h *Header)) {
					f := x.NextPacket(x.C, [2]int{0, t}, false)
					x.Do(s, x.edit(f, change))
				}
				wrong(NoSuchJob, func(h *Header) { h.Task ^= 1 << bit })
				wrong(NoSuchJob, func(h *Header) { h.Task, h.No = h.Task^1<<bit, 1<<bit })
				wrong(OutOfSequence, func(h *Header) { h.No ^= 1 << bit })
				x.Wait() // that has ended the job
			}
			x.Good()
		}, false},
		{"long_job", func(x *Script) {
			// more packets than fit a number of nine bits
			p := Pair{cipher.Sign, cipher.MAC}
			if !Supports(x.D.Clusters[x.C], p.Cmd, p.Mode) {
				return
			}
			h := Header{Cluster: uint8(x.C), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(x.Task()), KeySlot: uint8(x.Key)}
			for n := range 515 {
				h.No = uint16(n)
				x.Do(OK, Frame{Bytes: Pack(h, nil, x.Random(16))})
			}
			h.No, h.Flags = 515, FlagLast
			x.Do(OK, Frame{Bytes: Pack(h, nil, x.Random(16))})
			x.Good()
		}, false},
		{"sequence_wraps", func(x *Script) {
			p := Pair{cipher.Sign, cipher.MAC}
			if !Supports(x.D.Clusters[x.C], p.Cmd, p.Mode) {
				return
			}
			// No 65535 is followed by 1, never by 0: a job gets there only by going all the way, which `hwgen verify
			// -packets` above 65536 does; here No 0 behind No 1 is refused.
			t := x.Task()
			x.Do(OK, x.FirstPacket(x.C, 0, t, x.Key, p, false))
			x.Do(OK, x.NextPacket(x.C, [2]int{0, t}, false))
			x.Do(OutOfSequence, x.edit(x.NextPacket(x.C, [2]int{0, t}, false), func(h *Header) { h.No = 0 }))
			x.Wait()
			x.Good()
		}, false},
	}
}

// NewScript starts a directed test of a cluster: requester 0 has a key in slot 0.
func NewScript(g *FrameGen, c int) *Script {
	x := &Script{FrameGen: g, C: c}
	x.Do(OK, x.Load(c, 0, 0, 0, x.Random(x.D.Clusters[c].KeyBytes)))
	return x
}
