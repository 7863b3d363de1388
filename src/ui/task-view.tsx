/** @file What the model makes of the task now: digits read, a boundary drawn, text written. */

import { useEffect, useRef } from 'react';
import type { Probe } from '#protocol/replica';
import { drawBoundary } from './boundary.ts';
import { AlertIcon } from './icons.tsx';
import { useLab, useLabState, useText } from './lab-context.ts';
import { Digit } from './sample-tiles.tsx';
import { useTheme } from './use-theme.ts';

type ProbeOf<Kind extends Probe['kind']> = Extract<Probe, { kind: Kind }>;

const SHOWN_DIGITS = 24;

function Digits(props: { readonly probe: ProbeOf<'digits'> }) {
  const t = useText();
  const { images, labels, predictions } = props.probe;
  const shown = Math.min(SHOWN_DIGITS, labels.length);
  const wrong = Array.from({ length: shown }, (_, i) => i).filter(
    (i) => labels[i] !== predictions[i],
  );
  return (
    <>
      <div className="between">
        <span>{t('page.digits.title', { count: shown })}</span>
        <b>{t('page.digits.right', { right: shown - wrong.length, count: shown })}</b>
      </div>
      <ul className="digits">
        {Array.from({ length: shown }, (_, i) => {
          const isWrong = labels[i] !== predictions[i];
          const read = t(isWrong ? 'page.digits.wrong' : 'page.digits.ok', {
            label: labels[i] ?? 0,
            prediction: predictions[i] ?? 0,
          });
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a place in the test set is its name.
            <li key={i} className={isWrong ? 'wrong' : ''} title={read}>
              <Digit images={images} index={i} />
              <span className="visually-hidden">{read}</span>
              <b aria-hidden="true">{predictions[i]}</b>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Boundary(props: { readonly probe: ProbeOf<'boundary'> }) {
  const t = useText();
  const { pointCloud } = useLab();
  const { data, seed } = useLabState((state) => state.run.experiment ?? state.experiment);
  const theme = useTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  // The theme is a dependency because the colours are read from it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => {
    if (!canvas.current || data.name === 'mnist' || data.name === 'moby-dick') return;
    drawBoundary(canvas.current, props.probe, pointCloud(data, seed));
  }, [props.probe, data, seed, pointCloud, theme]);
  return (
    <>
      <div className="between">
        <span>{t('page.boundary.title')}</span>
        <span className="classes">
          <span className="key class-0">{t('page.boundary.class', { label: 0 })}</span>
          <span className="key class-1">{t('page.boundary.class', { label: 1 })}</span>
        </span>
      </div>
      <canvas
        ref={canvas}
        className="boundary"
        width={600}
        height={600}
        role="img"
        aria-label={t('page.boundary.sentence')}
      />
    </>
  );
}

function Prose(props: { readonly probe: ProbeOf<'text'> }) {
  const t = useText();
  return (
    <>
      <div className="between">
        <span>{t('page.text.title')}</span>
      </div>
      {/* Focusable, so that the keyboard can scroll what does not fit. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
      <p className="written" lang="en" tabIndex={0}>
        <b className="prompt">{props.probe.prompt}</b>
        {props.probe.text}
      </p>
    </>
  );
}

function Waiting() {
  const t = useText();
  const name = useLabState((state) => state.experiment.data.name);
  const kind = name === 'mnist' ? 'digits' : name === 'moby-dick' ? 'text' : 'boundary';
  return <p className="waiting">{t(`page.waiting.${kind}`)}</p>;
}

/** Back-ends that gave way during the run: a fact of it, so it stays on the page. */
function Fallbacks() {
  const t = useText();
  const fallbacks = useLabState((state) => state.run.fallbacks);
  const last = fallbacks.at(-1);
  if (!last) return null;
  return (
    <p className="fallback">
      <AlertIcon />
      {t('page.fallback', { rank: last.rank, step: last.step, from: last.from, to: last.to })}
    </p>
  );
}

export function TaskView() {
  const probe = useLabState((state) => state.probe);
  return (
    <div className="task-view">
      <Fallbacks />
      {probe === null && <Waiting />}
      {probe?.kind === 'digits' && <Digits probe={probe} />}
      {probe?.kind === 'boundary' && <Boundary probe={probe} />}
      {probe?.kind === 'text' && <Prose probe={probe} />}
    </div>
  );
}
