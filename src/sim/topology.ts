/**
 * @file Which links a message passes. A link is one direction of a port: of a rank within its node
 * (NVLink), of a NIC, or of a switch's uplink.
 */
import type { LinkCost } from '#core/schedule-cost';

export interface TopologyConfig {
  readonly worldSize: number;
  /** Adjacent ranks share a node; the last node may be smaller. */
  readonly ranksPerNode: number;
  /** Within a node: a port of each rank, in each direction. */
  readonly inner: LinkCost;
  /** Between nodes: a NIC, in each direction. */
  readonly outer: LinkCost;
  /** 1 ... ranksPerNode; the ranks of a node take them in turn, so one a rank shares nothing. */
  readonly nicsPerNode: number;
  /** The level above: what adjacent nodes share towards all others. Absent, switches never block. */
  readonly uplink?: Uplink;
}

interface Uplink {
  readonly nodesPerSwitch: number;
  /** Its latency comes on top of the NIC's. */
  readonly link: LinkCost;
}

/** Links by number, with their costs in nanoseconds. */
export interface Topology {
  readonly worldSize: number;
  readonly latencyNs: Float64Array;
  readonly nsPerByte: Float64Array;
  /** The link that a message takes as its hop 0, 1, ..., or NO_LINK behind the last one. */
  linkAt(from: number, to: number, hop: number): number;
  /** Every port that a rank sends or receives through. */
  portsOf(rank: number): readonly number[];
}

export const NO_LINK = -1;

const NS_PER_SECOND = 1e9;

/**
 * Ports within nodes, NICs between them and, where there is one, a level of switches above. Throws
 * RangeError for counts that are no positive integers, more NICs than ranks in a node, a bandwidth
 * that is not above 0 or a latency below 0.
 */
export function makeTopology(config: TopologyConfig): Topology {
  requireConfig(config);
  const { worldSize, ranksPerNode, inner, outer, nicsPerNode, uplink } = config;
  const nodes = Math.ceil(worldSize / ranksPerNode);
  const switches = uplink === undefined ? 0 : Math.ceil(nodes / uplink.nodesPerSwitch);
  const links = new LinkList();
  const innerOut = links.add(worldSize, inner);
  const innerIn = links.add(worldSize, free(inner));
  const nicOut = links.add(nodes * nicsPerNode, outer);
  const nicIn = links.add(nodes * nicsPerNode, free(outer));
  const upOut = uplink === undefined ? 0 : links.add(switches, uplink.link);
  const upIn = uplink === undefined ? 0 : links.add(switches, free(uplink.link));

  const ranks = Array.from({ length: worldSize }, (_, rank) => rank);
  const nodeOf = Int32Array.from(ranks, (rank) => Math.floor(rank / ranksPerNode));
  const nicOf = Int32Array.from(ranks, (rank) => {
    return nodeOf[rank] * nicsPerNode + ((rank % ranksPerNode) % nicsPerNode);
  });
  const nodesPerSwitch = uplink?.nodesPerSwitch ?? nodes;
  const switchOf = Int32Array.from(ranks, (rank) => Math.floor(nodeOf[rank] / nodesPerSwitch));

  return {
    worldSize,
    ...links.costs(),
    linkAt: (from, to, hop) => {
      if (nodeOf[from] === nodeOf[to]) {
        if (hop === 0) return innerOut + from;
        return hop === 1 ? innerIn + to : NO_LINK;
      }
      if (hop === 0) return nicOut + nicOf[from];
      if (switchOf[from] === switchOf[to]) return hop === 1 ? nicIn + nicOf[to] : NO_LINK;
      if (hop === 1) return upOut + switchOf[from];
      if (hop === 2) return upIn + switchOf[to];
      return hop === 3 ? nicIn + nicOf[to] : NO_LINK;
    },
    portsOf: (rank) => [innerOut + rank, innerIn + rank, nicOut + nicOf[rank], nicIn + nicOf[rank]],
  };
}

/** All ranks behind one switch that never blocks, each with a port of its own. */
export function flatTopology(worldSize: number, link: LinkCost): Topology {
  return makeTopology({
    worldSize,
    ranksPerNode: worldSize,
    inner: link,
    outer: link,
    nicsPerNode: 1,
  });
}

/** The latency is paid on the way out alone. */
function free({ bytesPerSecond }: LinkCost): LinkCost {
  return { latencySeconds: 0, bytesPerSecond };
}

class LinkList {
  private readonly links: LinkCost[] = [];

  /** The number of the first of `count` equal links. */
  add(count: number, link: LinkCost): number {
    const first = this.links.length;
    for (let i = 0; i < count; i++) this.links.push(link);
    return first;
  }

  costs(): { latencyNs: Float64Array; nsPerByte: Float64Array } {
    return {
      latencyNs: Float64Array.from(
        this.links,
        ({ latencySeconds }) => latencySeconds * NS_PER_SECOND,
      ),
      nsPerByte: Float64Array.from(
        this.links,
        ({ bytesPerSecond }) => NS_PER_SECOND / bytesPerSecond,
      ),
    };
  }
}

function requireConfig(config: TopologyConfig): void {
  const { worldSize, ranksPerNode, inner, outer, nicsPerNode, uplink } = config;
  requireCount('worldSize', worldSize);
  requireCount('ranksPerNode', ranksPerNode);
  requireCount('nicsPerNode', nicsPerNode);
  if (nicsPerNode > ranksPerNode) {
    throw new RangeError(
      `topology: ${nicsPerNode} NICs for ${ranksPerNode} ranks a node; 1 ... ${ranksPerNode} are allowed`,
    );
  }
  requireLink('inner', inner);
  requireLink('outer', outer);
  if (uplink === undefined) return;
  requireCount('uplink.nodesPerSwitch', uplink.nodesPerSwitch);
  requireLink('uplink.link', uplink.link);
}

function requireCount(name: string, count: number): void {
  if (Number.isInteger(count) && count >= 1) return;
  throw new RangeError(`topology: ${name} ${count}; a positive integer is allowed`);
}

function requireLink(name: string, { latencySeconds, bytesPerSecond }: LinkCost): void {
  if (!(bytesPerSecond > 0)) {
    throw new RangeError(`topology: ${name} of ${bytesPerSecond} bytes/s; more than 0 is allowed`);
  }
  if (!(latencySeconds >= 0 && latencySeconds < Number.POSITIVE_INFINITY)) {
    throw new RangeError(
      `topology: ${name} with ${latencySeconds} s of latency; 0 or more, finite`,
    );
  }
}
