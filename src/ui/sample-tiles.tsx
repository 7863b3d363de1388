/** @file The first samples of a rank's present batch, one tile each. */

import { memo, useEffect, useRef } from 'react';
import type { BatchSample } from '#protocol/replica';
import { useLabState, useText } from './lab-context.ts';
import { useTheme } from './use-theme.ts';

const SIDE = 28;
const PIXELS = SIDE * SIDE;

interface DigitProps {
  readonly images: Uint8Array;
  readonly index: number;
}

let picture: ImageData | null = null;

/** One digit's pixels, in a picture that is used again and again. */
function pictureOf({ images, index }: DigitProps): ImageData {
  picture ??= new ImageData(SIDE, SIDE);
  for (let i = 0; i < PIXELS; i++) {
    picture.data[4 * i + 3] = images[index * PIXELS + i] ?? 0;
  }
  return picture;
}

/** The test digits of one probe are those of the last: nothing is drawn for them again. */
function samePixels(a: DigitProps, b: DigitProps): boolean {
  for (let i = 0; i < PIXELS; i++) {
    if (a.images[a.index * PIXELS + i] !== b.images[b.index * PIXELS + i]) return false;
  }
  return true;
}

/** One 28 x 28 digit: ink where the data has it, the theme turns black ink to white. */
export const Digit = memo(function Digit(props: DigitProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(pictureOf(props), 0, 0);
  });
  return <canvas ref={canvas} className="digit" width={SIDE} height={SIDE} />;
}, samePixels);

/** One point of the plane [-1.5, 1.5]^2, in the colour of its class. */
function PointTile(props: { readonly x: number; readonly y: number; readonly label: number }) {
  const clamp = (value: number): number => Math.max(-1.4, Math.min(1.4, value));
  return (
    <svg className="point" viewBox="-1.5 -1.5 3 3" aria-hidden="true">
      <path d="M-1.5 0H1.5M0 -1.5V1.5" />
      <circle
        className={props.label === 1 ? 'class-1' : 'class-0'}
        cx={clamp(props.x)}
        cy={-clamp(props.y)}
        r="0.42"
      />
    </svg>
  );
}

interface TilesProps {
  readonly sample: BatchSample | undefined;
  readonly batch: number;
  readonly tiles: number;
}

function labelsOf(sample: BatchSample, tiles: number): string {
  return Array.from(sample.labels.slice(0, tiles)).join(' ');
}

export function SampleTiles(props: TilesProps) {
  const t = useText();
  useTheme();
  const ofText = useLabState(
    ({ run, experiment }) => (run.experiment ?? experiment).data.name === 'moby-dick',
  );
  const { sample, batch } = props;
  if (!sample && ofText) return <div className="tiles" aria-hidden="true" />;
  if (!sample) {
    return (
      <div className="tiles" aria-hidden="true">
        {Array.from({ length: Math.min(props.tiles, batch) }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: empty places, told apart by nothing else.
          <span key={i} className="tile" />
        ))}
      </div>
    );
  }
  if (sample.text !== null) {
    return (
      <div className="tiles">
        <span className="visually-hidden">{t('page.tiles.text')}</span>
        <span className="prose" lang="en">
          {sample.text.replace(/\s+/g, ' ')}
        </span>
      </div>
    );
  }
  const shown = Math.min(props.tiles, sample.labels.length);
  const { images, points } = sample;
  return (
    <div
      className="tiles"
      role="img"
      aria-label={t('page.tiles.labels', { labels: labelsOf(sample, shown) })}
    >
      {Array.from({ length: shown }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a place in the batch is what a tile is.
        <span key={i} className="tile">
          {images && <Digit images={images} index={i} />}
          {points && (
            <PointTile
              x={points[2 * i] ?? 0}
              y={points[2 * i + 1] ?? 0}
              label={sample.labels[i] ?? 0}
            />
          )}
        </span>
      ))}
      {batch > shown && <span className="more">+{batch - shown}</span>}
    </div>
  );
}
