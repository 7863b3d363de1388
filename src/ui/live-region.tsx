/** @file Tells a screen reader what changes, at most every five seconds. */

import { useEffect, useRef, useState } from 'react';
import type { LabStore } from '#state/lab-store';
import { throttle } from '#state/throttle';
import { loss, percent } from './format.ts';
import { type Text, useLab, useText } from './lab-context.ts';

const INTERVAL_MS = 5000;

function sentence(t: Text, store: LabStore): string {
  const { run } = store.getState();
  const { lastStep, lastEval, completed } = store.series.live();
  if (run.status === 'idle') return '';
  if (run.status === 'preparing') return t('page.live.preparing');
  if (!lastStep) return t(`page.status.${run.status}`);
  return t('page.live.step', {
    status: t(`page.status.${run.status}`),
    step: completed,
    loss: loss(t.locale, lastStep.loss),
    accuracy: lastEval ? percent(t.locale, lastEval.accuracy) : '\u2013',
  });
}

export function LiveRegion() {
  const t = useText();
  const { store } = useLab();
  const [spoken, setSpoken] = useState('');
  const speak = useRef(() => {});
  speak.current = () => setSpoken(sentence(t, store));
  useEffect(() => {
    const say = throttle(() => speak.current(), INTERVAL_MS);
    // A change of the low-rate side is worth a word; every step is not.
    return store.subscribe((state, before) => {
      const { status, evaluation } = state.run;
      if (status !== before.run.status || evaluation !== before.run.evaluation) say();
    });
  }, [store]);
  return (
    <p className="visually-hidden" aria-live="polite" data-live>
      {spoken}
    </p>
  );
}
