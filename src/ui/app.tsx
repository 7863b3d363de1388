/** @file The lab: a story from left to right, and the wall-time strip below it. */

import { useEffect, useLayoutEffect } from 'react';
import { pollProbes } from '#state/probes';
import { ClusterPanel } from './cluster-panel.tsx';
import { ExperimentPanel } from './experiment-panel.tsx';
import { HappenedPanel } from './happened-panel.tsx';
import { type Lab, LabContext, useLab, useSettings, useText } from './lab-context.ts';
import { LiveRegion } from './live-region.tsx';
import { TopBar } from './top-bar.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { useTheme } from './use-theme.ts';
import { WallStrip } from './wall-strip.tsx';
import './fonts.css';
import './tokens.css';
import './base.css';
import './controls.css';
import './overlays.css';
import './top.css';
import './experiment.css';
import './cluster.css';
import './centre.css';
import './happened.css';
import './strip.css';

function useDocument(): void {
  const t = useText();
  const { locale } = useSettings();
  const theme = useTheme();
  const title = t('page.documentTitle');
  // Before any passive effect: children read the theme's colours in theirs.
  useLayoutEffect(() => {
    document.documentElement.lang = locale;
    document.documentElement.setAttribute('data-theme', theme);
    document.title = title;
  }, [locale, theme, title]);
}

function Page() {
  const { store } = useLab();
  useDocument();
  useShortcuts();
  useEffect(() => pollProbes(store, { visible: () => !document.hidden }), [store]);
  return (
    <div className="lab">
      <TopBar />
      <main className="panels">
        <ExperimentPanel />
        <ClusterPanel />
        <HappenedPanel />
        <WallStrip />
      </main>
      <LiveRegion />
    </div>
  );
}

export function App(props: { readonly lab: Lab }) {
  return (
    <LabContext value={props.lab}>
      <Page />
    </LabContext>
  );
}
