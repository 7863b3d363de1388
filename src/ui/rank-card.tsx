/** @file One replica on the ring: what it does now, its batch, its loss, its weights' hash. */
import type { Activity, BatchSample } from '#protocol/replica';
import { loss, shortHash } from './format.ts';
import { AlertIcon, CheckIcon } from './icons.tsx';
import { useText } from './lab-context.ts';
import type { NodeSize, Point } from './ring-layout.ts';
import { SampleTiles } from './sample-tiles.tsx';

interface RankCardProps {
  readonly rank: number;
  readonly size: NodeSize;
  readonly centre: Point;
  readonly width: number;
  readonly height: number;
  readonly activity: Activity;
  readonly sample: BatchSample | undefined;
  readonly batch: number;
  readonly loss: number | undefined;
  readonly hash: string | undefined;
  readonly dissents: boolean;
}

const TILES = { large: 6, medium: 5, compact: 0, dot: 0 } as const;

function Hash(props: { readonly hash: string | undefined; readonly dissents: boolean }) {
  const t = useText();
  if (props.hash === undefined) return <span className="hash none">{t('page.rank.noHash')}</span>;
  return (
    <span className={props.dissents ? 'hash dissents' : 'hash'}>
      {props.dissents ? <AlertIcon /> : <CheckIcon />}
      <span className="visually-hidden">
        {t(props.dissents ? 'page.rank.differs' : 'page.rank.agrees')}
      </span>
      {shortHash(props.hash)}
    </span>
  );
}

export function RankCard(props: RankCardProps) {
  const t = useText();
  const { size, rank, activity } = props;
  const place = {
    width: props.width,
    height: props.height,
    left: props.centre.x - props.width / 2,
    top: props.centre.y - props.height / 2,
  };
  const name = t('page.rank.name', { rank });
  const lossText = props.loss === undefined ? '' : loss(t.locale, props.loss);
  return (
    <li
      className={`rank ${size}${props.dissents ? ' dissents' : ''}`}
      style={place}
      data-rank={rank}
      data-activity={activity}
      title={size === 'compact' || size === 'dot' ? t(`page.activity.${activity}`) : undefined}
    >
      <div className="rank-head">
        <span className="rank-name">{size === 'dot' ? rank : name}</span>
        <span className="rank-activity">
          <span className={TILES[size] === 0 ? 'visually-hidden' : ''}>
            {t(`page.activity.${activity}`)}
          </span>
        </span>
      </div>
      {TILES[size] > 0 && (
        <SampleTiles sample={props.sample} batch={props.batch} tiles={TILES[size]} />
      )}
      {size !== 'dot' && (
        <div className="rank-foot">
          <span className="rank-loss">
            {TILES[size] > 0 ? <span className="rank-loss-word">{t('page.rank.loss')}</span> : null}
            <b>{lossText || '\u2013'}</b>
          </span>
          {TILES[size] > 0 ? (
            <Hash hash={props.hash} dissents={props.dissents} />
          ) : (
            props.hash !== undefined && (
              <span className={props.dissents ? 'hash dissents' : 'hash'}>
                {props.dissents ? <AlertIcon /> : <CheckIcon />}
              </span>
            )
          )}
        </div>
      )}
    </li>
  );
}
