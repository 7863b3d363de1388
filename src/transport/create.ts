/** @file Picks the transport that a rank was given links for. */
import { type Arena, arenaLayout } from './arena.ts';
import type { Endpoint } from './endpoint.ts';
import { portsEndpoint } from './ports.ts';
import { sharedEndpoint } from './shared.ts';

/** How a rank reaches its peers. */
export type Links =
  | { readonly transport: 'shared'; readonly arena: Arena }
  | {
      readonly transport: 'ports';
      readonly ports: readonly (MessagePort | null)[];
      readonly epoch?: number;
    };

export interface EndpointSetup {
  readonly rank: number;
  readonly worldSize: number;
  /** Elements of the flat vector. */
  readonly vectorLength: number;
  readonly link: Links;
  /** Called once in a collective that has waited for LONG_WAIT_MS; the wait goes on after it. */
  readonly onLongWait?: () => void;
}

/** Rank `rank`'s endpoint. Throws RangeError where the links do not fit the sizes. */
export function createEndpoint(setup: EndpointSetup): Endpoint {
  const { rank, worldSize, vectorLength, link, onLongWait } = setup;
  if (link.transport === 'ports') {
    return portsEndpoint(rank, worldSize, vectorLength, link.ports, link.epoch, onLongWait);
  }
  const arena = arenaLayout(link.arena);
  if (arena.worldSize !== worldSize || arena.vectorLength !== vectorLength) {
    throw new RangeError(
      `the arena is for ${arena.worldSize} ranks and ${arena.vectorLength} elements; ` +
        `${worldSize} and ${vectorLength} were asked for`,
    );
  }
  return sharedEndpoint(link.arena, rank, onLongWait);
}
