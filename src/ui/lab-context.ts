/** @file What every component may reach: the store, the settings and the previews of the data. */

import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { DataChoice } from '#experiment/experiment';
import { type Locale, type MessageKey, type MessageParameters, translate } from '#i18n/translate';
import type { LabState, LabStore } from '#state/lab-store';
import type { LiveFigures } from '#state/run-series';
import type { Settings, SettingsStore } from './settings.ts';

/** A cloud of labelled points in [-1, 1]^2, to draw on a task's card. */
export interface PointCloud {
  /** x, y of each point in turn. */
  readonly x: Float32Array;
  readonly y: Uint8Array;
}

export type PointsChoice = Extract<DataChoice, { readonly noise: number }>;

export interface Lab {
  readonly store: LabStore;
  readonly settings: SettingsStore;
  /** The training points of a choice, from its seed: the very ones that the replicas use. */
  readonly pointCloud: (choice: PointsChoice, seed: number) => PointCloud;
}

export const LabContext = createContext<Lab | null>(null);

export function useLab(): Lab {
  const lab = useContext(LabContext);
  if (!lab) throw new Error('useLab: no LabContext above this component');
  return lab;
}

/** A part of the lab's state; the selector must return something that stays the same. */
export function useLabState<Part>(select: (state: LabState) => Part): Part {
  return useStore(useLab().store, select);
}

export function useSettings(): Settings {
  return useStore(useLab().settings);
}

/** Ranks of the run on the page, those that are left after losses; else of the next one. */
export function useRankCount(): number {
  const wanted = useLabState((state) => (state.run.experiment ?? state.experiment).replicas);
  return useLive().worldSize ?? wanted;
}

/** The figures of this moment, four times a second at most. */
export function useLive(): LiveFigures {
  const { beat, series } = useLab().store;
  return useSyncExternalStore(beat.subscribe, series.live);
}

/**
 * Calls `draw` on a beat, in the very task in which React renders, so that the browser lays out
 * once for both; only on each `every`th beat, and in a hidden tab only when it is seen again.
 */
export function useDrawing(draw: () => void, every = 1): void {
  const { beat } = useLab().store;
  const latest = useRef(draw);
  useEffect(() => {
    latest.current = draw;
    draw();
  });
  useEffect(() => {
    let frame = 0;
    let beats = 0;
    const unsubscribe = beat.subscribe(() => {
      beats++;
      if (beats % every !== 0) return;
      cancelAnimationFrame(frame);
      if (document.hidden) frame = requestAnimationFrame(() => latest.current());
      else latest.current();
    });
    return () => {
      unsubscribe();
      cancelAnimationFrame(frame);
    };
  }, [beat, every]);
}

export interface Text {
  readonly locale: Locale;
  (key: MessageKey, parameters?: MessageParameters): string;
}

/** Translates into the chosen language. */
export function useText(): Text {
  const { locale } = useSettings();
  return Object.assign(
    (key: MessageKey, parameters?: MessageParameters) => translate(locale, key, parameters),
    { locale },
  );
}
