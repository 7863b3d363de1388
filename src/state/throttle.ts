/** @file At most one call in so many milliseconds, the last one never lost. */

/** Wraps `call`: the first runs at once, later ones are gathered into one at the interval's end. */
export function throttle(call: () => void, intervalMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let again = false;
  const run = (): void => {
    again = false;
    call();
    timer = setTimeout(() => {
      timer = null;
      if (again) run();
    }, intervalMs);
  };
  return () => {
    if (timer === null) run();
    else again = true;
  };
}
