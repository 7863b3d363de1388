/** @file The middle panel: the ring of replicas, what each does now, and whether they agree. */

import { useMemo, useRef } from 'react';
import { isActive } from '#state/run-state';
import { agreementOf, dissenters } from '#state/selectors';
import { ClusterCentre } from './cluster-centre.tsx';
import { FaultList } from './fault-list.tsx';
import { useLab, useLabState, useLive, useRankCount, useText } from './lab-context.ts';
import { RankCard, type RankCardProps } from './rank-card.tsx';
import { ringLayout } from './ring-layout.ts';
import { RingLinks } from './ring-links.tsx';
import { useSize } from './use-size.ts';

/** Narrower than this, in rem, the page is one column. */
const LIST_WIDTH = 60;

/** Replicas of the run on the page, or of the experiment that would be started. */
function useShape(): { readonly replicas: number; readonly batch: number } {
  const experiment = useLabState((state) => state.run.experiment ?? state.experiment);
  return { replicas: useRankCount(), batch: experiment.batchPerRank };
}

function Ring() {
  const t = useText();
  const area = useRef<HTMLDivElement>(null);
  const size = useSize(area);
  const { replicas, batch } = useShape();
  const live = useLive();
  const { actions } = useLab().store;
  const running = useLabState((state) => state.run.status === 'running');
  const isOn = useLabState(({ run }) => run.status === 'running' || run.status === 'paused');
  const samples = useLabState((state) => state.batches);
  const disagreement = useLabState((state) => state.run.disagreement);
  const width = size?.width ?? 0;
  const height = size?.height ?? 0;
  const rem = size?.rem ?? 13;
  const layout = useMemo(
    () => ringLayout(width, height, replicas, rem),
    [width, height, replicas, rem],
  );
  const step = live.lastStep;
  const agreement = agreementOf(step, disagreement);
  const outside = dissenters(agreement);
  const cards: readonly RankCardProps[] = layout.nodes.map((centre, rank) => ({
    rank,
    size: layout.size,
    place: {
      width: layout.nodeWidth,
      height: layout.nodeHeight,
      left: centre.x - layout.nodeWidth / 2,
      top: centre.y - layout.nodeHeight / 2,
    },
    // A rank's last word before a pause is what it did until then.
    activity: running ? (live.activity[rank] ?? 'idle') : 'idle',
    sample: samples[rank],
    batch,
    loss: step?.lossPerRank[rank] ?? undefined,
    hash: step?.weightsHash[rank],
    dissents: outside.includes(rank),
    apart: agreement.kind === 'apart',
    onKill: isOn ? () => actions.kill(rank) : null,
  }));
  // In one column the panel grows with the list, so the list takes nothing from the ring.
  const listed = size !== null && layout.size === 'dot' && width < LIST_WIDTH * rem;
  const label = t('page.cluster.ranks', { count: replicas });
  return (
    <>
      <div ref={area} className="ring">
        {size && (
          <>
            <RingLinks layout={layout} />
            <ClusterCentre replicas={replicas} width={layout.centreWidth} />
            <ul className="ranks" aria-label={label} aria-hidden={listed}>
              {cards.map((card) => (
                <RankCard key={card.rank} {...card} />
              ))}
            </ul>
          </>
        )}
      </div>
      {listed && (
        <ul className="rank-list" aria-label={label}>
          {cards.map(({ place: _, ...card }) => (
            <RankCard key={card.rank} {...card} size="listed" />
          ))}
        </ul>
      )}
    </>
  );
}

function transportWords(transport: 'shared' | 'ports' | undefined) {
  if (!transport) return 'page.cluster.about' as const;
  return transport === 'shared'
    ? ('page.cluster.shared' as const)
    : ('page.cluster.ports' as const);
}

export function ClusterPanel() {
  const t = useText();
  const { replicas } = useShape();
  const transport = useLabState((state) => state.run.info?.transport);
  const active = useLabState((state) => isActive(state.run.status));
  const cores = navigator.hardwareConcurrency;
  return (
    <section className="panel cluster" aria-labelledby="cluster-title">
      <div className="panel-head">
        <h2 id="cluster-title">{t('page.cluster.title')}</h2>
        <span className="about">{t(transportWords(transport), { count: replicas })}</span>
        {replicas > cores && !active && (
          <span className="about cores">{t('page.cluster.cores', { cores })}</span>
        )}
        <span className="clock">{t('page.clock.wall')}</span>
      </div>
      <FaultList />
      <Ring />
    </section>
  );
}
