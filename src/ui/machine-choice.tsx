/** @file Which backend computes, with what each was measured to take, and why one was left out. */
import type { Experiment } from '#experiment/experiment';
import type { BackendTiming } from '#protocol/replica';
import type { RunEvent } from '#run/log';
import { problemsAt } from '#state/selectors';
import { FieldProblems } from './field-row.tsx';
import { duration, figure } from './format.ts';
import { type Text, useLab, useLabState, useText } from './lab-context.ts';

const CHOICES = ['auto', 'fused', 'webgpu', 'webgl', 'wasm', 'cpu'] as const;
type BackendChoice = Experiment['backend'];

function shortName(t: Text, backend: string): string {
  const known = CHOICES.find((choice) => choice === backend);
  return known ? t(`page.short.backend.${known}`) : backend;
}

/** What was chosen, and once it has run, what it came to and took. */
export function machineSummary(
  t: Text,
  choice: BackendChoice,
  info: RunEvent | null,
  timings: readonly BackendTiming[],
): string {
  if (!info || info.experiment.backend !== choice) return shortName(t, choice);
  const stepMs = timings.find((timing) => timing.backend === info.backend)?.stepMs ?? null;
  const name = shortName(t, info.backend);
  return stepMs === null ? name : `${name}, ${figure(duration(t.locale, stepMs))}`;
}

function Measured(props: { readonly timing: BackendTiming | undefined; readonly best: boolean }) {
  const t = useText();
  const { timing, best } = props;
  if (!timing) return null;
  if (timing.stepMs === null) {
    const reason = timing.reason.replace(`${timing.backend}: `, '');
    return <span className="left-out">{reason}</span>;
  }
  return (
    <span className={best ? 'measured best' : 'measured'}>
      {t('page.machine.step', { time: figure(duration(t.locale, timing.stepMs)) })}
      <span className="device">{timing.device}</span>
    </span>
  );
}

export function MachineChoice() {
  const t = useText();
  const { actions } = useLab().store;
  const chosen = useLabState((state) => state.experiment.backend);
  const timings = useLabState((state) => state.run.timings);
  const used = useLabState((state) => state.run.info?.backend);
  const problems = problemsAt(
    useLabState((state) => state.problems),
    'backend',
  );
  return (
    <>
      <div className="machines" role="radiogroup" aria-label={t('field.backend.label')}>
        {CHOICES.map((choice) => (
          <label key={choice} className="machine">
            <input
              className="radio"
              type="radio"
              name="backend"
              checked={choice === chosen}
              onChange={() => actions.edit('backend', choice)}
            />
            <span className="machine-name">{t(`choice.backend.${choice}`)}</span>
            <Measured
              timing={timings.find((timing) => timing.backend === choice)}
              best={choice === used}
            />
          </label>
        ))}
      </div>
      {problems.length > 0 && <FieldProblems id="backend-problems" problems={problems} />}
      <p className="note">
        {timings.length > 0 ? t('page.machine.measured') : t('page.machine.about')}
      </p>
    </>
  );
}
