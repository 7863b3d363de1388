/** @file The keys that work anywhere on the page. */
import { Dialog } from './dialog.tsx';
import { KeyboardIcon } from './icons.tsx';
import { useText } from './lab-context.ts';

export const SHORTCUTS_ID = 'shortcuts';

export function ShortcutsDialog() {
  const t = useText();
  const keys = [
    [t('page.keys.space'), t('page.keys.train')],
    ['S', t('page.keys.step')],
    ['R', t('page.keys.reset')],
    ['?', t('page.keys.help')],
    ['Esc', t('page.keys.close')],
  ] as const;
  return (
    <Dialog id={SHORTCUTS_ID} title={t('page.keys.title')} icon={<KeyboardIcon />}>
      <dl className="shortcuts">
        {keys.map(([key, meaning]) => (
          <div key={key} className="shortcut">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
