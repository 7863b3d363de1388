/** @file docs/validation.md: published measurements beside what the models give. */
import {
  type CollectiveRow,
  figureError,
  type Medians,
  median,
  type ScalingRow,
  stepError,
  type Validation,
  validate,
} from './validation.ts';

const HEAD = `# Validation of the cluster clock's prices

Made by \`npm run validation\` from \`src/sim\`; \`src/sim/validation.test.ts\` asserts the medians. Every
second series was left out of the fit. Parameters were set by hand on the fitted ones, from causes
(NCCL's own constants, sheets, link rates), without any search; the left-out series could be seen
meanwhile, so they are no blind test. A cause stands beside every row above 20 %. Of MPT two points are
missing that their source has as outliers or with accumulation: 1.3B on 32 A100, 13B on 8.

Scaling series are calibrated on their first point alone (one factor on the device's compute) and
judged on the overhead beyond it: seconds a sample and rank, over those of the first point, less one.
Two null models stand beside: perfect scaling (no overhead), and one latency and one bandwidth,
nothing hidden, on the narrowest link's nominal rate.
`;

const LARGE = 0.2;
const percent = (share: number, digits = 1): string => (100 * share).toFixed(digits);
const signed = (share: number): string => `${share >= 0 ? '+' : ''}${percent(share)}`;

/** Text of docs/validation.md. */
export function validationDocument(): string {
  const validation = validate();
  return [
    HEAD,
    summary(validation),
    collectiveSection(validation.collectives),
    scalingSection(validation.scaling),
    singleSection(validation),
  ].join('\n');
}

function summary({ fitted, leftOut }: Validation): string {
  const row = (name: string, pick: (medians: Medians) => number) =>
    `| ${name} | ${percent(pick(fitted), 2)} | ${percent(pick(leftOut), 2)} |`;
  return [
    '## Medians, %\n',
    'Over all points of all series.\n',
    '| | fitted | left out |\n|---|---|---|',
    row('time of a collective, relative error', (each) => each.collectives),
    row('time of a step in scaling series, relative error', (each) => each.scalingSteps),
    row('single figures, relative error', (each) => each.singles),
    row('all of these together', (each) => each.all),
    row('overhead of scaling, points of the first step', (each) => each.overhead),
    row('the same, perfect scaling', (each) => each.overheadOfPerfect),
    row('the same, one latency and one bandwidth', (each) => each.overheadOfLinear),
    '',
  ].join('\n');
}

const partOf = (fitted: boolean): string => (fitted ? 'fitted' : 'left out');

function collectiveSection(rows: readonly CollectiveRow[]): string {
  const lines = rows.map(({ series, points }) => {
    const errors = points.map(({ error }) => Math.abs(error));
    const text = points
      .map(({ size, predictedUs, measuredUs, error }) => {
        return `${size} ${micro(predictedUs)} / ${micro(measuredUs)} (${signed(error)})`;
      })
      .join('; ');
    const large = points.filter(({ error }) => Math.abs(error) > LARGE).map(({ size }) => size);
    const cause =
      large.length === 0 ? '' : `${large.join(', ')}: ${series.cause ?? PROTOCOL_CAUSE}`;
    const cells = [
      series.id,
      series.what,
      partOf(series.fitted),
      percent(median(errors)),
      text,
      cause,
    ];
    return `| ${[...cells, series.source].join(' | ')} |`;
  });
  return `## All-reduce, us\n\nPredicted / measured (error, %).\n\n| id | set-up | | median error, % | points | cause | source |\n|---|---|---|---|---|---|---|\n${lines.join('\n')}\n`;
}

const PROTOCOL_CAUSE =
  'where one protocol gives way to the next; NCCL takes fewer channels and threads for such sizes, and its own choice is not always the fastest.';

const micro = (value: number): string =>
  value >= 100 ? Math.round(value).toString() : value.toFixed(1);

function scalingSection(rows: readonly ScalingRow[]): string {
  const lines = rows.map(({ series, points }) => {
    const text = points
      .map(({ ranks, predicted, measured, linear }) => {
        return `${ranks}: ${percent(predicted)} / ${percent(measured)} [${percent(linear)}]`;
      })
      .join('; ');
    const step = median(points.map(stepError));
    const overhead = median(
      points.map(({ predicted, measured }) => Math.abs(predicted - measured)),
    );
    const isLarge = points.some(
      ({ predicted, measured }) => Math.abs(predicted - measured) > LARGE * Math.abs(measured),
    );
    const cells = [
      series.id,
      series.what,
      partOf(series.fitted),
      percent(step),
      percent(overhead),
      text,
    ];
    return `| ${[...cells, isLarge ? (series.cause ?? '') : '', series.source].join(' | ')} |`;
  });
  return `## Scaling\n\nOverhead in %, predicted / measured [one latency and one bandwidth], by ranks. A cause stands where the overhead itself is off by more than 20 %.\n\n| id | workload | | median error of the step, % | median error of the overhead, points | points | cause | source |\n|---|---|---|---|---|---|---|---|\n${lines.join('\n')}\n`;
}

function singleSection({ singles }: Validation): string {
  const lines = singles.map((each) => {
    const { id, what, fitted, unit, measured, predicted, cause, source } = each;
    const error = predicted === null ? '' : signed(predicted / measured - 1);
    const shown = (figureError(each) ?? 1) > LARGE ? (cause ?? '') : '';
    const given = predicted === null ? 'not priced' : Number(predicted.toPrecision(4));
    const figures = [given, Number(measured.toPrecision(4)), unit, error];
    return `| ${[id, what, partOf(fitted), ...figures, shown, source].join(' | ')} |`;
  });
  return `## Single figures\n\n| id | what | | predicted | measured | unit | error, % | cause | source |\n|---|---|---|---|---|---|---|---|---|\n${lines.join('\n')}\n`;
}
