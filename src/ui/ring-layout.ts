/** @file Where N replicas and their links lie: a ring, rank 0 at the top, clockwise. Pure. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How much a node shows; the largest that fits is taken. */
export type NodeSize = 'large' | 'medium' | 'compact' | 'dot';

export interface Link {
  readonly from: number;
  readonly to: number;
  /** Along the ring, from node to node. */
  readonly points: readonly Point[];
  /** SVG path through the same points. */
  readonly path: string;
  /** Half-way, and the direction there in degrees. */
  readonly middle: Point & { readonly angle: number };
}

export interface RingLayout {
  readonly size: NodeSize;
  readonly nodeWidth: number;
  readonly nodeHeight: number;
  /** Centres of the nodes, by rank. */
  readonly nodes: readonly Point[];
  readonly links: readonly Link[];
  /** Width that is free of nodes around the middle. */
  readonly centreWidth: number;
}

/** Node sizes and the least free space between nodes and around the middle, in rem. */
const SIZES: readonly { size: NodeSize; width: number; height: number; most: number }[] = [
  { size: 'large', width: 16.4, height: 7.2, most: 8 },
  { size: 'medium', width: 14, height: 6.8, most: 8 },
  { size: 'compact', width: 6.8, height: 3.5, most: 16 },
  { size: 'dot', width: 3.4, height: 2.5, most: 16 },
];
const GAP = 0.9;
const CENTRE = 17;
const LINK_POINTS = 24;

interface Ellipse {
  readonly centre: Point;
  readonly rx: number;
  readonly ry: number;
}

function at(ellipse: Ellipse, turn: number): Point {
  const angle = 2 * Math.PI * turn - Math.PI / 2;
  return {
    x: ellipse.centre.x + ellipse.rx * Math.cos(angle),
    y: ellipse.centre.y + ellipse.ry * Math.sin(angle),
  };
}

function linkBetween(ellipse: Ellipse, rank: number, count: number): Link {
  const points = Array.from({ length: LINK_POINTS + 1 }, (_, i) =>
    at(ellipse, (rank + i / LINK_POINTS) / count),
  );
  const before = at(ellipse, (rank + 0.49) / count);
  const after = at(ellipse, (rank + 0.51) / count);
  return {
    from: rank,
    to: (rank + 1) % count,
    points,
    path: `M${points.map((p) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('L')}`,
    middle: {
      ...at(ellipse, (rank + 0.5) / count),
      angle: (Math.atan2(after.y - before.y, after.x - before.x) * 180) / Math.PI,
    },
  };
}

function overlap(nodes: readonly Point[], width: number, height: number): boolean {
  return nodes.some((a, i) =>
    nodes.slice(i + 1).some((b) => Math.abs(a.x - b.x) < width && Math.abs(a.y - b.y) < height),
  );
}

/** Width around the middle that no node reaches into, for a text of the given height. */
function freeWidth(centre: Point, nodes: readonly Point[], width: number, height: number): number {
  const beside = nodes.filter((node) => Math.abs(node.y - centre.y) < height);
  const nearest = Math.min(...beside.map((node) => Math.abs(node.x - centre.x)), Infinity);
  return 2 * (nearest - width / 2);
}

/**
 * Lays `count` nodes on an ellipse within `width` x `height` pixels. The largest node size is
 * taken at which no two nodes overlap and the middle stays free; `rem` is in pixels.
 */
export function ringLayout(width: number, height: number, count: number, rem: number): RingLayout {
  let fallback: RingLayout | null = null;
  for (const candidate of SIZES) {
    const nodeWidth = candidate.width * rem;
    const nodeHeight = candidate.height * rem;
    const ellipse: Ellipse = {
      centre: { x: width / 2, y: height / 2 },
      rx: Math.max(1, Math.min((width - nodeWidth) / 2 - 4, 1.62 * height)),
      ry: Math.max(1, (height - nodeHeight) / 2 - 4),
    };
    const nodes = Array.from({ length: count }, (_, rank) => at(ellipse, rank / count));
    const links = count > 1 ? nodes.map((_, rank) => linkBetween(ellipse, rank, count)) : [];
    const room = Math.min(2 * ellipse.rx, freeWidth(ellipse.centre, nodes, nodeWidth, nodeHeight));
    const centreWidth = room - 2 * GAP * rem;
    const layout = { size: candidate.size, nodeWidth, nodeHeight, nodes, links, centreWidth };
    fallback = layout;
    const fits =
      count <= candidate.most &&
      !overlap(nodes, nodeWidth + GAP * rem, nodeHeight + (GAP / 2) * rem) &&
      (centreWidth >= CENTRE * rem || candidate.size === 'dot');
    if (fits) return layout;
  }
  if (!fallback) throw new Error('ringLayout: no node sizes');
  return fallback;
}
