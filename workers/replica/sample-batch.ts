/** @file The first samples of a batch, in a form that the page can draw. */
import type { TaskShape } from '#core/model';
import { decodeImages } from '#data/pixels';
import type { Batch } from '#engine/engine';
import type { BatchSample } from '#protocol/replica';

const SAMPLES = 6;
const CHARACTERS = 28;

export function sampleBatch(
  batch: Batch,
  step: number,
  task: TaskShape,
  alphabet: string | null,
): BatchSample {
  const count = Math.min(SAMPLES, batch.size);
  const perSample = batch.x.length / batch.size;
  const labels = Uint8Array.from(batch.y.subarray(0, count));
  const none = { step, images: null, points: null, text: null, labels };
  switch (task.kind) {
    case 'image':
      return {
        ...none,
        images: decodeImages(Float32Array.from(batch.x.subarray(0, count * perSample))),
      };
    case 'points':
      return { ...none, points: Float32Array.from(batch.x.subarray(0, batch.size * perSample)) };
    case 'text': {
      const characters = [...(alphabet ?? '')];
      const tokens = [...batch.x.subarray(0, CHARACTERS)];
      return { ...none, text: tokens.map((token) => characters[token] ?? '').join('') };
    }
  }
}
