/** @file The middle of the ring: preparation, failure, or the all-reduce and its agreement. */

import { isGathered } from '#experiment/communication-rules';
import type { Experiment } from '#experiment/experiment';
import type { RunEvent } from '#run/log';
import type { Preparation } from '#run/service';
import { agreementOf, FLOAT_BYTES, gradientBytes, ringBound } from '#state/selectors';
import { AgreementLine } from './agreement.tsx';
import { FailureText } from './failure.tsx';
import { syncSummary } from './field-words.ts';
import { bytes, count, figure } from './format.ts';
import { type Text, useLab, useLabState, useLive, useText } from './lab-context.ts';
import { shortName } from './machine-choice.tsx';

const STAGES = ['data', 'replicas', 'backends', 'broadcast'] as const;

function Preparing(props: { readonly preparation: Preparation | null }) {
  const t = useText();
  const { actions } = useLab().store;
  const { preparation } = props;
  const stage = preparation ? STAGES.indexOf(preparation.stage) : 0;
  const { progress = null, backend = null } = preparation ?? {};
  const part = progress === null ? null : progress.done / progress.total;
  const name = t(`page.stage.${STAGES[stage] ?? 'data'}`);
  return (
    <div className="preparing">
      <p className="centre-small">{t('page.preparing', { stage: stage + 1, of: STAGES.length })}</p>
      <p className="centre-big">{name}</p>
      {/* No value: the browser shows that work goes on without saying how much. */}
      <progress
        className="progress"
        aria-label={name}
        {...(part === null ? {} : { value: part })}
      />
      <p className="centre-small detail">
        {backend !== null && shortName(t, backend)}
        {backend === null && progress !== null && t('page.stage.files', progress)}
      </p>
      <button type="button" className="button small" onClick={actions.stop}>
        {t('page.stop')}
      </button>
    </div>
  );
}

function Idle(props: { readonly replicas: number }) {
  const t = useText();
  return (
    <>
      <p className="centre-big">{t('page.idle.title', { count: props.replicas })}</p>
      <p className="centre-small prose-width">{t('page.idle.about', { count: props.replicas })}</p>
    </>
  );
}

/** What runs between the replicas; a compressor's payloads may be gathered instead of summed. */
function collectiveName({ communication, compression, sync }: Experiment) {
  if ('period' in sync) return 'page.collective.weights' as const;
  if (isGathered(compression.kind)) return 'page.collective.gather' as const;
  if (communication.combine === 'adasum') return 'page.collective.adasum' as const;
  return `page.collective.${communication.collective}` as const;
}

/** In how many buckets, compressed how, or how often. */
function exchanged(t: Text, { experiment, bucketBytes }: RunEvent): string {
  const { compression, sync } = experiment;
  if (sync.kind !== 'allReduce') return syncSummary(t, sync);
  const buckets = t('page.collective.buckets', { count: bucketBytes.length });
  if (compression.kind === 'none') return buckets;
  return t('page.collective.compressed', {
    kind: t(`choice.compression.kind.${compression.kind}`),
    buckets,
  });
}

/**
 * Whether a plain ring sent visibly more than the bound, and no more than chunks of unequal size
 * explain: in each of 2 (N-1) rounds a chunk is longer by at most one float.
 */
function isUneven(t: Text, { experiment, bucketBytes }: RunEvent, sent: number, bound: number) {
  const { communication, compression, replicas, sync } = experiment;
  const plain = compression.kind === 'none' && sync.kind === 'allReduce';
  if (!plain || communication.collective !== 'ring') return false;
  const most = bound + 2 * (replicas - 1) * FLOAT_BYTES * bucketBytes.length;
  const seen = figure(bytes(t.locale, sent)) !== figure(bytes(t.locale, bound));
  return seen && sent > bound && sent <= most;
}

function Collective(props: { readonly replicas: number }) {
  const t = useText();
  const live = useLive();
  const info = useLabState((state) => state.run.info);
  const disagreement = useLabState((state) => state.run.disagreement);
  if (!info) return null;
  const sent = Math.max(0, ...(live.lastStep?.bytesPerRank ?? []));
  const bound = ringBound(props.replicas, info.parameters);
  const alone = props.replicas === 1;
  return (
    <>
      <p className="centre-small">{alone ? t('page.collective.alone') : exchanged(t, info)}</p>
      <p className="centre-big">
        {alone ? t('page.collective.none') : t(collectiveName(info.experiment))}
      </p>
      {!alone && (
        <div className="sent">
          <p className="sent-figure">
            <b>{figure(bytes(t.locale, sent))}</b> {t('page.collective.sent')}
          </p>
          <meter
            className="sent-bar"
            min={0}
            max={bound}
            value={Math.min(sent, bound)}
            aria-label={t('page.collective.meter')}
          />
          <p className="centre-small">
            {t(
              isUneven(t, info, sent, bound) ? 'page.collective.uneven' : 'page.collective.bound',
              {
                bound: figure(bytes(t.locale, bound)),
                gradient: figure(bytes(t.locale, gradientBytes(info))),
                rounds: count(t.locale, 2 * (props.replicas - 1)),
                replicas: props.replicas,
              },
            )}
          </p>
        </div>
      )}
      <AgreementLine agreement={agreementOf(live.lastStep, disagreement)} />
    </>
  );
}

interface CentreProps {
  readonly replicas: number;
  readonly width: number;
}

export function ClusterCentre(props: CentreProps) {
  const status = useLabState((state) => state.run.status);
  const preparation = useLabState((state) => state.run.preparation);
  const failed = useLabState((state) => state.run.failure !== null || state.run.nonFinite !== null);
  const hasRun = useLabState((state) => state.run.info !== null);
  return (
    <div className="centre" style={{ width: props.width }}>
      {status === 'preparing' ? (
        <Preparing preparation={preparation} />
      ) : failed ? (
        <FailureText />
      ) : hasRun ? (
        <Collective replicas={props.replicas} />
      ) : (
        <Idle replicas={props.replicas} />
      )}
    </div>
  );
}
