/** @file The left panel: what was chosen. Groups fold; a closed one still says what it holds. */

import type { ReactNode } from 'react';
import { CLUSTER_FIELDS } from '#experiment/cluster-fields';
import type { Experiment } from '#experiment/experiment';
import { type FieldPath, findField, isPresent } from '#experiment/fields';
import { valueAt } from '#state/draft';
import { hasPendingEdits, problemsAt } from '#state/selectors';
import { FieldRow } from './field-row.tsx';
import { syncSummary } from './field-words.ts';
import { count } from './format.ts';
import { Group } from './group.tsx';
import { AlertIcon, DiceIcon } from './icons.tsx';
import { type Text, useLab, useLabState, useText } from './lab-context.ts';
import { MachineChoice, machineSummary } from './machine-choice.tsx';
import { AugmentationFacts, NoiseFacts } from './measured-facts.tsx';
import { ModelChoice } from './model-choice.tsx';
import { PrecisionFacts } from './precision-facts.tsx';
import { TaskCards } from './task-card.tsx';

const GROUP_FIELDS = {
  task: [
    'data.size',
    'data.augment',
    'data.samples',
    'data.noise',
    'model.hidden',
    'model.activation',
    'model.channels',
    'model.dense',
    'model.norm',
    'model.width',
    'model.heads',
    'model.depth',
    'model.context',
  ],
  dataParallel: [
    'replicas',
    'batchPerRank',
    'learningRate.base',
    'learningRate.warmupSteps',
    'learningRate.scaling',
    'learningRate.referenceBatch',
    'learningRate.decay',
    'learningRate.milestones',
    'learningRate.factor',
    'accumulation.microBatches',
    'accumulation.noSync',
    'measure.noiseScale',
  ],
  optimizer: [
    'optimizer.kind',
    'optimizer.momentum',
    'optimizer.nesterov',
    'optimizer.beta1',
    'optimizer.beta2',
    'optimizer.epsilon',
    'optimizer.trustCoefficient',
    'optimizer.weightDecay',
    'clipNorm',
  ],
  communication: [
    'communication.collective',
    'communication.ranksPerNode',
    'communication.combine',
    'sync.kind',
    'sync.period',
    'sync.warmupSteps',
    'sync.outerRate',
    'sync.outerMomentum',
    'sync.bound',
    'sync.splits',
    'sync.stalenessAware',
    'sync.backups',
    'sync.balance',
    'sync.slowdowns',
    'sync.jitter',
    'compression.kind',
    'compression.format',
    'compression.ratio',
    'compression.scope',
    'compression.errorFeedback',
    'compression.scaled',
    'compression.momentum',
    'compression.nesterov',
    'compression.clipNorm',
    'compression.warmUp',
    'compression.levels',
    'compression.bucketSize',
    'compression.coding',
    'compression.clipDeviations',
    'compression.rank',
    'compression.startStep',
    'compression.minCompressionRate',
    'compression.warmStart',
    'transport',
    'buckets.rule',
    'buckets.firstMiB',
    'buckets.capMiB',
    'buckets.fusionMiB',
  ],
  mistakes: [
    'mistakes.sumNotMean',
    'mistakes.noErrorFeedback',
    'mistakes.noSetEpoch',
    'mistakes.noBroadcast',
    'mistakes.equalAugmentation',
    'mistakes.unequalBatches',
    'mistakes.noLossScaling',
    'mistakes.clipBeforeUnscale',
    'mistakes.pureLowWeights',
    'mistakes.unsyncedModule',
    'mistakes.noBufferBroadcast',
  ],
  precision: [
    'precision.format',
    'precision.masterWeights',
    'lossScaling.kind',
    'lossScaling.scale',
    'lossScaling.growthInterval',
  ],
  recovery: [
    'recovery.policy',
    'recovery.commitEvery',
    'recovery.timeoutSeconds',
    'recovery.joinSeconds',
    'recovery.faults',
  ],
  cluster: [...CLUSTER_FIELDS.map(({ path }) => path), 'stragglers'],
  machine: ['backend'],
  run: ['duration.unit', 'duration.count', 'checkpointing', 'evalEvery', 'logEvery', 'seed'],
} as const satisfies Record<string, readonly FieldPath[]>;

type GroupName = keyof typeof GROUP_FIELDS;

function summaryOf(t: Text, name: GroupName, experiment: Experiment): string {
  const { data, optimizer, duration } = experiment;
  switch (name) {
    case 'task':
      if (data.name === 'mnist') return t(`page.summary.mnist.${data.size}`);
      if (data.name === 'moby-dick') return t('page.summary.text');
      return t('page.summary.points', { count: data.samples });
    case 'dataParallel':
      return t('page.summary.effectiveBatch', {
        count: experiment.replicas * experiment.batchPerRank,
      });
    case 'optimizer': {
      const kind = t(`choice.optimizer.kind.${optimizer.kind}`);
      return 'momentum' in optimizer
        ? t('page.summary.sgd', { kind, momentum: optimizer.momentum })
        : t('page.summary.adam', { kind, beta2: optimizer.beta2 });
    }
    case 'communication':
      return communicationSummary(t, experiment);
    case 'mistakes': {
      const made = Object.values(experiment.mistakes).filter(Boolean).length;
      return made === 0
        ? t('page.summary.noMistakes')
        : t('page.summary.mistakes', { count: made });
    }
    case 'precision': {
      const { format } = experiment.precision;
      const name = t(`choice.precision.format.${format}`);
      return format === 'fp32' ? name : t('page.summary.emulated', { format: name });
    }
    case 'recovery': {
      const { policy, faults } = experiment.recovery;
      const name = t(`choice.recovery.policy.${policy}`);
      return faults.length === 0 ? name : t('page.summary.faultScript', { count: faults.length });
    }
    case 'cluster':
      return t(`choice.cluster.preset.${experiment.cluster.preset}`);
    case 'machine':
      return t(`page.short.backend.${experiment.backend}`);
    case 'run':
      return t('page.summary.run', {
        duration: t(`unit.${duration.unit}`, { count: duration.count }),
        seed: experiment.seed,
      });
  }
}

/** The ring and its transport, or what is unusual about the exchange. */
function communicationSummary(t: Text, experiment: Experiment): string {
  const { communication, compression, sync, transport } = experiment;
  if (sync.kind !== 'allReduce') return syncSummary(t, sync);
  const collective = t(`choice.communication.collective.${communication.collective}`);
  if (compression.kind !== 'none') {
    const kind = t(`choice.compression.kind.${compression.kind}`);
    return t('page.summary.exchange', { collective, kind });
  }
  return communication.collective === 'ring' ? t(`page.summary.ring.${transport}`) : collective;
}

function Fields(props: { readonly paths: readonly FieldPath[] }) {
  const draft = useLabState((state) => state.draft);
  const shown = props.paths.filter((path) => {
    const field = findField(path);
    return field !== undefined && isPresent(field, (at) => valueAt(draft, at));
  });
  return shown.map((path) => <FieldRow key={path} path={path} />);
}

interface SectionProps {
  readonly name: GroupName;
  readonly title: string;
  readonly open?: boolean;
  readonly summary?: string;
  readonly children?: ReactNode;
}

function Section(props: SectionProps) {
  const t = useText();
  const experiment = useLabState((state) => state.experiment);
  const problems = useLabState((state) => state.problems);
  const paths: readonly FieldPath[] = GROUP_FIELDS[props.name];
  const faults = paths.flatMap((path) => problemsAt(problems, path)).length;
  const summary =
    faults > 0
      ? t('page.summary.faults', { count: faults })
      : (props.summary ?? summaryOf(t, props.name, experiment));
  return (
    <Group name={props.title} summary={summary} open={props.open ?? false} faulty={faults > 0}>
      {props.children}
      {props.name !== 'machine' && <Fields paths={paths} />}
      {props.name === 'run' && <SeedButton />}
    </Group>
  );
}

/** What holds for the next run: faults to mend, or edits that wait for it. */
function Notice() {
  const t = useText();
  const { actions } = useLab().store;
  const problems = useLabState((state) => state.problems.length);
  const pending = useLabState((state) => hasPendingEdits(state.experiment, state.run));
  if (problems > 0) {
    return (
      <div className="notice faulty" role="status">
        <AlertIcon />
        <p>{t('page.notice.problems', { count: problems })}</p>
      </div>
    );
  }
  if (!pending) return null;
  return (
    <div className="notice" role="status">
      <p>{t('page.notice.pending')}</p>
      <button type="button" className="button small" onClick={actions.restart}>
        {t('page.notice.restart')}
      </button>
    </div>
  );
}

/** A number from the browser's own source: it names a run, and is kept in the experiment. */
function newSeed(): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 1_000_000;
}

function SeedButton() {
  const t = useText();
  const { actions } = useLab().store;
  return (
    <button
      type="button"
      className="button small new-seed"
      onClick={() => actions.edit('seed', newSeed())}
    >
      <DiceIcon />
      {t('page.seed.new')}
    </button>
  );
}

/** Steps an epoch and bytes of the model, once a run has said so. */
function RunFacts() {
  const t = useText();
  const info = useLabState((state) => state.run.info);
  if (!info) return null;
  return (
    <p className="note facts">
      {t('page.facts', {
        parameters: count(t.locale, info.parameters),
        steps: count(t.locale, info.stepsPerEpoch),
      })}
    </p>
  );
}

export function ExperimentPanel() {
  const t = useText();
  const { actions } = useLab().store;
  const experiment = useLabState((state) => state.experiment);
  const timings = useLabState((state) => state.run.timings);
  const info = useLabState((state) => state.run.info);
  return (
    <section className="panel experiment" aria-labelledby="experiment-title">
      <div className="panel-head">
        <h2 id="experiment-title">{t('page.experiment.title')}</h2>
        <span className="about">{t('page.experiment.about')}</span>
      </div>
      <div className="groups">
        <Section name="task" title={t('group.task')} open>
          <TaskCards value={experiment.data.name} onChoose={actions.chooseTask} />
          <ModelChoice />
        </Section>
        <Section name="dataParallel" title={t('group.dataParallel')} open>
          <NoiseFacts />
        </Section>
        <Section name="optimizer" title={t('group.optimizer')} />
        <Section name="communication" title={t('group.communication')} />
        <Section name="precision" title={t('group.precision')}>
          <PrecisionFacts />
        </Section>
        <Section
          name="machine"
          title={t('page.machine.title')}
          summary={machineSummary(t, experiment, info, timings)}
        >
          <MachineChoice />
        </Section>
        <Section name="cluster" title={t('group.cluster')} />
        <Section name="recovery" title={t('group.recovery')} />
        <Section name="mistakes" title={t('group.mistakes')}>
          <AugmentationFacts />
        </Section>
        <Section name="run" title={t('group.run')} />
        <RunFacts />
      </div>
      <Notice />
    </section>
  );
}
