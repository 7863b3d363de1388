/** @file What the run costs in the modelled cluster, and what happened to its ranks. */

import type { NewsEvent } from '#state/run-series';
import { timeShares } from '#state/selectors';
import { duration, figure, percent, wholePercents } from './format.ts';
import { InfoIcon } from './icons.tsx';
import { type Text, useLive, useText } from './lab-context.ts';
import { Popover } from './popover.tsx';

const PARTS = ['compute', 'communicate', 'other'] as const;
const NONE = '\u2013';

/** Where the last step went by the cluster's clock. */
export function ClusterTime() {
  const t = useText();
  const { lastStep } = useLive();
  const cluster = lastStep?.cluster ?? null;
  const shares = cluster && timeShares(cluster);
  const percents = shares && wholePercents(PARTS.map((part) => shares[part]));
  return (
    <div className="split cluster-time">
      <div className="between">
        <span className="with-info">
          {t('page.modelled.title')}
          <Popover
            buttonClass="info"
            icon={<InfoIcon />}
            label={t('page.info', { label: t('page.modelled.title') })}
          >
            {t('page.modelled.about')}
          </Popover>
        </span>
        <span>
          {t('page.clock.cluster')}
          {cluster && <b>, {figure(duration(t.locale, cluster.stepMs))}</b>}
        </span>
      </div>
      <div className="split-bar" aria-hidden="true">
        {shares &&
          PARTS.map((part) => <i key={part} className={part} style={{ flexGrow: shares[part] }} />)}
      </div>
      <ul className="split-parts">
        {PARTS.map((part, i) => (
          <li key={part} className={`key ${part}`}>
            {t(`page.modelled.${part}`)} <b>{percents ? `${percents[i]}\u00a0%` : NONE}</b>
          </li>
        ))}
      </ul>
      <p className="note">
        {t('page.modelled.elapsed', {
          time: cluster ? figure(duration(t.locale, cluster.endMs)) : NONE,
        })}
      </p>
    </div>
  );
}

function wordsOf(t: Text, event: NewsEvent): string {
  switch (event.type) {
    case 'fault':
      return t('page.news.fault', {
        step: event.step,
        ranks: event.ranks.join(', '),
        kind: t(`page.fault.${event.kind}`),
      });
    case 'recovery':
      return t('page.news.recovery', {
        step: event.step,
        count: event.worldSize,
        lost: event.lostSteps,
        took: figure(duration(t.locale, event.clusterMs)),
      });
    case 'finding':
      return t('page.news.finding', {
        step: event.step,
        rank: event.rank,
        cause: t(`page.cause.${event.cause}`),
      });
    case 'warning':
      return t('page.news.warning', {
        step: event.step,
        rank: event.rank,
        danger: t(`page.danger.${event.danger}`),
        expected: event.expectedStep,
        sureness: percent(t.locale, event.sureness),
      });
    case 'hang':
      return t('page.news.hang', { step: event.step, rank: event.rank });
  }
}

/** The latest losses, recoveries and findings, newest first; nothing where there were none. */
export function RankNews() {
  const t = useText();
  const { news } = useLive();
  if (news.length === 0) return null;
  return (
    <ul className="rank-news" aria-label={t('page.news.label')}>
      {news.toReversed().map((event) => {
        const words = wordsOf(t, event);
        return (
          <li key={words} className={event.type}>
            {words}
          </li>
        );
      })}
    </ul>
  );
}
