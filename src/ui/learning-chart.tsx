/**
 * @file Loss and accuracy as they were measured, two small charts over one axis. Drawn from the
 * run's series on each beat; React makes the skeleton only.
 */

import { useRef } from 'react';
import type { RunSeries } from '#state/run-series';
import type { Series } from '#state/series';
import {
  type Axis,
  bandPath,
  type Frame,
  linePath,
  niceCeiling,
  scales,
  spread,
} from './chart-math.ts';
import { count, loss, percent, tick } from './format.ts';
import { type Text, useDrawing, useLab, useText } from './lab-context.ts';
import { useSize } from './use-size.ts';

const LABEL_GAP_REM = 1.1;

interface Line {
  readonly key: 'train' | 'test';
  readonly series: Series;
}

interface PlotProps {
  readonly axis: Axis;
  readonly lines: (series: RunSeries) => readonly Line[];
  /** The fixed end of the value axis; without it the data decides. */
  readonly most?: number;
  readonly write: (t: Text, value: number) => string;
  readonly writeTick: (t: Text, value: number) => string;
  /** Write the ends of the step axis below. */
  readonly withAxis: boolean;
  readonly className: string;
}

function set(root: Element, selector: string, attributes: Record<string, string | number>): void {
  const target = root.querySelector(selector);
  if (!target) return;
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, String(value));
}

function write(root: Element, selector: string, text: string, x: number, y: number): void {
  const target = root.querySelector(selector);
  if (!target) return;
  if (target.textContent !== text) target.textContent = text;
  set(root, selector, { x: x.toFixed(1), y: y.toFixed(1) });
}

function greatest(lines: readonly Line[]): number {
  return Math.max(0, ...lines.flatMap(({ series }) => series.points().map((p) => p.mean)));
}

function furthest(lines: readonly Line[], axis: Axis): number {
  return Math.max(0, ...lines.map(({ series }) => series.last()?.[axis] ?? 0));
}

function Plot(props: PlotProps) {
  const t = useText();
  const { series } = useLab().store;
  const svg = useRef<SVGSVGElement>(null);
  const size = useSize(svg);

  const draw = (): void => {
    const root = svg.current;
    if (!root || !size) return;
    const { width, height, rem } = size;
    const frame: Frame = {
      left: 3.4 * rem,
      right: width - 7 * rem,
      top: 0.6 * rem,
      bottom: height - (props.withAxis ? 1.5 * rem : 0.5 * rem),
    };
    const lines = props.lines(series);
    const all = [series.trainLoss, series.testLoss].map(
      (s) => ({ key: 'test', series: s }) as const,
    );
    const xMost = furthest(all, props.axis);
    const yMost = props.most ?? niceCeiling(greatest(lines) || 1);
    const at = scales(frame, xMost, yMost);
    for (const [i, share] of [0, 0.5, 1].entries()) {
      const y = at.y(share * yMost);
      set(root, `.grid-${i}`, { x1: frame.left, x2: frame.right, y1: y, y2: y });
      write(
        root,
        `.tick-${i}`,
        props.writeTick(t, share * yMost),
        frame.left - 0.6 * rem,
        y + 0.3 * rem,
      );
    }
    const ends = lines.map(({ series: s }) => s.last());
    const labels = spread(
      ends.map((end) => (end ? at.y(end.mean) : frame.bottom)),
      LABEL_GAP_REM * rem,
      { ...frame, bottom: frame.bottom + 0.2 * rem },
    );
    for (const [i, line] of lines.entries()) {
      const end = ends[i];
      set(root, `.line.${line.key}`, { d: linePath(line.series.points(), props.axis, at) });
      set(root, `.band.${line.key}`, { d: bandPath(line.series.points(), props.axis, at) });
      const text = end ? `${t(`page.chart.${line.key}`)} ${props.write(t, end.mean)}` : '';
      write(
        root,
        `.label.${line.key}`,
        text,
        frame.right + 0.6 * rem,
        (labels[i] ?? 0) + 0.3 * rem,
      );
      set(root, `.end.${line.key}`, {
        cx: end ? at.x(end[props.axis]) : 0,
        cy: end ? at.y(end.mean) : 0,
        visibility: end ? 'visible' : 'hidden',
      });
    }
    if (props.withAxis) {
      const y = height - 0.25 * rem;
      write(root, '.axis-first', t(`page.chart.axis.${props.axis}`), frame.left, y);
      write(root, '.axis-last', xMost > 0 ? count(t.locale, xMost) : '', frame.right, y);
    }
  };
  useDrawing(draw);

  return (
    <svg ref={svg} className={`plot ${props.className}`} aria-hidden="true">
      {[0, 1, 2].map((i) => (
        <g key={i}>
          <line className={`grid grid-${i}`} />
          <text className={`tick tick-${i}`} />
        </g>
      ))}
      {(['train', 'test'] as const).map((key) => (
        <g key={key}>
          <path className={`band ${key}`} />
          <path className={`line ${key}`} />
          <circle className={`end ${key}`} r="2.5" visibility="hidden" />
          <text className={`label ${key}`} />
        </g>
      ))}
      {props.withAxis && (
        <>
          <text className="axis-first" />
          <text className="axis-last" />
        </>
      )}
    </svg>
  );
}

const lossLines = (series: RunSeries): readonly Line[] => [
  { key: 'train', series: series.trainLoss },
  { key: 'test', series: series.testLoss },
];
const accuracyLines = (series: RunSeries): readonly Line[] => [
  { key: 'train', series: series.trainAccuracy },
  { key: 'test', series: series.testAccuracy },
];
const writeLoss = (t: Text, value: number): string => loss(t.locale, value);
const writeShare = (t: Text, value: number): string => `${percent(t.locale, value)}\u00a0%`;
const writeLossTick = (t: Text, value: number): string => tick(t.locale, value);
const writeShareTick = (t: Text, value: number): string => `${percent(t.locale, value, 0)}\u00a0%`;

export function LearningCharts(props: { readonly axis: Axis }) {
  const t = useText();
  return (
    <div className="plots">
      <p className="plot-title">{t('page.chart.loss')}</p>
      <Plot
        className="loss"
        axis={props.axis}
        lines={lossLines}
        write={writeLoss}
        writeTick={writeLossTick}
        withAxis={false}
      />
      <p className="plot-title">{t('page.chart.accuracy')}</p>
      <Plot
        className="accuracy"
        axis={props.axis}
        lines={accuracyLines}
        most={1}
        write={writeShare}
        writeTick={writeShareTick}
        withAxis
      />
    </div>
  );
}
