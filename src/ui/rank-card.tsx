/** @file One replica on the ring: what it does now, its batch, its loss, its weights' hash. */

import type { CSSProperties } from 'react';
import type { Activity, BatchSample } from '#protocol/replica';
import { loss, shortHash } from './format.ts';
import { AlertIcon, CheckIcon, CloseIcon } from './icons.tsx';
import { useText } from './lab-context.ts';
import type { NodeSize } from './ring-layout.ts';
import { SampleTiles } from './sample-tiles.tsx';

export interface RankCardProps {
  readonly rank: number;
  /** "listed" is a card below the ring, where the ring itself has room for dots only. */
  readonly size: NodeSize | 'listed';
  readonly place?: CSSProperties;
  readonly activity: Activity;
  readonly sample: BatchSample | undefined;
  readonly batch: number;
  readonly loss: number | undefined;
  readonly hash: string | undefined;
  readonly dissents: boolean;
  /** Weights are not compared now. */
  readonly apart: boolean;
  /** Terminates the rank's worker; null where there is none to terminate. */
  readonly onKill: (() => void) | null;
}

/** Sample tiles by size; sizes without any say only the least. */
const TILES = { large: 6, medium: 5, listed: 4, compact: 0, dot: 0 } as const;

interface HashProps {
  readonly hash: string | undefined;
  readonly dissents: boolean;
  readonly apart: boolean;
  /** Characters are left out where there is no room for them. */
  readonly brief: boolean;
  readonly digits?: number;
}

function Hash(props: HashProps) {
  const t = useText();
  const { hash, dissents, brief } = props;
  if (hash === undefined) {
    return brief ? null : <span className="hash none">{t('page.rank.noHash')}</span>;
  }
  return (
    <span className={dissents ? 'hash dissents' : 'hash'}>
      {dissents ? <AlertIcon /> : !props.apart && <CheckIcon />}
      <span className="visually-hidden">
        {t(dissents ? 'page.rank.differs' : props.apart ? 'page.rank.apart' : 'page.rank.agrees')}
      </span>
      <span className={brief ? 'visually-hidden' : ''}>
        {shortHash(hash).slice(0, props.digits)}
      </span>
    </span>
  );
}

function Foot(props: RankCardProps & { readonly brief: boolean }) {
  const t = useText();
  return (
    <div className="rank-foot">
      <span className="rank-loss">
        <span className={props.brief ? 'visually-hidden' : 'rank-loss-word'}>
          {t('page.rank.loss')}{' '}
        </span>
        <b>{props.loss === undefined ? '\u2013' : loss(t.locale, props.loss)}</b>
      </span>
      <Hash
        hash={props.hash}
        dissents={props.dissents}
        apart={props.apart}
        brief={props.brief}
        {...(props.size === 'listed' ? { digits: 4 } : {})}
      />
    </div>
  );
}

export function RankCard(props: RankCardProps) {
  const t = useText();
  const { size, rank, activity } = props;
  const tiles = TILES[size];
  const brief = tiles === 0;
  const doing = t(`page.activity.${activity}`);
  return (
    <li
      className={`rank ${size}${props.dissents ? ' dissents' : ''}`}
      style={props.place}
      data-rank={rank}
      data-activity={activity}
      title={brief ? doing : undefined}
    >
      <div className="rank-head">
        <span className="rank-name">{size === 'dot' ? rank : t('page.rank.name', { rank })}</span>
        {size === 'dot' && props.hash !== undefined ? (
          <Hash hash={props.hash} dissents={props.dissents} apart={props.apart} brief />
        ) : (
          <span className="rank-activity">
            <span className={brief ? 'visually-hidden' : ''}>{doing}</span>
          </span>
        )}
      </div>
      {props.onKill && !brief && (
        <button
          type="button"
          className="rank-kill"
          aria-label={t('page.rank.kill', { rank })}
          title={t('page.rank.kill', { rank })}
          onClick={props.onKill}
        >
          <CloseIcon />
        </button>
      )}
      {tiles > 0 && <SampleTiles sample={props.sample} batch={props.batch} tiles={tiles} />}
      {size !== 'dot' && <Foot {...props} brief={brief} />}
    </li>
  );
}
