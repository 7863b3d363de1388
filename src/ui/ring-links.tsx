/**
 * @file The links of the ring, and messages under way on them. Dots move only on links whose
 * sender communicated a moment ago; they are moved by the compositor, not by React.
 */
import { useEffect, useRef } from 'react';
import { useDrawing, useLab } from './lab-context.ts';
import type { Link, RingLayout } from './ring-layout.ts';

/** Wall milliseconds for which a link stays lit: long enough to be seen. */
const AFTERGLOW_MS = 300;
/** Wall milliseconds a dot takes from node to node. */
const TRAVEL_MS = 1100;
const CHECK_MS = 100;

function dotsPerLink(links: number): number {
  if (links <= 4) return 5;
  return links <= 8 ? 3 : 2;
}

/** Endless movement along a link, `phase` of it already done. */
function travel(dot: Element, link: Link, phase: number): Animation {
  return dot.animate(
    link.points.map(({ x, y }) => ({
      transform: `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`,
    })),
    { duration: TRAVEL_MS, iterations: Number.POSITIVE_INFINITY, delay: -phase * TRAVEL_MS },
  );
}

export function RingLinks(props: { readonly layout: RingLayout }) {
  const { series } = useLab().store;
  const { links } = props.layout;
  const svg = useRef<SVGSVGElement>(null);
  const flow = useRef<HTMLDivElement>(null);
  const moving = useRef<Animation[][]>([]);

  useEffect(() => {
    const lanes = [...(flow.current?.children ?? [])];
    moving.current = lanes.map((lane, i) => {
      const link = links[i];
      const dots = [...lane.children];
      return link ? dots.map((dot, k) => travel(dot, link, k / dots.length)) : [];
    });
    for (const animation of moving.current.flat()) animation.pause();
    return () => {
      for (const animation of moving.current.flat()) animation.cancel();
    };
  }, [links]);

  const light = (): void => {
    const now = performance.now();
    for (const [i, link] of links.entries()) {
      const live = now - series.communicatedAt(link.from) < AFTERGLOW_MS;
      const path = svg.current?.querySelector(`[data-link="${i}"]`);
      const lane = flow.current?.children[i];
      if (!path || !lane || path.classList.contains('live') === live) continue;
      path.classList.toggle('live', live);
      lane.classList.toggle('live', live);
      for (const animation of moving.current[i] ?? []) {
        if (live) animation.play();
        else animation.pause();
      }
    }
  };
  useDrawing(light, CHECK_MS);
  // The last messages of a run are followed by no news: a link must go dark by itself.
  useEffect(() => {
    const timer = setInterval(light, AFTERGLOW_MS);
    return () => clearInterval(timer);
  });

  return (
    <>
      <svg ref={svg} className="links" aria-hidden="true">
        {links.map((link, i) => (
          <g key={link.from}>
            <path className="link" d={link.path} data-link={i} />
            <path
              className="direction"
              d="M-4 -5 2 0 -4 5"
              transform={`translate(${link.middle.x} ${link.middle.y}) rotate(${link.middle.angle})`}
            />
          </g>
        ))}
      </svg>
      <div ref={flow} className="flow" aria-hidden="true">
        {links.map((link) => (
          <div key={link.from} className="lane">
            {Array.from({ length: dotsPerLink(links.length) }, (_, k) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: dots are all alike.
              <i key={k} />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}
