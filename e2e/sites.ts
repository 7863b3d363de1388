/** @file Addresses that the global set-up serves; each ends in "/". */

/**
 * `lab` is the built page, `harness` the test pages (`e2e/harness/x.html` below it). `isolated` sends
 * COOP and COEP, so shared memory is there; `plain` does not, and is another site.
 */
export function siteUrl(site: 'lab' | 'harness', mode: 'isolated' | 'plain' = 'isolated'): string {
  const url = process.env[`RINGSIDE_${site}_${mode}`.toUpperCase()];
  if (url === undefined)
    throw new Error(
      `The ${site} is not served here: RINGSIDE_ONLY is ${process.env.RINGSIDE_ONLY}`,
    );
  return url;
}
