/** @file What the ranks' communication streams did in an exchange, as spans. */
import type { Exchange } from './communicator.ts';
import type { Span, SpanKind } from './spans.ts';
import type { BucketJob } from './step-job.ts';
import { ns } from './time.ts';

/** Rank by rank, bucket by bucket: codecs, waiting for ranks that are late, the collective. */
export function streamSpans(
  buckets: readonly Pick<BucketJob, 'encodeNs' | 'decodeNs'>[],
  { launchNs, doneNs }: Exchange,
): Span[] {
  const lastBeganNs = buckets.map(({ encodeNs }, bucket) =>
    launchNs[bucket].reduce((latest, time) => Math.max(latest, time + encodeNs), 0),
  );
  const ranks = Array.from(launchNs[0] ?? [], (_, rank) => rank);
  return ranks.flatMap((rank) =>
    buckets.flatMap(({ encodeNs, decodeNs }, bucket) => {
      const launched = launchNs[bucket][rank];
      const done = doneNs[bucket][rank];
      const encoded = launched + encodeNs;
      const decoding = done - decodeNs;
      const together = Math.min(Math.max(encoded, lastBeganNs[bucket]), decoding);
      const span = (kind: SpanKind, startNs: number, endNs: number): Span => {
        return { rank, kind, startNs: ns(startNs), endNs: ns(endNs), bucket };
      };
      return [
        span('compression', launched, encoded),
        span('wait', encoded, together),
        span('communication', together, decoding),
        span('compression', decoding, done),
      ];
    }),
  );
}
