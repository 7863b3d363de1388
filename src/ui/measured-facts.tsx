/** @file What the run on the page measures beside its losses: noise scale, different augmentations. */
import { count } from './format.ts';
import { useLabState, useLive, useText } from './lab-context.ts';

/** Nothing where the noise scale is not measured. */
export function NoiseFacts() {
  const t = useText();
  const record = useLive().lastStep?.noiseScale;
  const experiment = useLabState((state) => state.run.experiment);
  if (record === undefined || experiment === null) return null;
  const { samples } = record;
  const batch = experiment.replicas * experiment.batchPerRank;
  return (
    <p className="note facts">
      {samples === null
        ? t('page.noise.unsettled')
        : t('page.noise.now', {
            samples: count(t.locale, Math.round(samples)),
            batch: count(t.locale, batch),
          })}
    </p>
  );
}

/** Nothing where nothing is augmented. */
export function AugmentationFacts() {
  const t = useText();
  const step = useLive().lastStep;
  if (step?.augmentations === undefined) return null;
  const ranks = step.lossPerRank.filter((loss) => loss !== null).length;
  return (
    <p className="note facts">{t('page.augmentations', { count: step.augmentations, ranks })}</p>
  );
}
