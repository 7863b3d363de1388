/** @file The theme that is shown now, with the system's wish followed. */
import { useEffect, useState } from 'react';
import { useSettings } from './lab-context.ts';
import { shownTheme } from './settings.ts';

const DARK = '(prefers-color-scheme: dark)';

export function useTheme(): 'light' | 'dark' | 'projector' {
  const { theme } = useSettings();
  const [systemIsDark, setSystemIsDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const follow = (): void => setSystemIsDark(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  return shownTheme(theme, systemIsDark);
}
