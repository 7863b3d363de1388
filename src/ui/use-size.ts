/** @file The size of an element, followed as it changes. */
import { type RefObject, useEffect, useState } from 'react';

export interface Size {
  readonly width: number;
  readonly height: number;
  /** Pixels a rem. */
  readonly rem: number;
}

/** Null until the element has been laid out. */
export function useSize(element: RefObject<Element | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setSize({ width, height, rem });
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
