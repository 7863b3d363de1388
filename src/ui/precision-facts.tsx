/** @file Precision of the run on the page: the loss scale now, and what rounding took away. */
import { count, percent } from './format.ts';
import { useLive, useText } from './lab-context.ts';

/** Nothing in fp32 without loss scaling, or before the first step. */
export function PrecisionFacts() {
  const t = useText();
  const record = useLive().lastStep?.precision;
  if (record === undefined) return null;
  const { lossScale, gradients } = record;
  const scale = t('page.precision.scaleNow', { scale: count(t.locale, lossScale) });
  if (gradients === null) return <p className="note facts">{scale}</p>;
  const share = (entries: number): string =>
    percent(t.locale, gradients.total === 0 ? 0 : entries / gradients.total);
  const lost = t('page.precision.lost', {
    underflowed: share(gradients.underflowed),
    subnormal: share(gradients.subnormal),
    overflowed: share(gradients.overflowed),
  });
  return (
    <p className="note facts">
      {scale} {lost}
    </p>
  );
}
