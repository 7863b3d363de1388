/** @file The right panel: what came of it, and where the time and the bytes went. */

import { useState } from 'react';
import { stepSplit } from '#state/selectors';
import type { Axis } from './chart-math.ts';
import { ClusterTime, RankNews } from './cluster-time.tsx';
import {
  bytes,
  duration,
  type Figure,
  figure,
  loss,
  percent,
  rate,
  wholePercents,
} from './format.ts';
import { InfoIcon } from './icons.tsx';
import { useLab, useLabState, useLive, useText } from './lab-context.ts';
import { LearningCharts } from './learning-chart.tsx';
import { Popover } from './popover.tsx';
import { Segments } from './segments.tsx';
import { TaskView } from './task-view.tsx';

/** Records that the split averages over. */
const SPLIT_RECORDS = 30;
const NONE = '\u2013';

interface KpiProps {
  readonly label: string;
  readonly figure: Figure;
  readonly small?: boolean;
}

function Kpi(props: KpiProps) {
  return (
    <div className="kpi">
      <dt>{props.label}</dt>
      <dd className={props.small ? 'big small' : 'big'}>
        {props.figure.value} {props.figure.unit !== '' && <small>{props.figure.unit}</small>}
      </dd>
    </div>
  );
}

function Results() {
  const t = useText();
  const { lastStep, lastEval } = useLive();
  const accuracy: Figure = lastEval
    ? { value: percent(t.locale, lastEval.accuracy), unit: '%' }
    : { value: NONE, unit: '' };
  const trainLoss: Figure = lastStep
    ? { value: loss(t.locale, lastStep.loss), unit: t('page.kpi.nats') }
    : { value: NONE, unit: '' };
  return (
    <dl className="kpis">
      <Kpi label={t('page.kpi.accuracy')} figure={accuracy} />
      <Kpi label={t('page.kpi.loss')} figure={trainLoss} />
    </dl>
  );
}

function Traffic() {
  const t = useText();
  const live = useLive();
  const sent = live.lastStep ? Math.max(0, ...live.lastStep.bytesPerRank) : null;
  return (
    <dl className="kpis">
      <Kpi
        small
        label={t('page.kpi.sent')}
        figure={sent === null ? { value: NONE, unit: '' } : bytes(t.locale, sent)}
      />
      <Kpi
        small
        label={t('page.kpi.rate')}
        figure={{
          value: live.samplesPerSecond > 0 ? rate(t.locale, live.samplesPerSecond) : NONE,
          unit: '',
        }}
      />
    </dl>
  );
}

const PARTS = ['compute', 'communicate', 'update', 'other'] as const;

function Split() {
  const t = useText();
  const { series } = useLab().store;
  useLive();
  const split = stepSplit(series.wall().slice(-SPLIT_RECORDS));
  const percents = split && wholePercents(PARTS.map((part) => split[part] / split.total));
  return (
    <div className="split">
      <div className="between">
        <span className="with-info">
          {t('page.split.title')}
          <Popover
            buttonClass="info"
            icon={<InfoIcon />}
            label={t('page.info', { label: t('page.split.title') })}
          >
            {t('page.split.about')}
          </Popover>
        </span>
        <span>
          {t('page.clock.wall')}
          {split && <b>, {figure(duration(t.locale, split.total))}</b>}
        </span>
      </div>
      <div className="split-bar" aria-hidden="true">
        {split &&
          PARTS.map((part) => (
            <i key={part} className={part} style={{ flexGrow: split[part] / split.total }} />
          ))}
      </div>
      <ul className="split-parts">
        {PARTS.map((part, i) => (
          <li key={part} className={`key ${part}`}>
            {t(`page.split.${part}`)} <b>{percents ? `${percents[i]}\u00a0%` : NONE}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The charts in words, renewed with each evaluation. */
function ChartSentence() {
  const t = useText();
  const evaluation = useLabState((state) => state.run.evaluation);
  return (
    <p className="visually-hidden">
      {evaluation
        ? t('page.chart.sentence', {
            step: evaluation.step,
            trainLoss: loss(t.locale, evaluation.trainLoss),
            testLoss: loss(t.locale, evaluation.loss),
            trainAccuracy: percent(t.locale, evaluation.trainAccuracy),
            testAccuracy: percent(t.locale, evaluation.accuracy),
          })
        : t('page.chart.sentenceNone')}
    </p>
  );
}

export function HappenedPanel() {
  const t = useText();
  const [axis, setAxis] = useState<Axis>('step');
  return (
    <section className="panel happened" aria-labelledby="happened-title">
      <div className="panel-head">
        <h2 id="happened-title">{t('page.happened.title')}</h2>
      </div>
      <Results />
      <div className="charts">
        <div className="chart-axis">
          <Segments
            bare
            label={t('page.chart.axis')}
            value={axis}
            choices={(['step', 'samples'] as const).map((value) => ({
              value,
              label: t(`page.chart.by.${value}`),
            }))}
            onChoose={(value) => setAxis(value === 'samples' ? 'samples' : 'step')}
          />
        </div>
        <LearningCharts axis={axis} />
        <ChartSentence />
      </div>
      <Split />
      <ClusterTime />
      <RankNews />
      <Traffic />
      <TaskView />
    </section>
  );
}
