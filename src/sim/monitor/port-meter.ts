/** @file How well each rank's ports carry bytes, as counters of a NIC would tell. */
import type { LinkObserver } from '#sim/network';
import type { Topology } from '#sim/topology';

export interface PortMeter {
  readonly observe: LinkObserver;
  /** [rank]: busy time over the data sheet's, of the worst port since the last call; NaN unused. */
  take(): number[];
}

export function createPortMeter({
  worldSize,
  nsPerByte,
  portsOf,
}: Pick<Topology, 'worldSize' | 'nsPerByte' | 'portsOf'>): PortMeter {
  const busyNs = new Float64Array(nsPerByte.length);
  const bytes = new Float64Array(nsPerByte.length);
  return {
    observe(service) {
      busyNs[service.link] += service.freeNs - service.startNs;
      bytes[service.link] += service.bytes;
    },
    take() {
      const slowness = Array.from({ length: worldSize }, (_, rank) => {
        const used = portsOf(rank).filter((link) => bytes[link] > 0);
        if (used.length === 0) return Number.NaN;
        return Math.max(...used.map((link) => busyNs[link] / (bytes[link] * nsPerByte[link])));
      });
      busyNs.fill(0);
      bytes.fill(0);
      return slowness;
    },
  };
}
