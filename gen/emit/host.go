// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"encoding/hex"
	"fmt"

	"hwgen/gen/design"
	"hwgen/gen/link"
)

// hostInfo is what the host link of a design answers to a hello.
func hostInfo(d *design.Design, configHash string) ([]byte, error) {
	i := link.Info{
		Version: link.Version, Name: d.Name, DataWidth: d.DataW, PacketBytes: d.PktBytes, Slots: d.Slots, Window: d.Host.Window,
		ReportCore: d.ReportCore, Registers: d.Axil,
	}
	h, err := hex.DecodeString(configHash)
	if err != nil || len(h) < len(i.Config) {
		return nil, fmt.Errorf("config hash %q is no SHA-256 in hex", configHash)
	}
	copy(i.Config[:], h)
	for _, c := range d.Clusters {
		i.Clusters = append(i.Clusters, link.Cluster{
			Name: c.Name, Algorithm: c.Algorithm, Support: c.Support, Choose: c.Choose, KeySlots: c.KeySlots, Quota: c.SlotQuota,
			Cores: c.NumCores,
		})
	}
	return i.Bytes(), nil
}
