/** @file Which backend computes, with what each was measured to take, and why one was left out. */
import type { Experiment } from '#experiment/experiment';
import type { BackendTiming } from '#protocol/replica';
import type { RunEvent } from '#run/log';
import { measuresTheSame, problemsAt } from '#state/selectors';
import { FieldProblems } from './field-row.tsx';
import { duration, figure } from './format.ts';
import { type Text, useLab, useLabState, useText } from './lab-context.ts';

const CHOICES = ['auto', 'fused', 'webgpu', 'webgl', 'wasm', 'cpu'] as const;
/** Backends whose device is a way to compute; the others name a GPU. */
const WITHOUT_GPU = ['fused', 'wasm', 'cpu'] as const;

export function shortName(t: Text, backend: string): string {
  const known = CHOICES.find((choice) => choice === backend);
  return known ? t(`page.short.backend.${known}`) : backend;
}

/** What was chosen, and once this very work has run on it, what it came to and took. */
export function machineSummary(
  t: Text,
  experiment: Experiment,
  info: RunEvent | null,
  timings: readonly BackendTiming[],
): string {
  const choice = experiment.backend;
  const holds = info?.experiment.backend === choice && measuresTheSame(experiment, info.experiment);
  if (!holds) return shortName(t, choice);
  const stepMs = timings.find((timing) => timing.backend === info.backend)?.stepMs ?? null;
  const name = shortName(t, info.backend);
  return stepMs === null ? name : `${name}, ${figure(duration(t.locale, stepMs))}`;
}

/** The engines' usual reasons; any other is shown as it came. */
const REASONS = new Map([
  ['this browser gives no WebGL 2 context', 'page.reason.noWebgl'],
  ['this browser has no WebGPU', 'page.reason.noWebgpu'],
  ['the browser has WebGPU but found no GPU for it', 'page.reason.noGpu'],
] as const);

function reasonOf(t: Text, { backend, reason }: BackendTiming): string {
  const bare = reason.replace(`${backend}: `, '');
  for (const [text, key] of REASONS) if (text === bare) return t(key);
  return bare;
}

function deviceName(t: Text, { backend, device }: BackendTiming): string {
  const known = WITHOUT_GPU.find((name) => name === backend);
  return known ? t(`page.device.${known}`) : device;
}

function Measured(props: { readonly timing: BackendTiming | undefined; readonly best: boolean }) {
  const t = useText();
  const { timing, best } = props;
  if (!timing) return null;
  if (timing.stepMs === null) {
    const reason = reasonOf(t, timing);
    const verdict = timing.verdict === 'timed' ? 'unusable' : timing.verdict;
    return <span className="left-out">{t(`page.machine.${verdict}`, { reason })}</span>;
  }
  return (
    <span className={best ? 'measured best' : 'measured'}>
      {t('page.machine.step', { time: figure(duration(t.locale, timing.stepMs)) })}
      <span className="device">{deviceName(t, timing)}</span>
    </span>
  );
}

export function MachineChoice() {
  const t = useText();
  const { actions } = useLab().store;
  const chosen = useLabState((state) => state.experiment.backend);
  const fresh = useLabState((state) => measuresTheSame(state.experiment, state.run.experiment));
  const measured = useLabState((state) => state.run.timings);
  const timings = fresh ? measured : [];
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
            <span className="machine-name">
              {choice === 'auto' ? t('choice.backend.auto') : shortName(t, choice)}
            </span>
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
