/** @file The strip along the bottom: what each rank did in the last steps, in wall time. */

import { useRef } from 'react';
import type { WallRecord } from '#run/log';
import { recordSteps } from '#state/selectors';
import { duration, figure } from './format.ts';
import { useDrawing, useLab, useLive, useRankCount, useText } from './lab-context.ts';
import { type StripGeometry, stripGeometry } from './strip-geometry.ts';
import { useSize } from './use-size.ts';

/** Slower than the charts: bars are to be compared, not to flicker. */
const BEATS_A_DRAWING = 2;
const SHOWN_RECORDS = 8;
/** Widths of a step's label and of the label at the end. */
const LABEL_REM = 4.6;
const END_REM = 9;
const KINDS = ['other', 'compute', 'communicate', 'update'] as const;

function lastRecords(records: readonly WallRecord[]): readonly WallRecord[] {
  return records.slice(-SHOWN_RECORDS);
}

/** Each kind of bar is one path; ticks are moved, not made. */
function show(root: SVGSVGElement, geometry: StripGeometry): void {
  for (const kind of KINDS) {
    root.querySelector(`.bar-${kind}`)?.setAttribute('d', geometry.paths[kind]);
  }
  root.querySelector('.step-edges')?.setAttribute('d', geometry.edges);
}

function StripRows(props: { readonly ranks: number }) {
  const t = useText();
  const { series } = useLab().store;
  const svg = useRef<SVGSVGElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const size = useSize(svg);
  const { ranks } = props;
  const draw = (): void => {
    if (!svg.current || !axis.current || !size) return;
    const records = lastRecords(series.wall());
    const geometry = stripGeometry(records, ranks, size.width, size.height);
    show(svg.current, geometry);
    const labels = axis.current.children;
    for (let i = 0; i < SHOWN_RECORDS; i++) {
      const label = labels[i];
      const step = geometry.steps[i];
      if (!(label instanceof HTMLElement)) continue;
      label.hidden =
        step === undefined ||
        step.width < LABEL_REM * size.rem ||
        step.x > size.width - END_REM * size.rem;
      if (step === undefined) continue;
      label.style.left = `${step.x}px`;
      label.textContent = t('page.strip.step', { step: step.step });
    }
    const end = axis.current.lastElementChild;
    if (end) end.textContent = figure(duration(t.locale, geometry.totalMs));
  };
  useDrawing(draw, BEATS_A_DRAWING);
  return (
    <>
      <ul className="strip-ranks" aria-hidden="true">
        {Array.from({ length: ranks }, (_, rank) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the rank.
          <li key={rank}>{ranks > 8 ? rank : t('page.rank.name', { rank })}</li>
        ))}
      </ul>
      <svg ref={svg} className="strip-bars" aria-hidden="true">
        <path className="step-edges" />
        {KINDS.map((kind) => (
          <path key={kind} className={`bar-${kind}`} />
        ))}
      </svg>
      <div ref={axis} className="strip-axis" aria-hidden="true">
        {Array.from({ length: SHOWN_RECORDS }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: labels are moved, never told apart.
          <span key={i} hidden />
        ))}
        <span className="strip-end" />
      </div>
    </>
  );
}

function StripAbout() {
  const t = useText();
  const { series } = useLab().store;
  useLive();
  const records = lastRecords(series.wall());
  const [first, last] = [records[0], records.at(-1)];
  const each = recordSteps(records);
  if (!first || !last) return <span className="about">{t('page.strip.about')}</span>;
  return (
    <span className="about">
      {t('page.strip.steps', { first: first.step, last: last.step })}
      {each > 1 && t('page.strip.each', { count: Math.round(each) })}
    </span>
  );
}

export function WallStrip() {
  const t = useText();
  const ranks = useRankCount();
  return (
    <section className="panel strip" aria-labelledby="strip-title">
      <div className="panel-head">
        <h2 id="strip-title">{t('page.strip.title')}</h2>
        <StripAbout />
        <ul className="keys">
          <li className="key compute">{t('page.split.compute')}</li>
          <li className="key communicate">{t('page.split.communicate')}</li>
          <li className="key update">{t('page.split.update')}</li>
          <li className="key other">{t('page.split.other')}</li>
        </ul>
        <span className="clock">{t('page.clock.wallMs')}</span>
      </div>
      <div className="strip-body">
        <StripRows ranks={ranks} />
      </div>
    </section>
  );
}
