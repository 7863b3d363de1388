/** @file Space, S, R and ? anywhere on the page, but not while something is being typed. */
import { useEffect } from 'react';
import { useLab } from './lab-context.ts';
import { SHORTCUTS_ID } from './shortcuts-dialog.tsx';

/** Controls that need the keys themselves: text is typed, Space presses a button or a box. */
function takesKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('dialog[open], [popover]:popover-open')) return true;
  if (target.closest('input[type="text"], textarea, select')) return true;
  return key === ' ' && target.closest('button, input, summary, a') !== null;
}

export function useShortcuts(): void {
  const { actions } = useLab().store;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (takesKey(event.target, event.key)) return;
      // By place on the keyboard for letters, so that a Cyrillic layout works too.
      if (event.code === 'Space') actions.train();
      else if (event.code === 'KeyS') actions.step();
      else if (event.code === 'KeyR') actions.reset();
      else if (event.key === '?') {
        const sheet = document.getElementById(SHORTCUTS_ID);
        if (sheet instanceof HTMLDialogElement) sheet.showModal();
      } else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [actions]);
}
