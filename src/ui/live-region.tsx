/** @file Tells a screen reader what changes, at most every five seconds. */

import { useEffect, useState } from 'react';
import type { RunStatus } from '#run/service';
import type { LabStore } from '#state/lab-store';
import { throttle } from '#state/throttle';
import { loss, percent } from './format.ts';
import { type Text, useLab, useText } from './lab-context.ts';

const INTERVAL_MS = 5000;

/** What the last sentence said, so that it can be said in another language. */
interface Spoken {
  readonly status: RunStatus;
  readonly completed: number;
  readonly loss: number | null;
  readonly accuracy: number | null;
}

function spokenOf(store: LabStore): Spoken {
  const { lastStep, lastEval, completed } = store.series.live();
  return {
    status: store.getState().run.status,
    completed,
    loss: lastStep?.loss ?? null,
    accuracy: lastEval?.accuracy ?? null,
  };
}

function sentence(t: Text, spoken: Spoken): string {
  if (spoken.status === 'idle') return '';
  if (spoken.status === 'preparing') return t('page.live.preparing');
  if (spoken.loss === null) return t(`page.status.${spoken.status}`);
  return t('page.live.step', {
    status: t(`page.status.${spoken.status}`),
    step: spoken.completed,
    loss: loss(t.locale, spoken.loss),
    accuracy: spoken.accuracy === null ? '\u2013' : percent(t.locale, spoken.accuracy),
  });
}

export function LiveRegion() {
  const t = useText();
  const { store } = useLab();
  const [spoken, setSpoken] = useState(() => spokenOf(store));
  useEffect(() => {
    const say = throttle(() => setSpoken(spokenOf(store)), INTERVAL_MS);
    // A change of the low-rate side is worth a word; every step is not.
    return store.subscribe((state, before) => {
      const { status, evaluation } = state.run;
      if (status !== before.run.status || evaluation !== before.run.evaluation) say();
    });
  }, [store]);
  return (
    <p className="visually-hidden" aria-live="polite" data-live>
      {sentence(t, spoken)}
    </p>
  );
}
